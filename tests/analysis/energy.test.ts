import { describe, expect, test } from 'vitest'
import type { ContenderEvaluation } from '#analysis/documents/contender-evaluation'
import type { Evaluation } from '#analysis/documents/evaluation'
import { evaluateRun } from '#analysis/evaluate-run'
import type { TelemetryLine } from '#journal/telemetry-line'
import { measuredRun } from './measured-run.ts'
import * as sampledRun from './sampled-run.ts'

const nothingUnread = { server: null, gpu: null, rapl: null, battery: null }

/** Samples of a server that can be watched, and of a host where everything could be read. */
function sampled(seconds: number, line: (atSeconds: number) => Partial<TelemetryLine>): TelemetryLine[] {
  return sampledRun.sampled(seconds, (at) => ({
    serverCpuSeconds: at,
    serverResidentBytes: 1e8,
    ...(at === 0 ? { unread: nothingUnread } : {}),
    ...line(at),
  }))
}

/** Tiny is sent 80 s of audio from 0 to 10 s, base the same from 10 to 20 s. */
const evaluated: typeof sampledRun.evaluated = (telemetry, change) =>
  sampledRun.evaluated(telemetry, { contenders: ['tiny', 'base'], ...change })

function energyOf({ contenders }: Evaluation): readonly ContenderEvaluation['energy'][] {
  return contenders.map(({ energy }) => energy)
}

const device = {
  name: 'A',
  busyRate: 1,
  memoryBytes: 1e9,
  coreClockMHz: 1000,
  memoryClockMHz: 2000,
  throttledBy: [],
} as const

/** Once a second, with the power of each device. */
function gpuAt(at: number, ...watts: readonly (number | null)[]): Partial<TelemetryLine> {
  if (!Number.isInteger(at)) return {}
  return { gpus: watts.map((powerWatts, index) => ({ ...device, id: `nvidia ${index}`, powerWatts })) }
}

