import { describe, expect, test } from 'vitest'
import type { FoundCold } from '#capacity/found-loads'
import type { LevelSample, LoadedServer } from '#capacity/loaded-server'
import { coldPath } from '../../src/capacity/measure/strains.ts'

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
        const text = isAnswered ? 'a' : null
        samples.push({ utteranceId: 'a', audioSeconds: 2, ...times, isAnswered, text })
        atMs += inFlight === 2 && samples.length === 1 ? 10 : takes
      }
      return samples.slice(0, inFlight === 2 ? 2 : undefined)
    },
  }
}

/**
 * @param fresh the services that can be started; null for none
 * @param warm the one that is measured
 * @param stop is aborted in the idle time, or when the first fresh service has answered
 */
async function coldPathOf({
  fresh = null,
  warm = serverOf([200]),
  budgetSeconds = 60,
  stoppedIn,
}: {
  readonly fresh?: LoadedServer | null
  readonly warm?: LoadedServer
  readonly budgetSeconds?: number
  readonly stoppedIn?: 'idle time' | 'fresh service'
}): Promise<{ readonly cold: FoundCold; readonly started: number }> {
  const stop = new AbortController()
  let started = 0
  const clock = {
    nowMs: () => 0,
    today: () => new Date(0),
    async sleepUntil(_dueAtMs: number, signal?: AbortSignal) {
      expect(signal).toBe(stop.signal)
      if (stoppedIn === 'idle time') stop.abort()
    },
  }
  const withFresh = async <Value>(work: (server: LoadedServer, startMs: number) => Promise<Value>) => {
    started += 1
    const value = await work(fresh as LoadedServer, 600)
    if (stoppedIn === 'fresh service') stop.abort()
    return value
  }
  const settings = { clock, budgetSeconds, stop: stop.signal }
  const cold = await coldPath(settings, warm, fresh === null ? null : withFresh, 1)
  return { cold, started }
}

describe('a service that refuses requests while its model is loaded', () => {
  const loading = [...Array.from({ length: 300 }, () => 3), 400, 200]

  test('has answered for the first time when a text came back, and not when a refusal did', async () => {
    const { cold } = await coldPathOf({ fresh: serverOf(loading, 300) })
    // 300 refusals of 3 ms, and the first answer.
    expect(cold).toMatchObject({ firstAnswerMs: 1300, twoWhileLoadingMs: null, untilSteadyMs: 1300 })
  })

  test('has no cold figures where nothing was answered, and why is said', async () => {
    const { cold } = await coldPathOf({ fresh: serverOf([3], Number.POSITIVE_INFINITY) })
    expect(cold).toMatchObject({ firstAnswerMs: null, twoWhileLoadingMs: null, untilSteadyMs: null })
    expect(cold.untilSteadyReason).toContain('0 answers in')
  })

  test('is said to have given one answer where the time sufficed for one', async () => {
    const { cold } = await coldPathOf({ fresh: serverOf([1_000_000]) })
    expect(cold.untilSteadyReason).toMatch(/^1 answer in /)
  })

  test('has its steady answer time from answers alone', async () => {
    const { cold } = await coldPathOf({ warm: serverOf([3, 3, 3, 200], 3) })
    expect(cold).toMatchObject({ afterIdleMs: null, idleSeconds: null, steadyAnswerMs: 200 })
  })
})

test('the first answer after an idle time is compared with the others as if its recording were as long as theirs', async () => {
  const sample = { utteranceId: 'a', isAnswered: true, text: 'a', dueAtMs: 0, sentAtMs: 0 }
  const warm: LoadedServer = {
    elapsedSeconds: () => 0,
    measure: async () => [
      { ...sample, audioSeconds: 2, endedAtMs: 150 },
      { ...sample, audioSeconds: 3, endedAtMs: 200 },
      { ...sample, audioSeconds: 5, endedAtMs: 200 },
    ],
  }
  const { cold } = await coldPathOf({ warm })
  expect(cold).toMatchObject({ afterIdleMs: 300, steadyAnswerMs: 200 })
})

describe('a measurement that is interrupted', () => {
  const unseen = { twoWhileLoadingMs: null, untilSteadyMs: null, untilSteadyReason: 'interrupted' }

  test('in the idle time ends at once, starts no service and reports no figure', async () => {
    const warm: LoadedServer = { elapsedSeconds: () => 0, measure: async () => [] }
    expect(await coldPathOf({ warm, fresh: serverOf([200]), stoppedIn: 'idle time' })).toEqual({
      started: 0,
      cold: {
        startMs: null,
        firstAnswerMs: null,
        steadyAnswerMs: null,
        afterIdleMs: null,
        idleSeconds: null,
        ...unseen,
      },
    })
  })

  test('at the first answers of a fresh service keeps them, and starts no second one', async () => {
    const found = await coldPathOf({ fresh: serverOf([900, 400, 200]), stoppedIn: 'fresh service' })
    expect(found).toMatchObject({ started: 1, cold: { startMs: 600, firstAnswerMs: 900, ...unseen } })
  })
})

describe('the way of a cold service to its steady speed', () => {
  test('is looked at for as long as it takes to see it, also where there is little time', async () => {
    const { cold } = await coldPathOf({ fresh: serverOf([900, 400, 200]) })
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
    const { cold } = await coldPathOf({ fresh: serverOf([900, 400, 200]), budgetSeconds: 12 })
    expect(cold.untilSteadyMs).toBeNull()
    expect(cold.untilSteadyReason).toBe('2 answers in 1 s, and it takes 10; more time: --budget')
  })

  test('cannot be seen of a server that ran already', async () => {
    const { cold } = await coldPathOf({})
    expect(cold).toMatchObject({ startMs: null, untilSteadyMs: null, untilSteadyReason: 'it ran already' })
  })
})
