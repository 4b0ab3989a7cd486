import { describe, expect, test } from 'vitest'
import type { LevelSample, LoadedServer } from '#capacity/loaded-server'
import { type ColdTargets, coldPath } from '../../src/capacity/measure/strains.ts'

/**
 * Answers one after the other, each in the time that its place has; the last time is that of all further ones.
 *
 * @param refused how many it refuses before it answers
 */
function serverOf(answerMs: readonly number[], refused = 0): LoadedServer {
  return {
    elapsedSeconds: () => 0,
    measure: async ({ forSeconds, ...order }) => {
      const inFlight = order.kind === 'closed' ? order.inFlight : 1
      const samples: LevelSample[] = []
      for (let atMs = 0; atMs < 1000 * forSeconds || samples.length < inFlight; ) {
        const takes = answerMs[samples.length] ?? answerMs.at(-1) ?? 0
        const times = { dueAtMs: atMs, sentAtMs: atMs, endedAtMs: atMs + takes }
        const isAnswered = samples.length >= refused
        samples.push({
          utteranceId: 'a',
          audioSeconds: 2,
          ...times,
          isAnswered,
          text: isAnswered ? 'a' : null,
        })
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

describe('a service that refuses requests while its model is loaded', () => {
  const loading = [...Array.from({ length: 300 }, () => 3), 400, 200]

  test('has answered for the first time when a text came back, and not when a refusal did', async () => {
    const fresh: ColdTargets['withFresh'] = (work) => work(serverOf(loading, 300), 600)
    const cold = await coldPath({ ...targets(60, null), withFresh: fresh }, serverOf([200]), 1)
    expect(cold).toMatchObject({
      // 300 refusals of 3 ms, and the first answer.
      firstAnswerMs: 1300,
      twoWhileLoadingMs: null,
      untilSteadyMs: 1300,
    })
  })

  test('has no cold figures where nothing was answered, and why is said', async () => {
    const fresh: ColdTargets['withFresh'] = (work) => work(serverOf([3], Number.POSITIVE_INFINITY), 600)
    const cold = await coldPath({ ...targets(60, null), withFresh: fresh }, serverOf([200]), 1)
    expect(cold).toMatchObject({ firstAnswerMs: null, twoWhileLoadingMs: null, untilSteadyMs: null })
    expect(cold.untilSteadyReason).toContain('0 answers in')
  })

  test('has its steady answer time from answers alone', async () => {
    const warm = serverOf([3, 3, 3, 200], 3)
    const cold = await coldPath(targets(60, null), warm, 1)
    expect(cold).toMatchObject({ afterIdleMs: null, idleSeconds: null, steadyAnswerMs: 200 })
  })
})

describe('a measurement that is interrupted', () => {
  test('in the idle time ends at once, starts no service and reports no figure', async () => {
    const stop = new AbortController()
    const slept: (AbortSignal | undefined)[] = []
    const sleepUntil: ColdTargets['clock']['sleepUntil'] = async (_dueAtMs, signal) => {
      slept.push(signal)
      stop.abort()
    }
    let started = 0
    const withFresh: ColdTargets['withFresh'] = (work) => {
      started += 1
      return work(serverOf([200]), 600)
    }
    const warm: LoadedServer = { elapsedSeconds: () => 0, measure: async () => [] }
    const interrupted = {
      ...targets(60, null),
      clock: { ...clock, sleepUntil },
      withFresh,
      stop: stop.signal,
    }
    expect(await coldPath(interrupted, warm, 1)).toEqual({
      startMs: null,
      firstAnswerMs: null,
      steadyAnswerMs: null,
      twoWhileLoadingMs: null,
      untilSteadyMs: null,
      untilSteadyReason: 'interrupted',
      afterIdleMs: null,
      idleSeconds: null,
    })
    expect(slept).toEqual([stop.signal])
    expect(started).toBe(0)
  })

  test('at the first answers of a fresh service keeps them, and starts no second one', async () => {
    const stop = new AbortController()
    let started = 0
    const withFresh: ColdTargets['withFresh'] = async (work) => {
      started += 1
      const value = await work(serverOf([900, 400, 200]), 600)
      stop.abort()
      return value
    }
    const interrupted = { ...targets(60, null), withFresh, stop: stop.signal }
    expect(await coldPath(interrupted, serverOf([200]), 1)).toMatchObject({
      startMs: 600,
      firstAnswerMs: 900,
      twoWhileLoadingMs: null,
      untilSteadyMs: null,
      untilSteadyReason: 'interrupted',
    })
    expect(started).toBe(1)
  })
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
