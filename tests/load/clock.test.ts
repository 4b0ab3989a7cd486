import { performance } from 'node:perf_hooks'
import { describe, expect, test } from 'vitest'
import { type Precision, systemClock } from '#load/clock'

/** How often the event loop turned meanwhile. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0
  let isOver = false
  const count = (): void => {
    turns += 1
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  await work()
  isOver = true
  return turns
}

describe('the system clock', () => {
  test('never wakes anybody before their time, however short or long they sleep', async () => {
    const sleeps = [0.01, 0.4, 1, 1.9, 2.1, 3.5, 7.25, 18.3].map(async (forMs) => {
      const dueAtMs = systemClock.nowMs() + forMs
      await systemClock.sleepUntil(dueAtMs)
      return systemClock.nowMs() - dueAtMs
    })
    expect(Math.min(...(await Promise.all(sleeps)))).toBeGreaterThanOrEqual(0)
  })

  test('wakes early when the signal aborts, in the coarse and in the fine part', async () => {
    for (const forMs of [3_600_000, 1.9]) {
      const controller = new AbortController()
      const sleeping = systemClock.sleepUntil(systemClock.nowMs() + forMs, controller.signal)
      controller.abort()
      await expect(sleeping).resolves.toBeUndefined()
      await expect(
        systemClock.sleepUntil(systemClock.nowMs() + 3_600_000, controller.signal),
      ).resolves.toBeUndefined()
    }
  })

  test('sleeps longer than a timer of the runtime can', async () => {
    const warnings: string[] = []
    const onWarning = ({ name }: Error): void => void warnings.push(name)
    process.on('warning', onWarning)
    const controller = new AbortController()
    let isAwake = false
    const aYear = systemClock.nowMs() + 31_536_000_000
    const sleeping = systemClock.sleepUntil(aYear, controller.signal).then(() => {
      isAwake = true
    })
    await systemClock.sleepUntil(systemClock.nowMs() + 10)
    expect(isAwake).toBe(false)
    controller.abort()
    await sleeping
    process.off('warning', onWarning)
    expect(warnings).toEqual([])
  })

  test('lets the event loop turn for a caller that is late with everything', async () => {
    const turns = await turnsDuring(async () => {
      for (let late = 0; late < 50; late += 1) await systemClock.sleepUntil(systemClock.nowMs() - 1_000)
    })
    expect(turns).toBeGreaterThanOrEqual(49)
  })

  test('lets the event loop turn while it waits for the last two milliseconds', async () => {
    const turns = await turnsDuring(() => systemClock.sleepUntil(systemClock.nowMs() + 1.9))
    expect(turns).toBeGreaterThan(0)
  })

  test('turns the event loop hundreds of times for an exact moment, and a few times for a rough one', async () => {
    const turnsOf = async (precision: Precision): Promise<number> => {
      const before = performance.nodeTiming.uvMetricsInfo.loopCount
      const dueAtMs = systemClock.nowMs() + 20.5
      await systemClock.sleepUntil(dueAtMs, undefined, precision)
      expect(systemClock.nowMs()).toBeGreaterThanOrEqual(dueAtMs)
      return performance.nodeTiming.uvMetricsInfo.loopCount - before
    }
    // Something else can turn the loop during a sleep, and another program can take the processor for all of the last two
    // milliseconds of one, but not of fifty.
    let [fewest, most] = [Number.POSITIVE_INFINITY, 0]
    for (let sleep = 0; sleep < 50 && fewest >= 10; sleep += 1) {
      fewest = Math.min(fewest, await turnsOf('rough'))
    }
    for (let sleep = 0; sleep < 50 && most <= 10; sleep += 1) most = Math.max(most, await turnsOf('exact'))
    expect(fewest).toBeLessThan(10)
    expect(most).toBeGreaterThan(10)
  })

  test('gives the time of day', () => {
    expect(Math.abs(systemClock.today().getTime() - Date.now())).toBeLessThan(1_000)
  })
})
