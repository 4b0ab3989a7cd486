import { availableParallelism } from 'node:os'
import { expect, test } from 'vitest'
import type { TelemetryLine } from '#journal/telemetry-line'
import { type Clock, type Precision, systemClock } from '#load/clock'
import { describeHost, isQuiet, readPressure } from '#telemetry/host'
import { startSampling } from '#telemetry/sampling'
import { startBusyProcess } from './busy-process.ts'

/** Time that passes only during a sleep. */
function virtualClock(): Clock {
  let nowMs = 0
  return {
    nowMs: () => nowMs,
    today: () => new Date(nowMs),
    async sleepUntil(dueAtMs, signal) {
      await new Promise((resolve) => setImmediate(resolve))
      if (signal?.aborted !== true) nowMs = Math.max(nowMs, dueAtMs)
    },
  }
}

test('the host is described with nothing left out', () => {
  const host = describeHost('1.2.3')
  expect(host).toMatchObject({
    platform: process.platform,
    nodeVersion: process.version,
    programVersion: '1.2.3',
  })
  expect(host.cpuCount).toBeGreaterThanOrEqual(1)
  expect(host.machineCpuCount).toBeGreaterThanOrEqual(host.cpuCount)
  expect(host.memoryBytes).toBeGreaterThan(100_000_000)
  for (const value of Object.values(host)) expect(value).not.toBe('')
})

test('pressure is counted in seconds that only grow, or absent', async () => {
  const before = readPressure()
  const after = readPressure()
  for (const key of [
    'cpuStalledSeconds',
    'memoryStalledSeconds',
    'ioStalledSeconds',
    'swappedPages',
  ] as const) {
    if (before[key] === null) expect(after[key]).toBeNull()
    else expect(after[key]).toBeGreaterThanOrEqual(before[key])
  }
})

test('sampling takes a first sample, one at each interval, and a last one', async () => {
  const lines: TelemetryLine[] = []
  const precisions = new Set<Precision | undefined>()
  const virtual = virtualClock()
  const clock: Clock = {
    ...virtual,
    sleepUntil(dueAtMs, signal, precision) {
      precisions.add(precision)
      return virtual.sleepUntil(dueAtMs, signal)
    },
  }
  {
    await using _sampling = startSampling({
      servers: [{ id: null, pids: [process.pid], reason: null }],
      clock,
      everyMs: 1000,
      env: {},
      onSample: (line) => void lines.push(line),
    })
    await expect.poll(() => lines.length).toBeGreaterThanOrEqual(4)
  }
  const times = lines.map(({ atMs }) => atMs)
  expect(times.slice(0, 4)).toEqual([0, 1000, 2000, 3000])
  expect(times.length).toBeGreaterThanOrEqual(5)
  // To wait for the very moment would take a processor from the server that is watched.
  expect([...precisions]).toEqual(['rough'])
  if (process.platform === 'linux') expect(lines[0]?.serverResidentBytes).toBeGreaterThan(0)
})

test('without a process to watch the host is still sampled, and what is absent is null', async () => {
  const lines: TelemetryLine[] = []
  const sampling = startSampling({
    servers: [{ id: null, pids: [], reason: null }],
    clock: systemClock,
    everyMs: 60_000,
    env: {},
    onSample: (line) => void lines.push(line),
  })
  await sampling[Symbol.asyncDispose]()
  expect(lines.length).toBeGreaterThanOrEqual(2)
  for (const line of lines) expect(line).toMatchObject({ serverCpuSeconds: null, serverResidentBytes: null })
})

test('what the receiver of samples throws comes out when sampling ends', async () => {
  const sampling = startSampling({
    servers: [{ id: null, pids: [], reason: null }],
    clock: virtualClock(),
    everyMs: 1000,
    env: {},
    onSample: () => Promise.reject(new Error('disk full')),
  })
  await expect(sampling[Symbol.asyncDispose]()).rejects.toThrow('disk full')
})

test('a program that keeps a processor busy is noticed', async () => {
  await using _busy = await startBusyProcess()
  const seen = await isQuiet()
  expect(seen.foreignCpuShare).toBeGreaterThan(0.5 / availableParallelism() / 2)
  expect(seen.foreignCpuShare).toBeLessThanOrEqual(1)
  expect(seen.message).toMatch(/other programs use \d+% of \d+ processors/)
  expect(seen.quiet).toBe(seen.foreignCpuShare <= 0.1)
})
