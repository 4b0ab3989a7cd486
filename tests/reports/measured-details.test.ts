import { expect, test } from 'vitest'
import { evaluateRun } from '#analysis/evaluate-run'
import type { RunMaterial } from '#analysis/requests/resolved-run'
import type { Terminal } from '#reports/layout/terminal'
import { summaryCsv } from '#reports/run/summary-document'
import { evaluatedRun, measuredRun, spokenUtterances, warmedUp } from '../analysis/measured-run.ts'
import { summaryOf, tableOf } from './measured.ts'

const terminal: Terminal = { width: 80, color: false, unicode: true }
const utterances = spokenUtterances(6, 'yes')
const plain = measuredRun({ utterances, fate: () => 'yes' })

/** With phases of 10, 0, 20, 60 and 10 ms, and a price. */
const timed: RunMaterial = {
  ...plain,
  record: {
    ...plain.record,
    contenders: plain.record.contenders.map((contender) => ({
      ...contender,
      usdPerMinute: 0.006,
      priceSource: 'https://example.com/pricing',
      priceDate: '2026-11-21',
    })),
  },
  attempts: plain.attempts.map((attempt) => ({
    ...attempt,
    bodyBytes: 2_000_000,
    firstByteAtMs: attempt.sentAtMs + 90,
    socket: { startedAtMs: attempt.sentAtMs + 10, connectMs: 0, uploadedAtMs: attempt.sentAtMs + 30 },
  })),
}

test('the phases of requests are a table, with nothing for what did not occur', () => {
  expect(tableOf(evaluateRun(timed), 'phases', terminal)).toBe(`  Where the time of a request went
  phase                                        requests    p50  p95
  waiting for a socket                                6  10 ms    –
  connecting                                          0      –    –
  sending the body and waiting for the answer         6  80 ms    –
  downloading                                         6  10 ms    –`)
  expect(tableOf(evaluateRun(plain), 'phases')).toBe('')
})

test('the instrument reports its own error under every load, and – for what was not recorded', () => {
  const text = tableOf(evaluateRun(plain), 'instrument', terminal)
  expect(text).toMatch(/requests left late, p99 +0\.0 ms/)
  expect(text).toMatch(/other programs kept busy +–/)
  expect(text).toMatch(/in flight: tiny +1\.00 requests/)
})

test('the cold start is in a separate table, and what is not known of it is said', () => {
  const often = measuredRun({ utterances, rounds: 4, fate: () => 'yes' })
  const cold = (run: RunMaterial): string => tableOf(evaluateRun(run), 'cold', terminal)
  expect(
    cold(warmedUp(often, { sentAtMs: -1500, endedAtMs: -500 })),
  ).toBe(`  Cold start, which is in no other figure
  tiny was warmed up by 1 request: whether its latencies had settled is not
  known, because too few answers can be compared.
  loading  first answer  steady after
   0.0 ms        1.00 s        1.00 s`)
  const short = cold(warmedUp(plain, { sentAtMs: -1500, endedAtMs: -500 }))
  expect(short).toContain('needs 3 answers to each utterance')
  expect(cold(plain)).toBe('')
})

test('under every load the summary says how exact the instrument was, and what percentiles exclude', () => {
  const shown = (concurrency: number) =>
    summaryOf(evaluatedRun({ utterances, rounds: 8, concurrency, fate: () => 'yes' }), terminal)
  expect(shown(1)).toMatch(/instrument +send lag p99 0\.0 ms · load\s+kept within 0\.0%/)
  expect(shown(1)).not.toContain('percentiles exclude')
  expect(shown(2)).toMatch(/percentiles exclude 16 answers of the ramp and 16 of the drain,\s+of 48/)
  // Two windows' worth of answers in blocks of six that are too short for one.
  expect(shown(2)).toMatch(/speed\s+needs 144 more answered requests/)
})

test('money is shown where a price is known, and nowhere else', () => {
  const priced = evaluateRun(timed)
  const summary = summaryOf(priced, terminal)
  expect(summary).toContain('USD/h')
  expect(summary).toContain('0.36')
  expect(summary).toContain('0.0012 USD spent')
  expect(summaryCsv(priced)).toContain('usd_per_audio_hour')
  expect(summaryOf(evaluateRun(plain), terminal)).not.toContain('USD')
})

test('words are given for each round only where every round was answered', () => {
  const utterances = ['one', 'two', 'three', 'four'].map((id) => ({ id, reference: 'a b' }))
  const after = (rounds: number): string =>
    summaryOf(
      evaluatedRun({ utterances, rounds: 2, fate: ({ round }) => (round <= rounds ? 'a b' : null) }),
      terminal,
    )
  expect(after(2)).toContain('8 words × 2 rounds')
  expect(after(1)).toContain('8 words ·')
})

test('latency percentiles are given by length, not only over mixed lengths, with what other lengths are expected to take', () => {
  const seconds = [1, 1.5, 1.5, 3, 4, 4, 7, 7, 9, 9]
  const spoken = seconds.map((each, index) => ({ id: `u${index}`, reference: 'yes', seconds: each }))
  const ofRounds = (rounds: number) =>
    evaluatedRun({
      utterances: spoken,
      rounds,
      fate: () => 'yes',
      durationMs: ({ utterance }) => 200 + 100 * (utterance.seconds ?? 0),
    })
  const few = ofRounds(4)
  expect(summaryOf(few, terminal)).toContain('p50 by length  0-2 s 350 ms · 2-5 s 600 ms · 5-10 s 1.00 s')
  expect(tableOf(few, 'lengths', terminal)).toBe(`  Latency by length of the audio
  audio   utterances  requests     p50  p95
  0-2 s            3        12  350 ms    –
  2-5 s            3        12  600 ms    –
  5-10 s           4        16  1.00 s    –`)
  const expected = tableOf(few, 'predictions', terminal)
  expect(expected).toContain(
    '200 ms (200 ms – 200 ms) and 100 ms (100 ms – 100 ms) for every second\n  of audio.',
  )
  expect(expected).toMatch(/\n +2\.0 s +400 ms +400 ms – 400 ms +–\n/)
  expect(expected).toMatch(/\n +~ 1 min +6\.20 s +6\.20 s – 6\.20 s +–$/)
  // From 72 requests on it is known how far they lie above the line.
  expect(tableOf(ofRounds(8), 'predictions', terminal)).toMatch(
    /\n +2\.0 s +400 ms +400 ms – 400 ms +400 ms\n/,
  )
  const busy = { ...few, speeds: { ...few.speeds, withheld: 'other programs kept 2.0 of 2 processors busy' } }
  expect(tableOf(busy, 'lengths', terminal)).toMatch(/ 12 +~350 ms +–\n/)
  expect(tableOf(busy, 'predictions', terminal)).toMatch(/\n +2\.0 s +~400 ms +400 ms – 400 ms +–\n/)
  expect([tableOf(evaluateRun(plain), 'lengths'), tableOf(evaluateRun(plain), 'predictions')]).toEqual([
    '',
    '',
  ])
  expect(summaryOf(evaluateRun(plain), terminal)).not.toContain('by length')
})
