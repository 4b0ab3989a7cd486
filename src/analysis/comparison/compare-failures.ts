import type { Bounds } from '#statistics/bounds'
import { pairedShareDifference } from '#statistics/intervals'
import { signTest } from '#statistics/tests/paired-tests'
import type { FailureComparison } from '../documents/contender-comparison.ts'
import { hasOutcome } from '../requests/request-times.ts'
import type { ScoredContender } from '../requests/scored-contender.ts'
import { type Draft, unjudged } from './verdicts.ts'

/** Whether each request of an utterance failed, in the order of the plan, without unsent requests. */
export type OutcomesById = ReadonlyMap<string, readonly boolean[]>

export function outcomesById({ requests }: Pick<ScoredContender, 'requests'>): OutcomesById {
  const byId = new Map<string, boolean[]>()
  for (const { resolved } of requests) {
    if (!hasOutcome(resolved)) continue
    const { id } = resolved.utterance
    const failures = byId.get(id) ?? []
    byId.set(id, failures)
    failures.push(resolved.status === 'failed')
  }
  return byId
}

function pooledOutcomes(runs: readonly OutcomesOfRun[]): OutcomesById {
  const [first, ...others] = runs.map(({ outcomes }) => outcomes)
  if (others.length === 0) return first ?? new Map()
  const pooled = new Map<string, readonly boolean[]>(first)
  for (const outcomes of others)
    for (const [id, failures] of outcomes) pooled.set(id, [...(pooled.get(id) ?? []), ...failures])
  return pooled
}

/** The outcomes of one contender of one run. */
export interface OutcomesOfRun {
  readonly outcomes: OutcomesById
}

/**
 * Compares the failures of two sides, paired: the n-th request of an utterance on one side with the n-th on the
 * other. A request that fails on both sides, as for a damaged recording, does not count. The verdict is that of the
 * exact McNemar test without a margin, so that any certain increase counts.
 *
 * @param matching utterances to compare
 * @see McNemar 1947, doi:10.1007/BF02295996; Newcombe 1998 for the interval
 */
export function draftFailures(
  base: readonly OutcomesOfRun[],
  run: readonly OutcomesOfRun[],
  matching: ReadonlySet<string>,
): Draft<FailureComparison> {
  const [ofBase, ofRun] = [pooledOutcomes(base), pooledOutcomes(run)]
  const counts = pairedCounts(ofBase, ofRun, matching)
  const { both, onlyBase, onlyRun, neither } = counts
  const pairedCount = both + onlyBase + onlyRun + neither
  const pValue = signTest(onlyBase, onlyRun)
  /** Extends the interval to 0 where the exact test does not exclude 0. */
  const intervalAt = (confidence: number): Bounds | null => {
    const found = pairedShareDifference(counts, confidence)
    if (found === null) return null
    if (onlyBase + onlyRun === 0) return { low: 0, high: 0 }
    const { low, high } = found
    return pValue <= 1 - confidence ? { low, high } : { low: Math.min(0, low), high: Math.max(0, high) }
  }
  const [baseCounts, runCounts] = [countOutcomes(ofBase), countOutcomes(ofRun)]
  const difference = pairedCount === 0 ? null : (onlyRun - onlyBase) / pairedCount
  const interval = intervalAt(confidence)
  const row: FailureComparison = {
    base: baseCounts.failed,
    run: runCounts.failed,
    baseRequests: baseCounts.requests,
    runRequests: runCounts.requests,
    pairedCount,
    onlyBase,
    onlyRun,
    difference,
    interval: interval === null ? null : { ...interval, confidence, method: 'paired-shares' },
    margin: 0,
    ...unjudged,
  }
  if (difference === null || both + onlyBase + onlyRun === 0) return { row, claim: null }
  const canDecideAt = (at: number): boolean => pValue <= 1 - at
  const measured = { estimate: difference, count: pairedCount }
  return { row, claim: { better: 'lower', margin: 0, intervalAt, canDecideAt, ...measured } }
}

const confidence = 0.95

function pairedCounts(base: OutcomesById, run: OutcomesById, matching: ReadonlySet<string>) {
  const counts = { both: 0, onlyBase: 0, onlyRun: 0, neither: 0 }
  for (const id of matching) {
    const [baseFailures, runFailures] = [base.get(id) ?? [], run.get(id) ?? []]
    for (let nth = 0; nth < Math.min(baseFailures.length, runFailures.length); nth += 1) {
      const [before, after] = [baseFailures[nth], runFailures[nth]]
      counts[before ? (after ? 'both' : 'onlyBase') : after ? 'onlyRun' : 'neither'] += 1
    }
  }
  return counts
}

function countOutcomes(outcomes: OutcomesById) {
  const all = [...outcomes.values()].flat()
  return { failed: all.filter((isFailed) => isFailed).length, requests: all.length }
}
