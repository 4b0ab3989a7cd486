import { expect, test } from 'vitest'
import type { ContenderEvaluation } from '#analysis/documents/contender-evaluation'
import { evaluateRun } from '#analysis/evaluate-run'
import type { AttemptLine } from '#journal/attempt-line'
import type { RecordedContender } from '#journal/run-record'
import { measuredRun, only, spokenUtterances } from './measured-run.ts'

const utterances = spokenUtterances(6, 'yes')
const run = measuredRun({ utterances, fate: () => 'yes' })

/** The only contender, with the attempts changed. */
function evaluated(
  change: (attempt: AttemptLine, index: number) => AttemptLine,
  { warmup = [], ...price }: Partial<RecordedContender> & { readonly warmup?: readonly AttemptLine[] } = {},
): ContenderEvaluation {
  const contenders = run.record.contenders.map((contender) => ({ ...contender, ...price }))
  const requests = [
    ...run.requests,
    ...warmup.map(({ index, round, block, contenderId, utteranceId }) => ({
      ...({ kind: 'request', phase: 'warmup', send: null } as const),
      index,
      round,
      block,
      contenderId,
      utteranceId,
    })),
  ]
  const attempts = [...warmup, ...run.attempts.map(change)]
  return only(evaluateRun({ ...run, requests, attempts, record: { ...run.record, contenders } }).contenders)
}

const first = run.attempts[0] as AttemptLine
const unchanged = (attempt: AttemptLine): AttemptLine => attempt

test('the phases of a request add up to its service time', () => {
  const { phases } = evaluated((attempt, index) => ({
    ...attempt,
    bodyBytes: 2_000_000,
    firstByteAtMs: attempt.sentAtMs + 90,
    socket: {
      startedAtMs: attempt.sentAtMs + 10,
      connectMs: index < 4 ? 7 : 0,
      uploadedAtMs: attempt.sentAtMs + 30,
    },
  }))
  expect(phases.queueMs).toMatchObject({ sampleCount: 6, p50: { value: 3 } })
  expect(phases.connectMs).toMatchObject({ sampleCount: 4, p50: { value: null } })
  // The body may be in buffers of the operating system long after they have taken it.
  expect(phases.waitMs.p50.value).toBe(80)
  expect(phases.downloadMs.p50.value).toBe(10)
})

test('runs that recorded no phases have none', () => {
  expect(evaluated(unchanged).phases.waitMs).toMatchObject({ sampleCount: 0, p50: { value: null } })
})

test('loading a model is what the server says, else what the first request took beyond the usual', () => {
  const warm = (serverLoadMs: number | null): AttemptLine => ({
    ...first,
    ...({ index: 100, phase: 'warmup', round: 0, block: -1, sentAtMs: -900, endedAtMs: 0 } as const),
    outcome: {
      ok: true,
      answer: { ...(first.outcome.ok ? first.outcome.answer : ({} as never)), serverLoadMs },
    },
  })
  expect(evaluated(unchanged, { warmup: [warm(750)] }).modelLoadingMs).toEqual({ value: 750, from: 'server' })
  expect(evaluated(unchanged, { warmup: [warm(null)] }).modelLoadingMs).toEqual({
    value: 800,
    from: 'difference',
  })
  expect(evaluated(unchanged).modelLoadingMs.value).toBeNull()
})

test('a priced contender says what its audio cost, and an unpriced one does not cost 0', () => {
  expect(evaluated(unchanged).cost).toBeNull()
  const priced = { usdPerMinute: 0.006, priceSource: 'https://example.com/pricing', priceDate: '2026-11-21' }
  const { cost } = evaluated(unchanged, priced)
  expect(cost).toMatchObject({ audioSeconds: 12 })
  expect(cost?.usdPerAudioHour).toBeCloseTo(0.36)
  expect(cost?.usd).toBeCloseTo(0.0012)
})

test('a price without source and date makes no cost; what is free needs no source', () => {
  const { contenders, findings } = evaluateRun({
    ...run,
    record: {
      ...run.record,
      contenders: run.record.contenders.map((contender) => ({
        ...contender,
        usdPerMinute: 0.006,
        priceSource: 'hearsay',
      })),
    },
  })
  expect(contenders[0]?.cost).toBeNull()
  expect(findings).toContainEqual(expect.objectContaining({ code: 'PRICE_UNSOURCED', severity: 'note' }))
  expect(evaluated(unchanged, { usdPerMinute: 0 }).cost?.usd).toBe(0)
})
