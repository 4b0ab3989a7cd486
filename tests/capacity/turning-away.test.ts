import { describe, expect, test } from 'vitest'
import { modelTurningAway } from '../../src/capacity/server-model.ts'
import { sampleOf } from './simulated-servers.ts'

/** Requests of an open load, one a millisecond, of which a server takes those that find fewer inside. */
const refusedFrom = (places: number, count: number) => {
  const takesMs = 2 * places
  return Array.from({ length: count }, (_, sentAtMs) => {
    // The first requests fill the places, and leave in the order in which they came.
    const isTaken = sentAtMs % takesMs < places
    const endedAtMs = sentAtMs + (isTaken ? takesMs - 0.5 : 0.1)
    return sampleOf(sentAtMs, endedAtMs, { isAnswered: isTaken, isTurnedAway: !isTaken })
  })
}

describe('a server that refuses requests', () => {
  test.each([
    [10, 1000],
    [60_000, 240_000],
  ])('while %i are inside is full with as many', (places, count) => {
    const turningAway = modelTurningAway([refusedFrom(places, count)], { closed: [], workers: 1 })
    expect(turningAway).toEqual({ kind: 'full', inside: places })
  })

  test('with fewer inside than it takes at other times does so by another rule', () => {
    const taken = Array.from({ length: 200 }, (_, sentAtMs) => sampleOf(sentAtMs, sentAtMs + 100))
    const limited = Array.from({ length: 100 }, (_, index) => {
      const sentAtMs = 1000 + 10 * index
      const isTaken = index % 2 === 0
      return sampleOf(sentAtMs, sentAtMs + (isTaken ? 15 : 0.1), {
        isAnswered: isTaken,
        isTurnedAway: !isTaken,
      })
    })
    expect(modelTurningAway([[...taken, ...limited]], { closed: [], workers: 1 })).toEqual({
      kind: 'unexplained',
    })
  })
})
