import { expect, test } from 'vitest'
import type { ModelEntry } from '#contract/resources'
import { billPlan, cappedSender, checkRest, isBilled, type Priced } from '#run/execute/billing'
import { unreadiness } from '#run/execute/readiness'
import type { Sender } from '#run/execute/senders'
import { anAttempt } from '../journal/a-run.ts'
import { virtualClock } from '../load/virtual-clock.ts'
import { aRequest, refused } from './carried-out.ts'

function entry(id: string, provider: string): ModelEntry {
  return { id, kind: 'voice', provider, displayName: id, installed: true, size_mb: null }
}

const models = [entry('whisper-1', 'local'), entry('whisper-1', 'openai'), entry('tiny', 'local')]

function contender(engine: string, model: string, usdPerMinute: number | null = null): Priced {
  return { id: `${engine}:${model}`, engine, model, usdPerMinute }
}

test('a cloud model and a local one of the same id are distinguished by the engine', () => {
  expect(isBilled(contender('openai', 'whisper-1'), models)).toBe(true)
  expect(isBilled(contender('cloud', 'whisper-1'), models)).toBe(true)
  expect(isBilled(contender('engine_a', 'whisper-1'), models)).toBe(false)
  const providers = [{ id: 'openai', key_present: false, reachable: true, status: 'unknown' }]
  expect(unreadiness(contender('openai', 'whisper-1'), models, providers)).toBe('keyMissing')
  expect(unreadiness(contender('engine_a', 'whisper-1'), models, providers)).toBeNull()
  // A service that lists nothing of a provider until it has the key.
  expect(unreadiness(contender('openai', 'whisper-1'), [], providers)).toBe('keyMissing')
  expect(unreadiness(contender('engine_a', 'whisper-1'), [], providers)).toBe('notListed')
  const refusing = [{ id: 'openai', key_present: true, reachable: true, status: 'unauthorized' }]
  expect(unreadiness(contender('openai', 'whisper-1'), models, refusing)).toBe('keyRefused')
})

test('a price in the config decides who is billed', () => {
  expect(isBilled(contender('openai', 'whisper-1', 0), models)).toBe(false)
  expect(isBilled(contender('engine_a', 'tiny', 0.001), models)).toBe(true)
})

test('a plan over the cap is refused with what each contender would cost', () => {
  const billed = [contender('openai', 'whisper-1', 0.006)]
  const requests = Array.from({ length: 10 }, () => aRequest('openai:whisper-1', 'u'))
  const seconds = new Map([['u', 90]])
  expect(billPlan(billed, requests, seconds, 15)).toEqual([
    { contenderId: 'openai:whisper-1', minutes: 15, usd: 0.09 },
  ])
  const problems = [{ where: 'openai:whisper-1', what: '15.0 minutes, about 0.09 USD' }]
  expect(() => billPlan(billed, requests, seconds, 14.9)).toThrow(
    expect.objectContaining({ code: 'BILLED_MINUTES_EXCEEDED', problems }),
  )
  expect(() => billPlan(billed, requests, seconds, 14.999)).toThrow('would send 15.0 minutes')
  expect(() => billPlan(billed, requests, new Map([['u', 90.018]]), 15)).toThrow('would send 15.003 minutes')
})

test('no more audio than the cap allows is sent, repeats included; contenders that are free go on', async () => {
  const sent: string[] = []
  const sender: Sender = {
    baseUrl: '',
    audioSeconds: () => 30,
    modeId: () => null,
    isAlive: async () => true,
    async send({ contenderId }) {
      sent.push(contenderId)
      const times = { sentAtMs: 0, firstByteAtMs: null, endedAtMs: 0 }
      return { outcome: { ok: false, failure: { kind: 'dropped' } }, times, bodyBytes: 1, transport: 'path' }
    },
  }
  const cap = { billedIds: new Set(['cloud']), maxMinutes: 1, sentSeconds: 0, clock: virtualClock() }
  const capped = cappedSender(sender, cap)
  const call = { timeoutMs: 1, signal: new AbortController().signal }
  for (const id of ['cloud', 'local', 'cloud', 'cloud', 'local']) {
    const { outcome } = await capped.send(aRequest(id, 'u'), call)
    if (!outcome.ok && outcome.failure.kind === 'unsendable') sent.push('refused')
  }
  expect(sent).toEqual(['cloud', 'local', 'cloud', 'refused', 'local'])
})

test('a resumed run is refused where its cap does not cover what a rate limit has held back', () => {
  const requests = [0, 1].map((index) => ({ ...aRequest('cloud', 'u'), index }))
  const bills = [{ contenderId: 'cloud', minutes: 3, usd: null }]
  const outcome = { ok: false, failure: refused('RATE_LIMITED') } as const
  const run = { attempts: [{ ...anAttempt, contenderId: 'cloud', utteranceId: 'u', outcome }], reused: [] }
  const check = (waitedOutIds: ReadonlySet<string>) => () =>
    checkRest({ requests, bills }, run, new Map([['u', 90]]), { maxMinutes: 2, waitedOutIds, resume: '' })
  expect(check(new Set(['cloud']))).toThrow('has 3.0: 3.0 in all')
  expect(check(new Set())).not.toThrow()
})
