import { expect, test } from 'vitest'
import { otherPrograms, watchProcessor } from '../../src/capacity/measure/contender-input.ts'

type Watch = ReturnType<typeof watchProcessor>

/** Notes the processor seconds of the host until a second, of which the server had one each second, unless another is said. */
function note(spent: Watch, second: number, hostCpuSeconds: number, change: Partial<Watch['lines'][0]> = {}) {
  spent.note({
    atMs: 1000 * second,
    serverCpuSeconds: second,
    ownCpuSeconds: 0,
    hostCpuSeconds,
    samplerCpuSeconds: null,
    serverResidentBytes: 1000 + second,
    ...change,
  })
}

/** Every second of a minute: the server has one processor, this process a twentieth, others what is given. */
function minute(others: (second: number) => number) {
  const spent = watchProcessor()
  let host = 100
  for (let second = 0; second <= 60; second += 1) {
    note(spent, second, host, { ownCpuSeconds: second / 20 })
    host += 1.05 + others(second)
  }
  return spent
}

test('what other programs kept busy is what is left of the machine’s time, and for how much of the time', () => {
  expect(otherPrograms(minute(() => 0).lines, 2)).toEqual({
    disturbedShare: 0,
    processors: expect.closeTo(0, 9),
  })
  const third = otherPrograms(minute((second) => (second < 20 ? 0.9 : 0)).lines, 2)
  expect(third?.disturbedShare).toBeCloseTo(1 / 3, 9)
  expect(third?.processors).toBeCloseTo(0.3, 9)
  expect(otherPrograms([], 2)).toBeNull()
})

test('programs that are kept running to sample are not other programs', () => {
  const spent = watchProcessor()
  for (let second = 0; second <= 60; second += 1)
    note(spent, second, 1.5 * second, { samplerCpuSeconds: second / 2 })
  expect(otherPrograms(spent.lines, 2)).toEqual({ disturbedShare: 0, processors: 0 })
})

test('servers of our own that are not the measured one are not other programs', async () => {
  const spent = watchProcessor()
  let host = 0
  const second = (at: number, busy: number) => {
    host += busy
    note(spent, at, host)
  }
  for (let at = 0; at < 10; at += 1) second(at, 1)
  await spent.aside(async () => {
    for (let at = 10; at < 20; at += 1) second(at, 2)
  })
  for (let at = 20; at < 30; at += 1) second(at, 1)
  expect(otherPrograms(spent.lines, 2)).toEqual({ disturbedShare: 0, processors: 0 })
})

test('processor time of the server is counted between two moments', () => {
  const spent = minute(() => 0)
  expect(spent.between(10_000, 30_000)).toEqual({ cpuSeconds: 20, peakResidentBytes: 1030 })
  expect(spent.between(10_100, 10_900)).toBeNull()
})

test('processor time of the server is that of the whole time, also where the samples lie inside of it', () => {
  const spent = minute(() => 0)
  // Samples at 11 s and 12 s, of which the server worked all the time.
  expect(spent.between(10_100, 12_900)?.cpuSeconds).toBeCloseTo(2.8, 9)
  expect(spent.between(10_500, 30_500)?.cpuSeconds).toBeCloseTo(20, 9)
})

/** As on a machine of two, of which this program may use one. */
const processors = { usable: 1, all: 2 }

test('a machine that other programs keep busy is named as a possible limit, and a quiet one is not', () => {
  expect(minute(() => 0).busyBecause(0, processors)).toBeNull()
  expect(minute(() => 0.8).busyBecause(0, processors)).toBe(
    'other programs used 0.8 of 2 processors meanwhile',
  )
  // Only what happened since then counts.
  expect(minute((second) => (second < 20 ? 0.9 : 0)).busyBecause(21_000, processors)).toBeNull()
})

test('a machine without idle processors is named as a possible limit where the server cannot be seen', () => {
  const without = (busy: number) => {
    const spent = watchProcessor()
    for (let second = 0; second <= 20; second += 1)
      note(spent, second, (busy + 0.05) * second, { serverCpuSeconds: null, ownCpuSeconds: second / 20 })
    return spent
  }
  expect(without(1).busyBecause(0, processors)).toBeNull()
  expect(without(1.9).busyBecause(0, processors)).toContain('what of it was the server cannot be seen')
})
