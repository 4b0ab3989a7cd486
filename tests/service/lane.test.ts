import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { createLane, type Reservation } from '../../src/service/waiting.ts'

const never = new AbortController().signal

function reserve(lane: ReturnType<typeof createLane>, onStalled?: () => void, signal = never): Reservation {
  const reservation = lane.reserve(signal, onStalled)
  if (reservation === null) throw new Error('there is no room')
  return reservation
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Says what has come of a wait, so far. */
function watched(taken: true | Promise<boolean>): { result: boolean | null } {
  const state: { result: boolean | null } = { result: taken === true ? true : null }
  if (taken !== true) void taken.then((result) => Object.assign(state, { result }))
  return state
}

describe('a lane of memory', () => {
  test('admits as many bytes as fit, and the others in the order of their requests', async () => {
    const lane = createLane(100)
    const [first, second, third] = [reserve(lane), reserve(lane), reserve(lane)]
    expect([first.take(40), second.take(40)]).toEqual([true, true])
    const [later, last] = [watched(second.take(40)), watched(third.take(10))]
    await settle()
    expect([later.result, last.result]).toEqual([null, null])
    first[Symbol.dispose]()
    await settle()
    expect([later.result, last.result]).toEqual([true, true])
  })

  test('never lets its oldest request wait, so that one request always completes', async () => {
    const lane = createLane(100)
    const [first, second] = [reserve(lane), reserve(lane)]
    expect([first.take(60), second.take(40)]).toEqual([true, true])
    const waiting = watched(second.take(60))
    expect(first.take(60)).toBe(true)
    first[Symbol.dispose]()
    await settle()
    expect(waiting.result).toBe(true)
  })

  test('admits a request that is larger than the lane when it is the oldest', () => {
    expect(reserve(createLane(100)).take(1_000)).toBe(true)
  })

  test('gives the bytes of an aborted request to the next, and counts returned bytes once', async () => {
    const lane = createLane(100)
    const leaving = new AbortController()
    const [first, gone, next] = [reserve(lane), reserve(lane, undefined, leaving.signal), reserve(lane)]
    first.take(100)
    const [lost, waiting] = [watched(gone.take(50)), watched(next.take(50))]
    leaving.abort()
    first.give(50)
    first[Symbol.dispose]()
    first[Symbol.dispose]()
    await settle()
    expect([lost.result, waiting.result]).toEqual([false, true])
    expect(reserve(lane).tryTake(50)).toBe(true)
    expect(reserve(lane).tryTake(1)).toBe(false)
  })

  test('stops only an upload that makes no progress while another one waits', async () => {
    const lane = createLane(100_000)
    const stalled: string[] = []
    const dripping = reserve(lane, () => {
      stalled.push('dripping')
      dripping[Symbol.dispose]()
    })
    const quick = reserve(lane, () => stalled.push('quick'))
    const whole = reserve(lane, () => stalled.push('whole'))
    dripping.take(40_000)
    quick.take(20_000)
    whole.take(40_000)
    whole.complete()
    const next = reserve(lane, () => stalled.push('next'))
    const waiting = watched(next.take(30_000))
    const feeding = setInterval(() => {
      quick.give(5_000)
      quick.take(5_000)
    }, 50)
    for (let turn = 0; waiting.result === null && turn < 100; turn += 1) await sleep(50)
    clearInterval(feeding)
    expect(waiting.result).toBe(true)
    expect(stalled).toEqual(['dripping'])
  })

  test('refuses more requests than it can keep in order', () => {
    const lane = createLane(1)
    const reserved = Array.from({ length: 4_096 }, () => lane.reserve(never))
    expect(reserved).not.toContain(null)
    expect(lane.reserve(never)).toBe(null)
  })
})
