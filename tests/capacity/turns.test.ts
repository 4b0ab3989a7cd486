import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { systemClock } from '#load'
import { takeTurns } from '../../src/session/capacity/turns.ts'
import { temporaryFolder } from '../journal/temporary-folder.ts'

describe('measurements that take turns', () => {
  test('are at work one at a time, load by load, and the waiting is known', async () => {
    await using folder = await temporaryFolder()
    const path = join(folder.path, 'turn.lock')
    const done: string[] = []
    let atWork = 0
    const measure = async (name: string): Promise<number> => {
      using turns = await takeTurns({ clock: systemClock }, path)
      for (let load = 0; load < 2; load += 1) {
        await turns.pass()
        atWork += 1
        expect(atWork).toBe(1)
        await systemClock.sleepUntil(systemClock.nowMs() + 60)
        done.push(`${name}${load}`)
        atWork -= 1
      }
      return turns.waitedSeconds()
    }
    const waited = await Promise.all([measure('a'), measure('b')])
    // Whoever was first, they alternate.
    const [first] = done
    const names = first?.startsWith('a') === true ? ['a', 'b'] : ['b', 'a']
    expect(done).toEqual([0, 1].flatMap((load) => names.map((name) => `${name}${load}`)))
    expect(Math.min(...waited)).toBeGreaterThan(0.1)
  })

  test('do not wait for one that is stopped or over', async () => {
    await using folder = await temporaryFolder()
    const path = join(folder.path, 'turn.lock')
    const stop = new AbortController()
    const holder = await takeTurns({ clock: systemClock }, path)
    await holder.pass()
    using stopped = await takeTurns({ clock: systemClock, stop: stop.signal }, path)
    const waiting = stopped.pass()
    stop.abort()
    await waiting
    using next = await takeTurns({ clock: systemClock }, path)
    const given = next.pass()
    holder[Symbol.dispose]()
    await given
  })
})