describe('energy for an hour of audio', () => {
  test('is that of the blocks of the contender over the audio that was answered in them', () => {
    // 30 W while tiny is measured, 60 W while base is.
    const joules = (at: number): number => 1000 + (at <= 10 ? 30 * at : 300 + 60 * (at - 10))
    const [tiny, base] = energyOf(
      evaluated(sampled(21, (at) => ({ energyJoules: { 'package-0': joules(at) } }))),
    )
    expect(tiny).toEqual({
      value: (300 / 80) * 3600,
      joules: 300,
      covers: ['package'],
      parts: [{ part: 'package', joules: 300, audioSeconds: 80, joulesPerAudioHour: (300 / 80) * 3600 }],
    })
    expect(base).toMatchObject({ value: (600 / 80) * 3600, joules: 600 })
  })

  test('adds packages, their memory and graphics processors, and not the platform and the battery', () => {
    const [tiny] = energyOf(
      evaluated(
        sampled(21, (at) => ({
          energyJoules: {
            'package-0': 10 * at,
            'package-1': 20 * at,
            'dram-0': 3 * at,
            'dram-1': 2 * at,
            psys: 500 * at,
          },
          ...gpuAt(at, 100, 50),
          batteryWatts: 700,
        })),
      ),
    )
    if (tiny === undefined || tiny.value === null) throw new Error('no energy')
    expect(tiny.covers).toEqual(['package', 'dram', 'gpu'])
    expect(tiny.joules).toBeCloseTo(300 + 50 + 1500, 6)
    expect(tiny.value).toBeCloseTo(((300 + 50 + 1500) / 80) * 3600, 6)
    expect(tiny.parts.map(({ part, joules }) => [part, Math.round(joules)])).toEqual([
      ['package', 300],
      ['dram', 50],
      ['gpu', 1500],
      ['psys', 5000],
    ])
  })

  test('integrates power by trapezoids', () => {
    // From 0 W to 200 W over 20 s: 500 J in the first half, 1,500 J in the second.
    const [tiny, base] = energyOf(evaluated(sampled(21, (at) => gpuAt(at, 10 * at))))
    expect(tiny).toMatchObject({ covers: ['gpu'] })
    expect(tiny?.value).toBeCloseTo((500 / 80) * 3600, 6)
    expect(base?.value).toBeCloseTo((1500 / 80) * 3600, 6)
  })

  test('leaves out a block in which a device was not read, with its audio', () => {
    const lines = sampled(21, (at) => gpuAt(at, 100, at > 8 && at < 15 ? null : 100))
    const rounds = { rounds: 2, contenders: ['tiny'] }
    const [tiny] = energyOf(evaluated(lines, rounds))
    expect(tiny).toMatchObject({ value: null, reason: 'gpu: needs 5 s of measured blocks, has 0.0 s' })
    const covered = sampled(21, (at) => gpuAt(at, 100, at > 12 && at < 19 ? null : 100))
    expect(energyOf(evaluated(covered, rounds))[0]).toMatchObject({
      parts: [{ part: 'gpu', audioSeconds: 80 }],
    })
  })

  test('of a battery needs a minute, and is the whole machine', () => {
    const onBattery = (seconds: number): TelemetryLine[] =>
      sampled(seconds, (at) => (Number.isInteger(at) ? { batteryWatts: 12 } : {}))
    expect(energyOf(evaluated(onBattery(21)))[0]).toEqual({
      value: null,
      reason: 'battery: needs 60 s of measured blocks, has 10.0 s',
    })
    const long = { contenders: ['tiny'], rounds: 7 }
    const [tiny] = energyOf(evaluated(onBattery(71), long))
    expect(tiny).toMatchObject({ covers: ['battery'] })
    expect(tiny?.value).toBeCloseTo((12 * 3600) / 8, 6)
  })

  test('begins anew with each segment of a run', () => {
    const run = measuredRun({
      utterances: [{ id: 'u', reference: 'a b', seconds: 4 }],
      rounds: 2,
      fate: () => 'a b',
      durationMs: () => 1000,
    })
    const telemetry = sampled(3, (at) => ({ energyJoules: { 'package-0': at < 1.25 ? 10 * at : 0 } })).map(
      (line) => (line.atMs < 1250 ? line : { ...line, segment: 1 }),
    )
    const attempts = run.attempts.map((attempt) =>
      attempt.round === 1 ? attempt : { ...attempt, segment: 1, sentAtMs: 1500, endedAtMs: 2500 },
    )
    const [energy] = energyOf(evaluateRun({ ...run, attempts, telemetry }))
    expect(energy).toMatchObject({ joules: 10, parts: [{ audioSeconds: 8 }] })
  })

  test('does not expect a device in the segments before it was there', () => {
    const run = measuredRun({
      utterances: [{ id: 'u', reference: 'a b', seconds: 4 }],
      rounds: 2,
      fate: () => 'a b',
      durationMs: () => 6000,
    })
    const telemetry = sampled(14, (at) => (at < 6.5 ? gpuAt(at, 100) : gpuAt(at, 100, 50))).map((line) =>
      line.atMs < 6500 ? line : { ...line, segment: 1 },
    )
    const attempts = run.attempts.map((attempt) =>
      attempt.round === 1 ? attempt : { ...attempt, segment: 1, sentAtMs: 7000, endedAtMs: 13_000 },
    )
    const [energy] = energyOf(evaluateRun({ ...run, attempts, telemetry }))
    expect(energy).toMatchObject({ joules: 600 + 900, parts: [{ audioSeconds: 8 }] })
  })

  test('is absent with every reason that was recorded, and never 0', () => {
    const unread = {
      server: null,
      gpu: 'nvidia-smi is not installed',
      rapl: 'energy_uj may be read by root only',
      battery: 'this system shows no battery',
    }
    const evaluation = evaluated(sampled(21, (at) => (at === 0 ? { unread } : {})))
    expect(energyOf(evaluation)[0]).toEqual({
      value: null,
      reason: 'energy_uj may be read by root only; nvidia-smi is not installed; this system shows no battery',
    })
    expect(evaluation.resources.unread).toEqual(unread)
  })

  test('is absent where the server is not on this machine', () => {
    const lines = sampled(21, (at) => ({ serverCpuSeconds: null, energyJoules: { 'package-0': at } }))
    expect(energyOf(evaluated(lines))[0]).toMatchObject({
      value: null,
      reason: expect.stringContaining('is not visible'),
    })
  })

  test('is not in the document of a run that recorded none', () => {
    const old = sampled(21, () => ({})).map(({ unread: _, ...line }) => line)
    const evaluation = evaluated(old)
    expect('energy' in (evaluation.contenders[0] ?? {})).toBe(false)
    expect('unread' in evaluation.resources).toBe(false)
  })
})

