import { expect, test } from 'vitest'
import type { Evaluation } from '#analysis/documents/evaluation'
import { parseThresholds } from '#analysis/metrics/threshold'
import { checkThresholds } from '#analysis/thresholds/check-thresholds'
import { runJunit } from '#reports/junit'
import { frozenEvaluation } from './measured.ts'

const evaluation = frozenEvaluation({ contenders: ['tiny', 'base'] })

test('a run as JUnit fails only where a threshold does', () => {
  const held = (limit: string): string =>
    runJunit(evaluation, checkThresholds(parseThresholds([limit]), { evaluation }))
  expect(held('latency.p50 <= 1ms')).toContain('<testsuites name="transcribench" tests="5" failures="2"')
  expect(held('latency.p50 <= 60s')).toContain('<testsuites name="transcribench" tests="5" failures="0"')
})

test('a contender that answered nothing, and a run that is not valid, are errors', () => {
  const [first] = evaluation.contenders
  if (first === undefined) throw new Error('no contender')
  const silent: Evaluation = {
    ...evaluation,
    findings: [{ code: 'GENERATOR_LATE', severity: 'invalid', message: 'left late <&>', advice: null }],
    contenders: [{ ...first, counts: { ...first.counts, answered: 0 } }],
  }
  const text = runJunit(silent, [])
  expect(text).toContain('errors="2"')
  expect(text).toContain('<error message="left late &lt;&amp;&gt;; scored with basic, score ')
})
