import type { NoSpeechRule } from '#contract/failures'
import type { PlannedUtterance } from '#journal/plan-line'
import type { Bounds } from '#statistics/bounds'
import { pairedShareDifference } from '#statistics/intervals'
import { signTest } from '#statistics/tests/paired-tests'
import type { FailureComparison } from '../documents/contender-comparison.ts'
import type { AppliedCorrections } from '../documents/scoring-identity.ts'
import { rateRun } from '../evaluate-run.ts'
import { tallyUtterances, type UtteranceTallies } from '../figures/ranking/pooled-scores.ts'
import type { ComparedRun } from '../findings/comparison.ts'
import { hostBusyText } from '../findings/run/host.ts'
import { hasOutcome, type LatencySample } from '../requests/request-times.ts'
import type { RunMaterial } from '../requests/resolved-run.ts'
import type { ScoredContender } from '../requests/scored-contender.ts'
import { type Corrections, correctReferences, type TranscriptScorer } from '../requests/transcript-scorer.ts'
import type { ComparedFigures } from './run-speeds.ts'
import { type Draft, unjudged } from './verdicts.ts'
import { type UnscoredOutcomes, unscoredOutcomes } from './what-changed.ts'

/** One contender of a run, with its answers and latencies per utterance. */
interface ComparableContender {
  readonly id: string
  readonly evaluation: ComparedFigures
  readonly tallies: UtteranceTallies
  readonly unscored: UnscoredOutcomes
  readonly samples: readonly LatencySample[]
  readonly outcomes: OutcomesById
}

/**
 * The parts of a run that a comparison keeps: figures, and the answers per utterance. They are a tenth of the run's
 * size.
 */
export interface ComparableRun extends ComparedRun {
  readonly utterances: readonly PlannedUtterance[]
  readonly contenders: readonly ComparableContender[]
  /** Corrections of its references; null where none were requested. */
  readonly corrected: AppliedCorrections | null
}

/** Settings for scoring the runs of a comparison. */
export interface KeepSettings {
  readonly scorer: TranscriptScorer
  readonly seed: number
  readonly noSpeech: readonly NoSpeechRule[]
  readonly corrections: Corrections | null
}

export function keepRun(
  run: RunMaterial,
  { scorer, seed, noSpeech, corrections }: KeepSettings,
): ComparableRun {
  const { material, applied } = correctReferences(run, corrections)
  // No comparison shows the rates of single runs, so they need no intervals.
  const { record, scored, rated } = rateRun(material, scorer, { seed, noSpeech, replicates: 0 })
  const { run: identity, validity, findings, instrument, contenders } = rated
  return {
    record,
    utterances: material.utterances,
    rated: { run: identity, validity, findings, instrument, busy: hostBusyText(rated) },
    contenders: scored.map((contender) => {
      const { id } = contender.resolved.contender
      const evaluation = contenders.find((one) => one.contender.id === id)
      if (evaluation === undefined) throw new TypeError(`contender ${id} was scored and not evaluated`)
      const { latencyMs, systemSpeed, cpuSecondsPerAudioSecond } = evaluation
      return {
        id,
        evaluation: { latencyMs, systemSpeed, cpuSecondsPerAudioSecond },
        tallies: tallyUtterances(contender, scorer),
        unscored: unscoredOutcomes(contender),
        samples: contender.latencies,
        outcomes: outcomesById(contender),
      }
    }),
    corrected: applied,
  }
}

/** Whether each request of an utterance failed, in the order of the plan, without unsent requests. */
type OutcomesById = ReadonlyMap<string, readonly boolean[]>

function outcomesById({ requests }: Pick<ScoredContender, 'requests'>): OutcomesById {
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

/** The outcomes of one run. */
export type OutcomesOfRun = Pick<ComparableContender, 'outcomes'>

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
