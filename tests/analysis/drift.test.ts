import { expect, test } from 'vitest'
import { evaluateRun } from '#analysis'
import { measuredRun } from './measured-run.ts'

const utterances = ['short', 'long', 'longer'].map((id) => ({ id, reference: 'yes' }))
const lengthMs: Readonly<Record<string, number>> = { short: 100, long: 400, longer: 900 }

/** Ten rounds; each takes so much longer than the one before. */
function codesOf(growth: number): readonly (readonly [string, string])[] {
  const run = measuredRun({
    utterances,
    rounds: 10,
    fate: () => 'yes',
    durationMs: ({ utterance, round }) =>
      (lengthMs[utterance.id] ?? 0) * growth ** (round + (round % 3) / 10),
  })
  return evaluateRun(run).findings.map(({ code, message }) => [code, message] as const)
}

test('a contender that slows down while it is measured is reported, with by how much', () => {
  const [drift] = codesOf(1.05).filter(([code]) => code === 'DRIFT_WITHIN_RUN')
  expect(drift?.[1]).toMatch(/^tiny became (5|6)\d% slower .*95% interval/)
  const [faster] = codesOf(0.95).filter(([code]) => code === 'DRIFT_WITHIN_RUN')
  expect(faster?.[1]).toContain('faster')
})

test('a steady contender is not, however different its utterances are', () => {
  for (const growth of [1, 1.005]) {
    expect(codesOf(growth).map(([code]) => code)).not.toContain('DRIFT_WITHIN_RUN')
  }
})
