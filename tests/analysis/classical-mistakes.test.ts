import { describe, expect, test } from 'vitest'
import { evaluateRun } from '#analysis/evaluate-run'
import type { RunMaterial } from '#analysis/requests/resolved-run'
import type { AttemptLine } from '#journal/attempt-line'
import type { LoadShape } from '#load/loads/registry'
import { findingIn, measuredRun, spokenUtterances, warmedUp } from './measured-run.ts'

const utterances = spokenUtterances(8, 'a b')

describe('a server that keeps answers by content', () => {
  /** What a repeat takes of the first time. */
  const repeating = (share: number, rounds = 3) =>
    measuredRun({
      utterances,
      rounds,
      fate: () => 'a b',
      durationMs: ({ round, utterance }) => (round === 1 ? 1 : share) * (100 + Number(utterance.id.slice(1))),
    })

  test('is suspected where repeats are much faster than what was new', () => {
    expect(findingIn(repeating(0.1), 'REPEATS_FASTER')?.message).toContain(
      'in 10% of the time of the first answer (median of 8 utterances)',
    )
  })

  test('is not suspected where nothing was sent twice or all that was sent was known', () => {
    expect(findingIn(repeating(0.1, 1), 'REPEATS_FASTER')).toBeUndefined()
    const warm = warmedUp(repeating(0.1), { sentAtMs: -200, endedAtMs: -100 })
    expect(findingIn(warm, 'REPEATS_FASTER')?.message).toContain('median of 7 utterances')
  })

  test('is not reported from a queue under an open load', () => {
    const run = repeating(0.1)
    const load: LoadShape = { kind: 'poisson', rate: { requestsPerSecond: 1 }, forSeconds: null }
    expect(findingIn({ ...run, record: { ...run.record, load } }, 'REPEATS_FASTER')).toBeUndefined()
  })
})

describe('a promise about latency', () => {
  const run = measuredRun({ utterances, rounds: 10, fate: () => 'a b' })
  const asking = (thresholds: readonly string[], load: LoadShape = run.record.load): RunMaterial => ({
    ...run,
    record: { ...run.record, load, config: { thresholds } },
  })

  test('that is held to a closed load gets the remark that users would wait longer', () => {
    const found = findingIn(asking(['latency.p95 <= 2s', 'wer <= 8%']), 'CLOSED_LOAD_OBJECTIVE')
    expect(found?.message).toContain('"latency.p95 <= 2s" was checked under')
    const both = findingIn(asking(['latency.p95 <= 2s', 'latency.p99 <= 3s']), 'CLOSED_LOAD_OBJECTIVE')
    expect(both?.message).toContain('"latency.p95 <= 2s" and "latency.p99 <= 3s" were checked under')
    expect(found?.severity).toBe('note')
    expect(found?.advice).toContain('--users')
    expect(findingIn(asking(['wer <= 8%']), 'CLOSED_LOAD_OBJECTIVE')).toBeUndefined()
  })

  test('that is held to an open one is not', () => {
    const load: LoadShape = { kind: 'poisson', rate: { requestsPerSecond: 1 }, forSeconds: null }
    expect(findingIn(asking(['latency.p95 <= 2s'], load), 'CLOSED_LOAD_OBJECTIVE')).toBeUndefined()
  })
})

test('the slowest answers of a run stay in its percentiles', () => {
  const many = spokenUtterances(50, 'a b')
  const run = measuredRun({
    utterances: many,
    rounds: 10,
    fate: () => 'a b',
    // One request in fifty, as wild as a request can be.
    durationMs: ({ utterance }) => (utterance.id === 'u7' ? 60_000 : 100),
  })
  const { contenders } = evaluateRun(run)
  expect(contenders[0]?.latencyMs).toMatchObject({ p50: { value: 100 }, p99: { value: 60_000 } })
  expect(contenders[0]?.latencyMs.sampleCount).toBe(500)
})

test('a machine on its battery is reported, and one that does not say so is not', () => {
  const run = measuredRun({ utterances, fate: () => 'a b' })
  const on = (power: 'mains' | 'battery' | null) =>
    findingIn({ ...run, record: { ...run.record, host: { ...run.record.host, power } } }, 'ON_BATTERY')
  expect(on('battery')?.severity).toBe('warning')
  expect([on('mains'), on(null)]).toEqual([undefined, undefined])
})

describe('an editor that did not edit', () => {
  const run = measuredRun({ utterances, fate: () => 'a b' })
  const edited = (isPostProcessed: (index: number) => boolean): RunMaterial => ({
    ...run,
    attempts: run.attempts.map(
      (attempt): AttemptLine =>
        attempt.outcome.ok
          ? {
              ...attempt,
              outcome: {
                ok: true,
                answer: { ...attempt.outcome.answer, isPostProcessed: isPostProcessed(attempt.index) },
              },
            }
          : attempt,
    ),
  })

  test('anything makes the run invalid, for its errors are those of what was sent', () => {
    const nothing = edited(() => false)
    expect(evaluateRun(nothing).validity).toBe('invalid')
    expect(findingIn(nothing, 'NOTHING_EDITED')?.message).toContain('none of 8 texts')
  })

  test('some texts is reported, and one that edited all is not', () => {
    const some = edited((index) => index > 1)
    expect(findingIn(some, 'EDITS_MISSING')?.message).toContain('2 of 8 texts')
    expect(evaluateRun(edited(() => true)).findings.map(({ code }) => code)).not.toContain('EDITS_MISSING')
    expect(findingIn(run, 'NOTHING_EDITED')).toBeUndefined()
    const [first, ...sent] = edited((index) => index > 1).attempts
    if (first === undefined) throw new TypeError('the run has no attempt')
    const reused = {
      ...{ kind: 'reused', index: 0, contenderId: 'tiny', utteranceId: first.utteranceId },
      ...{ run: 'earlier', runIndex: 0, answeredAt: '2026-11-20T07:00:00.000Z' },
      outcome: first.outcome,
    } as const
    expect(findingIn({ ...run, attempts: sent, reused: [reused] }, 'EDITS_MISSING')?.message).toContain(
      '2 of 8 texts',
    )
  })
})
