import { failureHints, failureText } from '../../figures/failure-groups.ts'
import type { RunFinding } from '../run-facts.ts'

export const requestsFailed = {
  code: 'REQUESTS_FAILED',
  severity: 'warning',
  meaning:
    'Some requests failed. They are counted and named, never scored as if the engine had heard silence, and they ' +
    'are not among the latencies. The rate with failures as empty transcripts shows what they would cost.',
  detect: ({ contenders }) =>
    contenders
      .filter(({ counts }) => counts.failed > 0)
      .map(({ contender: { id }, counts: { failed, planned }, failures }) => ({
        message: `${failed} of ${planned} requests to ${id} failed (counted, not scored): ${failures.map(failureText).join('; ')}`,
        advice: [...failureHints(failures), 'which ones: column failure of utterances.csv'].join('; '),
      })),
} satisfies RunFinding
