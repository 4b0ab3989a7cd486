import { describe, expect, test } from 'vitest'
import { resolveConfig } from '#config/resolve-config'
import { readCorpus } from '#corpus/read-corpus'
import { verifyCorpus } from '#corpus/verify-corpus'
import { planSweep, runSweep } from '../../src/capacity/measure/run-sweep.ts'
import { writeToneCorpus } from '../journeys/tone-corpus.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { oneAtOnce, simulatedInstrument } from './simulated-servers.ts'

describe('a sweep in turns', () => {
  const inFlights = [1, 2, 4, 8, 16]

  test('takes as many rounds as its time suffices for, up to four', () => {
    expect(planSweep(600, inFlights, 0.1).rounds).toBe(4)
    expect(planSweep(60, inFlights, 0.1).rounds).toBe(1)
    expect(planSweep(600, inFlights, null).rounds).toBe(1)
  })

  test('works a full queue off twice in each turn', () => {
    expect(planSweep(600, inFlights, 0.4).rounds).toBe(1)
    expect(planSweep(600, [1, 2, 4], 0.4).rounds).toBe(4)
  })

  test('looks twice as long at the first and the last number in flight, with which everything is compared', () => {
    const { levels } = planSweep(180, inFlights, 0.1)
    const [first, second] = levels.map(({ turnSeconds }) => turnSeconds)
    expect(first).toBeCloseTo(2 * (second ?? 0), 9)
    expect(levels.at(-1)?.turnSeconds).toBe(first)
  })

  test('fills no queue that a small budget cannot work off, and sees at least six requests alone', () => {
    const { levels } = planSweep(180, inFlights, 4)
    expect(levels.map(({ inFlight }) => inFlight)).toEqual([1, 2])
    expect(levels[0]?.turnSeconds).toBeGreaterThanOrEqual(24)
  })
})

describe('the use of the processor and of memory in a sweep', () => {
  /** @param isSeen whether it is seen in a turn, by its number */
  const sweptWhere = async (isSeen: (turn: number) => boolean) => {
    await using folder = await temporaryFolder()
    const manifest = await writeToneCorpus(folder.path, { one: 'the cat sat' })
    const verified = await verifyCorpus(await readCorpus(manifest, { env: {} }))
    const corpus = { ...verified, texts: null, writtenLanguage: null }
    const { config } = resolveConfig({ file: null, flags: {}, env: {} })
    const server = simulatedInstrument(oneAtOnce)
    let turn = 0
    const between = () => {
      turn += 1
      return isSeen(turn) ? { cpuSeconds: 2, peakResidentBytes: 1000 } : null
    }
    const spent = { between, busyBecause: () => null }
    const request = { budgetSeconds: 600, inFlights: [1, 2] }
    const clock = { nowMs: () => 1000 * server.elapsedSeconds() }
    const input = { request, config, clock, spent, corpus, spoken: [] }
    const { sweep, closed } = await runSweep(input, server, 0.1)
    const audioSeconds = closed[0]?.turns.flat().reduce((sum, sample) => sum + sample.audioSeconds, 0) ?? 0
    return { levels: sweep.levels, audioSeconds }
  }

  test('counts the processor time of all turns over the audio of all turns', async () => {
    const { levels, audioSeconds } = await sweptWhere(() => true)
    expect(levels[0]?.cpuSecondsPerAudioSecond).toBeCloseTo((4 * 2) / audioSeconds, 12)
  })

  test('has no processor time where it was not seen in one of the turns, whose audio counts', async () => {
    const { levels } = await sweptWhere((turn) => turn !== 1)
    expect(levels.map(({ cpuSecondsPerAudioSecond }) => cpuSecondsPerAudioSecond !== null)).toEqual([
      false,
      true,
    ])
  })

  test('has the memory of the first turn alone, because later ones follow larger numbers in flight', async () => {
    const { levels } = await sweptWhere((turn) => turn !== 1)
    expect(levels.map(({ peakResidentBytes }) => peakResidentBytes)).toEqual([null, 1000])
  })
})
