import { describe, expect, test } from 'vitest'
import type { TelemetryLine } from '#journal/telemetry-line'
import { blank } from '../journal/a-run.ts'
import { spokenUtterances, timedOut } from './measured-run.ts'
import { evaluated, sampled } from './sampled-run.ts'

describe('processor time for a second of audio', () => {
  test('is that of the blocks of the contender, not of what lies between', () => {
    // tiny is sent from 0 to 10 s, base from 10 to 20 s: half a processor, then a whole one.
    const cpu = (at: number): number => (at <= 10 ? at / 2 : 5 + (at - 10))
    const { contenders, resources } = evaluated(
      sampled(21, (at) => ({ serverCpuSeconds: 100 + cpu(at) })),
      { contenders: ['tiny', 'base'] },
    )
    const [tiny, base] = contenders.map(({ cpuSecondsPerAudioSecond }) => cpuSecondsPerAudioSecond)
    expect(tiny).toMatchObject({ value: 5 / 80, audioSeconds: 80 })
    expect(base).toMatchObject({ value: 10 / 80, audioSeconds: 80 })
    expect(resources.server.cpuSecondsPerAudioSecond).toMatchObject({ value: 15 / 160 })
  })

  test('counts the time of requests that failed, and not their audio', () => {
    const { contenders } = evaluated(
      sampled(11, (at) => ({ serverCpuSeconds: at })),
      { fate: ({ utterance }) => (utterance.id === 'u3' ? timedOut : 'a b') },
    )
    expect(contenders[0]?.cpuSecondsPerAudioSecond).toMatchObject({ value: 10 / 76, cpuSeconds: 10 })
  })

  test.each([
    ['no sample', [], 'could not be read'],
    ['a server that cannot be watched', sampled(11, () => ({})), 'could not be read'],
    [
      'too little of it',
      sampled(11, (at) => ({ serverCpuSeconds: at / 100 })),
      'needs 0.5 s of processor time',
    ],
    [
      'samples of another time',
      [
        { ...blank, serverCpuSeconds: 1 },
        { ...blank, atMs: 5, serverCpuSeconds: 2 },
      ],
      'no audio',
    ],
  ])('is absent with a reason, never 0: %s', (_, telemetry, reason) => {
    expect(evaluated(telemetry).contenders[0]?.cpuSecondsPerAudioSecond).toEqual({
      value: null,
      reason: expect.stringContaining(reason),
    })
  })
})

describe("growth of the server's memory", () => {
  // 400 requests of 4 s in 500 ms each: 8 s of audio a second, 200 s in all.
  const long = {
    utterances: spokenUtterances(400, 'a b', { seconds: 4 }),
  }
  const growing = (bytesPerSecond: number): TelemetryLine[] =>
    sampled(201, (at) => ({ serverResidentBytes: 5e8 + bytesPerSecond * at + ((at * 4) % 7) * 1000 }))

  test('is its slope over the audio, with an interval', () => {
    // 1 MB a second is 1 MB for 8 s of audio.
    const { megabytesPerAudioHour: growth } = evaluated(growing(1e6), long).resources.server
    if (growth.value === null) throw new Error(growth.reason)
    expect(growth.value).toBeCloseTo(3600 / 8, 0)
    expect(growth.interval?.low).toBeLessThan(growth.value)
    expect(growth.interval?.high).toBeGreaterThan(growth.value)
    expect(growth.audioHours).toBeCloseTo(1600 / 3600)
  })

  test('of a server that keeps nothing has an interval around 0', () => {
    const { megabytesPerAudioHour: growth } = evaluated(growing(0), long).resources.server
    if (growth.value === null) throw new Error(growth.reason)
    expect(growth.interval?.low).toBeLessThanOrEqual(0)
    expect(growth.interval?.high).toBeGreaterThanOrEqual(0)
  })

  test('is absent where the run is too short to know', () => {
    const { server } = evaluated(sampled(11, () => ({ serverResidentBytes: 1e8 }))).resources
    expect(server.megabytesPerAudioHour).toEqual({
      value: null,
      reason: expect.stringContaining('needs 60 s'),
    })
    expect(server.residentBytes).toBe(1e8)
  })

  test('is absent where samples are too few, which the reason counts', () => {
    const few = growing(1e6).filter((_, index) => index % 40 === 0)
    expect(evaluated(few, long).resources.server.megabytesPerAudioHour).toEqual({
      value: null,
      reason: 'needs 60 s, 30 samples and 0.1 h of audio, has 200 s, 21 samples and 0.44 h',
    })
  })
})

test('pressure, swap and other programs are reported for the measured time; what is absent is null', () => {
  const { host, gpu } = evaluated(
    sampled(11, (at) => ({
      hostCpuSeconds: 50 + 1.5 * at,
      serverCpuSeconds: at / 2,
      ownCpuSeconds: at / 4,
      hostCpuStalledSeconds: 7 + at / 10,
      hostSwappedPages: 3,
      gpuBusyRate: 0.25,
      gpuMemoryBytes: 1e9,
    })),
  ).resources
  expect(host).toMatchObject({ memoryStalledRate: null, ioStalledRate: null, swappedPages: 0 })
  expect(host.foreignProcessors).toBeCloseTo(0.75)
  expect(host.cpuStalledRate).toBeCloseTo(0.1)
  expect(gpu).toEqual({ busyRate: 0.25, memoryBytes: 1e9, devices: [] })
  expect(evaluated([]).resources).toMatchObject({
    server: { residentBytes: null, peakResidentBytes: null, threadCount: null, processCount: null },
    host: { foreignProcessors: null, cpuStalledRate: null, swappedPages: null },
    gpu: null,
  })
})

test('what other programs used is their mean over the run, and one figure in instrument and resources', () => {
  const burst = (at: number): number => (at < 3 ? at * 3 : 6 + at)
  const { instrument, resources } = evaluated(
    sampled(11, (at) => ({ hostCpuSeconds: burst(at), serverCpuSeconds: at / 2, ownCpuSeconds: 0 })),
  )
  // Busy for 17 s in 11 s, of which 5.5 s are the server's.
  expect(resources.host.foreignProcessors).toBeCloseTo(11.5 / 11, 12)
  expect(resources.host.foreignProcessors).toBe(instrument.foreignProcessors)
})