describe('graphics processors of a run', () => {
  test('are means over their readings, with the share of each reason for a lower clock', () => {
    const lines = sampled(21, (at) =>
      Number.isInteger(at)
        ? {
            gpuBusyRate: 0.5,
            gpuMemoryBytes: 2e9,
            gpus: [
              {
                ...device,
                id: 'nvidia 0',
                powerWatts: at <= 9 ? 100 : 200,
                throttledBy:
                  at % 4 === 0 ? ['power limit', 'temperature'] : at % 2 === 0 ? ['temperature'] : [],
              },
            ],
          }
        : {},
    )
    const { gpu } = evaluated(lines).resources
    expect(gpu).toMatchObject({ busyRate: 0.5, memoryBytes: 2e9 })
    const [figures] = gpu?.devices ?? []
    expect(figures).toMatchObject({ id: 'nvidia 0', name: 'A', sampleCount: 21, coreClockMHz: 1000 })
    expect(figures?.powerWatts).toBeCloseTo((10 * 100 + 11 * 200) / 21, 9)
    expect(figures?.throttled).toEqual([
      { reason: 'temperature', rate: 11 / 21 },
      { reason: 'power limit', rate: 6 / 21 },
    ])
  })

  test('that report nothing have null, and no zero', () => {
    const empty = { name: null, busyRate: null, memoryBytes: null, powerWatts: null } as const
    const clocks = { coreClockMHz: null, memoryClockMHz: null, throttledBy: null } as const
    const lines = sampled(21, () => ({ gpus: [{ id: 'amd 0', ...empty, ...clocks }] }))
    expect(evaluated(lines).resources.gpu).toMatchObject({
      busyRate: null,
      devices: [{ powerWatts: null, throttled: null }],
    })
    expect(energyOf(evaluated(lines))[0]).toMatchObject({ value: null })
  })
})

describe('programs that sample', () => {
  test('have their processor time in the instrument, and not among other programs', () => {
    const lines = sampled(21, (at) => ({
      hostCpuSeconds: 3 * at,
      serverCpuSeconds: at,
      ownCpuSeconds: at / 2,
      // Its time goes with a program that ends.
      samplerCpuSeconds: at <= 10 ? at / 4 : at - 10 <= 0.25 ? 0 : (at - 10.25) / 4,
    }))
    const { instrument } = evaluated(lines)
    expect(instrument.samplerProcessors).toBeCloseTo(0.25, 1)
    expect(instrument.foreignProcessors).toBeCloseTo(1.25, 1)
  })

  test('are null where none runs', () => {
    const lines = sampled(21, () => ({ samplerCpuSeconds: null }))
    expect(evaluated(lines).instrument.samplerProcessors).toBeNull()
  })

  test('give the reason why the processor time of the server is absent', () => {
    const lines = sampled(21, (at) => ({
      serverCpuSeconds: null,
      ...(at === 0 ? { unread: { ...nothingUnread, server: 'powershell.exe is not installed' } } : {}),
    }))
    expect(evaluated(lines).contenders[0]?.cpuSecondsPerAudioSecond).toEqual({
      value: null,
      reason: "the server's processor time could not be read: powershell.exe is not installed",
    })
  })
})
