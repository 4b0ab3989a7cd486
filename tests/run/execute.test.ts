import { describe, expect, test } from 'vitest'
import type { AttemptLine } from '#journal/attempt-line'
import { closedSchedule } from '#load/loads/closed'
import { poissonSchedule } from '#load/loads/steady'
import { executePlan } from '#run/execute/execute'
import type { ExecuteInput } from '#run/execute/lane'
import type { SendCall, Sender, Sent } from '#run/execute/senders'
import { planRequests } from '#run/plan/order'
import { virtualClock } from '../load/virtual-clock.ts'
import { answer } from './carried-out.ts'

/** A plan of one contender over ten utterances, and a server that answers. */
function rig(change: Partial<ExecuteInput> = {}) {
  const utteranceIds = Array.from({ length: 10 }, (_, index) => `u${index}`)
  const requests = planRequests({
    contenderIds: ['mine'],
    utterances: utteranceIds.map((id) => ({ id, audioSeconds: 10 })),
    schedule: closedSchedule(1),
    wantedSeconds: null,
    rounds: 1,
    warmupRequests: 2,
    seed: 1,
  })
  const lines: AttemptLine[] = []
  const calls: SendCall[] = []
  const sender: Sender = {
    baseUrl: 'http://127.0.0.1:1',
    audioSeconds: () => 10,
    modeId: () => 'id',
    isAlive: async () => true,
    async send(_, call): Promise<Sent> {
      calls.push(call)
      return {
        outcome: { ok: true, value: answer },
        times: { sentAtMs: 5, firstByteAtMs: 6, endedAtMs: 7 },
        bodyBytes: 1,
        transport: 'path',
      }
    },
  }
  const input: ExecuteInput = {
    requests,
    sender,
    writer: { appendAttempt: async (line) => void lines.push(line) },
    scheduleOf: () => closedSchedule(1),
    clock: virtualClock(),
    startedAtMs: 0,
    earlier: [],
    segment: 0,
    retries: { codes: [], most: 2, backOffSeconds: 1, budget: 0.1 },
    seed: 1,
    resume: 'transcribench run --resume this',
    doctor: 'transcribench doctor this',
    requestTimeoutSeconds: null,
    stop: new AbortController().signal,
    drop: new AbortController().signal,
    onEvent: () => undefined,
    ...change,
  }
  return { input, lines, calls }
}

describe('a plan that is carried out', () => {
  test('sends a random load whose turns are partly empty, each at the moments of its plan', async () => {
    const schedule = poissonSchedule({ perSecond: 0.5, forSeconds: 2, seed: 1 })
    const requests = planRequests({
      contenderIds: ['mine', 'theirs'],
      utterances: [{ id: 'u0', audioSeconds: 1 }],
      wantedSeconds: null,
      schedule,
      rounds: 20,
      warmupRequests: 1,
      seed: 1,
    })
    const clock = virtualClock()
    const { input, lines } = rig({ requests, scheduleOf: () => schedule, clock })
    const executed = executePlan(input)
    await clock.runUntilIdle()
    const { counts } = await executed
    expect(counts).toMatchObject({ answered: counts.planned })
    expect(lines).toHaveLength(requests.length)
  })

  test('counts a request that the client sent twice from when it would have been due for the second time', async () => {
    const { input, lines } = rig()
    const resent = { reasons: ['closedConnection'], forMs: 4 } as const
    const send: Sender['send'] = async (...call) => ({ ...(await input.sender.send(...call)), resent })
    await executePlan({ ...input, sender: { ...input.sender, send } })
    expect(lines[0]).toMatchObject({ dueAtMs: 4, sentAtMs: 5, resentFor: ['closedConnection'], resentMs: 4 })
  })

  test('ends at the first attempt that cannot be written down, and counts it as not sent', async () => {
    const { input, calls } = rig()
    const full = new Error('the disk is full')
    let written = 0
    const appendAttempt = async (): Promise<void> => {
      written += 1
      if (written > 3) throw full
    }
    await expect(executePlan({ ...input, writer: { appendAttempt } })).rejects.toBe(full)
    expect(calls).toHaveLength(4)
  })

  test('checks a busy server once for all requests that time out together, so that it gets no busier', async () => {
    const { input } = rig({ scheduleOf: () => closedSchedule(10) })
    const failure = { kind: 'timedOut', afterMs: 1000, during: 'waiting' } as const
    let checkCount = 0
    const sender: Sender = {
      ...input.sender,
      async isAlive() {
        checkCount += 1
        await new Promise((resolve) => setImmediate(resolve))
        return true
      },
      send: async (...call) => ({ ...(await input.sender.send(...call)), outcome: { ok: false, failure } }),
    }
    const requests = input.requests.filter(({ phase }) => phase === 'measure')
    const { counts } = await executePlan({ ...input, requests, sender })
    expect(counts).toMatchObject({ failed: 10 })
    expect(checkCount).toBe(1)
  })

  test('waits 60 s and twice the audio for an answer, or as long as its setting says', async () => {
    const standard = rig()
    await executePlan(standard.input)
    expect(new Set(standard.calls.map(({ timeoutMs }) => timeoutMs))).toEqual(new Set([80_000]))
    const limited = rig({ requestTimeoutSeconds: 1.5 })
    await executePlan(limited.input)
    expect(new Set(limited.calls.map(({ timeoutMs }) => timeoutMs))).toEqual(new Set([1500]))
  })
})
