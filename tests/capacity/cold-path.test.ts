import { describe, expect, test } from 'vitest'
import type { LevelSample, LoadedServer } from '#capacity'
import { type ColdTargets, coldPath } from '../../src/session/capacity/cold-path.ts'

/** Answers one after the other, each in the time that its place has; the last time is that of all further ones. */
function serverOf(answerMs: readonly number[]): LoadedServer {
  return {
    elapsedSeconds: () => 0,
    measure: async ({ forSeconds, ...order }) => {
      const inFlight = order.kind === 'closed' ? order.inFlight : 1
      const samples: LevelSample[] = []
      for (let atMs = 0; atMs < 1000 * forSeconds || samples.length < inFlight; ) {
        const takes = answerMs[samples.length] ?? answerMs.at(-1) ?? 0
        const times = { dueAtMs: atMs, sentAtMs: atMs, endedAtMs: atMs + takes }
        samples.push({ utteranceId: 'a', audioSeconds: 2, ...times, isAnswered: true, text: 'a' })
        atMs += inFlight === 2 && samples.length === 1 ? 10 : takes
      }
      return samples.slice(0, inFlight === 2 ? 2 : undefined)
    },
  }
}

const clock: ColdTargets['clock'] = {
  nowMs: () => 0,
  today: () => new Date(0),
  sleepUntil: async () => undefined,
}
const targets = (budgetSeconds: number, fresh: readonly number[] | null): ColdTargets => ({
  clock,
  budgetSeconds,
  withFresh: fresh === null ? null : (work) => work(serverOf(fresh), 600),
})

describe('the way of a cold service to its steady speed', () => {
  test('is looked at for as long as it takes to see it, also where there is little time', async () => {
    const cold = await coldPath(targets(60, [900, 400, 200]), serverOf([200]), 1)
    expect(cold).toMatchObject({
      startMs: 600,
      firstAnswerMs: 900,
      steadyAnswerMs: 200,
      twoWhileLoadingMs: [900, 400],
      afterIdleMs: 200,
      // The third request is the first of five that are as fast as the later ones.
      untilSteadyMs: 1300,
      untilSteadyReason: null,
    })
  })

  test('is not reported from a few answers, and why is said', async () => {
    const cold = await coldPath(targets(12, [900, 400, 200]), serverOf([200]), 1)
    expect(cold.untilSteadyMs).toBeNull()
    expect(cold.untilSteadyReason).toBe('2 answers in 1 s, and it takes 10; more time: --budget')
  })

  test('cannot be seen of a server that ran already', async () => {
    const cold = await coldPath(targets(60, null), serverOf([200]), 1)
    expect(cold).toMatchObject({ startMs: null, untilSteadyMs: null, untilSteadyReason: 'it ran already' })
  })
})
