import { expect, test } from 'vitest'
import { evaluateRun, type RunMaterial } from '#analysis'
import { detailTables, renderSummary, summaryCsv, type Terminal } from '#reports'
import { measuredRun } from '../analysis/measured-run.ts'

const terminal: Terminal = { width: 80, color: false, unicode: true }
const utterances = Array.from({ length: 6 }, (_, index) => ({ id: `u${index}`, reference: 'yes' }))
const plain = measuredRun({ utterances, fate: () => 'yes' })

/** With phases of 10, 0, 20, 60 and 10 ms, and a price. */
const timed: RunMaterial = {
  ...plain,
  record: {
    ...plain.record,
    contenders: plain.record.contenders.map((contender) => ({ ...contender, usdPerMinute: 0.006 })),
  },
  attempts: plain.attempts.map((attempt) => ({
    ...attempt,
    bodyBytes: 2_000_000,
    firstByteAtMs: attempt.sentAtMs + 90,
    socket: { startedAtMs: attempt.sentAtMs + 10, connectMs: 0, uploadedAtMs: attempt.sentAtMs + 30 },
  })),
}

test('the phases of requests are a table, with the rate of uploading and nothing for what did not occur', () => {
  const [table] = detailTables(evaluateRun(timed), ['phases'])
  expect(table?.toTerminal(terminal)).toBe(`  Where the time of a request went
  tiny was sent 100.0 MB/s, over 6 requests of 1 MB and more.
  phase                   requests    p50  p95
  waiting for a socket           6  10 ms    –
  connecting                     0      –    –
  uploading                      6  20 ms    –
  waiting for the answer         6  60 ms    –
  downloading                    6  10 ms    –`)
  expect(detailTables(evaluateRun(plain), ['phases'])).toEqual([])
})

test('the instrument tells its own error under every load, and – for what was not recorded', () => {
  const [table] = detailTables(evaluateRun(plain), ['instrument'])
  const text = table?.toTerminal(terminal) ?? ''
  expect(text).toMatch(/requests left late, p99 +0\.0 ms/)
  expect(text).toMatch(/other programs kept busy +–/)
  expect(text).toMatch(/in flight: tiny +1\.00 requests/)
})

test('money is shown where a price is known, and nowhere else', () => {
  const priced = evaluateRun(timed)
  const summary = renderSummary(priced, { terminal, folder: null })
  expect(summary).toContain('USD/h')
  expect(summary).toContain('0.36')
  expect(summary).toContain('0.0012 USD spent')
  expect(summaryCsv(priced)).toContain('usd_per_audio_hour')
  expect(renderSummary(evaluateRun(plain), { terminal, folder: null })).not.toContain('USD')
})
