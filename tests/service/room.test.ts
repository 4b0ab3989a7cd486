import { describe, expect, test } from 'vitest'
import { createRoom, type Place, type Room } from '../../src/service/http/room.ts'

const mebibyte = 2 ** 20
const never = new AbortController().signal

/** Says what has been let in so far, after everything that could be has been. */
async function enterAll(room: Room, sizes: readonly number[], signal = never): Promise<Map<number, Place>> {
  const places = new Map<number, Place>()
  for (const [index, size] of sizes.entries()) {
    void room.enter(size, signal).then((place) => {
      if (place.ok) places.set(index, place.value)
    })
  }
  await settle()
  return places
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('the room for bodies', () => {
  test('lets as many in as fit together, in the order in which they came', async () => {
    const places = await enterAll(
      createRoom(),
      [20, 20, 20, 3].map((size) => size * mebibyte),
    )
    expect([...places.keys()]).toEqual([0, 1])
    places.get(0)?.[Symbol.dispose]()
    await settle()
    expect([...places.keys()]).toEqual([0, 1, 2, 3])
  })

  test('keeps a huge one alone, and never turns it away', async () => {
    const room = createRoom()
    const places = await enterAll(room, [Number.POSITIVE_INFINITY, 50 * mebibyte, Number.POSITIVE_INFINITY])
    for (const index of [0, 1, 2]) {
      expect([...places.keys()]).toHaveLength(index + 1)
      places.get(index)?.[Symbol.dispose]()
      await settle()
    }
  })

  test('lets small ones pass while large ones wait, and the smallest always', async () => {
    const places = await enterAll(createRoom(), [50 * mebibyte, 50 * mebibyte, mebibyte, 1_000])
    expect([...places.keys()].toSorted()).toEqual([0, 2, 3])
  })

  test('gives the place of one that went away to the next, and counts a place once', async () => {
    const room = createRoom()
    const leaving = new AbortController()
    const first = await enterAll(room, [50 * mebibyte])
    const gone = await enterAll(room, [50 * mebibyte], leaving.signal)
    const next = await enterAll(room, [50 * mebibyte, 50 * mebibyte])
    leaving.abort()
    first.get(0)?.[Symbol.dispose]()
    first.get(0)?.[Symbol.dispose]()
    await settle()
    expect([gone.size, next.size]).toEqual([0, 1])
  })
})
