import { type Comparison, comparisonFormatVersion } from '../documents/comparison.ts'
import type { ContenderComparison, Judgement, SpeedMetric } from '../documents/contender-comparison.ts'
import { type Claim, type Settled, settle } from '../figures/ranking/ranking.ts'
import type { ComparedRun, ComparisonFacts } from '../findings/comparison.ts'
import { detectFindings } from '../findings/finding-definition.ts'
import { comparisonFindings } from '../findings/registry.ts'
import type { TranscriptScorer } from '../requests/transcript-scorer.ts'
import { hiddenSettings, listConditions } from './conditions.ts'
import { listIds, type UtteranceMatch } from './match-utterances.ts'
import { adjustedTogether, type ContenderDraft, type Draft, unjudged } from './significance.ts'

export interface ComparisonParts extends Pick<ComparisonFacts, 'withheld' | 'hostSpeed' | 'corrections'> {
  readonly scorer: TranscriptScorer
  readonly scoring: Comparison['scoring']
  readonly seed: number
  readonly match: UtteranceMatch
  readonly settled: AdjustedComparisons
  readonly ranking: Comparison['ranking']
}

/** Puts a comparison together from its parts. */
export function comparisonDocument(
  base: readonly ComparedRun[],
  run: readonly ComparedRun[],
  parts: ComparisonParts,
): Comparison {
  const { scorer, scoring, seed, match, settled, withheld, hostSpeed, corrections, ranking } = parts
  const { contenders, comparisonCount } = settled
  const [left, right] = [findLatest(base), findLatest(run)]
  const pairedIds = {
    base: new Set(contenders.map(({ baseContenderId }) => baseContenderId)),
    run: new Set(contenders.map(({ runContenderId }) => runContenderId)),
  }
  const conditions = listConditions(takeRecords(base), takeRecords(run), {
    base: left.record.contenders.filter(({ id }) => pairedIds.base.has(id)),
    run: right.record.contenders.filter(({ id }) => pairedIds.run.has(id)),
  })
  const unpairedOf = (side: 'base' | 'run', { record }: ComparedRun): Comparison['unpairedContenders'] =>
    record.contenders.filter(({ id }) => !pairedIds[side].has(id)).map(({ id }) => ({ side, id }))
  return {
    formatVersion: comparisonFormatVersion,
    base: comparedSide(base),
    run: comparedSide(run),
    profile: scorer.profile,
    scoring,
    seed,
    conditions,
    findings: detectFindings(comparisonFindings, {
      base,
      run,
      contenders,
      comparisonCount,
      conditions,
      hiddenSettings: hiddenSettings(takeRecords(base), takeRecords(run)),
      withheld,
      hostSpeed,
      leftOutIds: listIds([...match.differentAudio, ...match.differentReference]),
      corrections,
    }),
    family: { confidence: familyConfidence, comparisonCount },
    contenders,
    ranking,
    unpairedContenders: [...unpairedOf('base', left), ...unpairedOf('run', right)],
  }
}

function takeRecords(side: readonly ComparedRun[]): ComparedRun['record'][] {
  return side.map(({ record }) => record)
}

/** The run whose contenders represent the side. */
function findLatest(side: readonly ComparedRun[]): ComparedRun {
  const latest = side.at(-1)
  if (latest === undefined) throw new RangeError('a side of a comparison needs a run')
  return latest
}

function comparedSide(side: readonly ComparedRun[]): Comparison['base'] {
  const runs = side.map(({ rated: { run, validity } }) => ({
    id: run.id,
    startedAt: run.startedAt,
    validity,
  }))
  const [first] = runs
  if (first === undefined) throw new RangeError('a side of a comparison needs a run')
  const gravest = (['invalid', 'short'] as const).find((one) => runs.some(({ validity }) => validity === one))
  return { ...first, validity: gravest ?? 'valid', runs }
}

/** Speeds that an experiment goes on for. The rest of them are parts of these, or the same said otherwise. */
const askedSpeeds: readonly SpeedMetric[] = ['latency', 'latency.p95']

/** How far the question of an experiment is answered: what became better or worse in errors, failures, latency and its tail. */
export interface QuestionState {
  /** More runs may settle these. */
  readonly isOpen: boolean
  /** More runs will not: an error rate takes more utterances, and a clock that processor time contradicts stays so. */
  readonly isBeyondRuns: boolean
}

/**
 * @param asksThroughput whether the speed of the whole system is another question than the latency of a request, as it is with
 *   several in flight
 */
export function questionState(comparison: Comparison, asksThroughput: boolean): QuestionState {
  const states = comparison.contenders.map((contender) => contenderState(contender, asksThroughput))
  return {
    isOpen: states.some(({ isOpen }) => isOpen),
    isBeyondRuns: states.some(({ isBeyondRuns }) => isBeyondRuns),
  }
}

function contenderState(
  { rates: [leadingRate], speed, failures }: ContenderComparison,
  asksThroughput: boolean,
): QuestionState {
  const asked = speed.filter(
    ({ metric, reason }) =>
      // A figure that runs of this length do not have, none of them will have.
      reason === null && (askedSpeeds.includes(metric) || (metric === 'rtfx' && asksThroughput)),
  )
  const isUnsettled = ({ verdict }: Judgement): boolean => verdict === null || verdict === 'unresolved'
  const contradicted = asked.filter(({ verdict, note }) => verdict === 'unresolved' && note !== null)
  return {
    isOpen:
      failures.verdict === 'unresolved' ||
      asked.some((row) => isUnsettled(row) && !contradicted.includes(row)),
    isBeyondRuns: contradicted.length > 0 || leadingRate?.verdict === 'unresolved',
  }
}

/** Of all verdicts of a comparison together. */
const familyConfidence = 0.95

interface AdjustedComparisons {
  readonly contenders: readonly ContenderComparison[]
  /** Differences that the confidence was shared out among. */
  readonly comparisonCount: number
}

/** Gives every rate, speed and failure of every pair of contenders its verdict, all of them in one family. */
export function adjustVerdicts(drafts: readonly ContenderDraft[]): AdjustedComparisons {
  const claims = drafts
    .flatMap(({ rates, speed, failures }) => [...rates, ...speed, failures])
    .flatMap(({ claim }) => (claim === null ? [] : [claim]))
  const settled = new Map(settle(claims, familyConfidence).map((one, index) => [claims[index], one]))
  const judge = <Row extends Judgement>(draft: Draft<Row>): Row => judged(draft, settled)
  return {
    contenders: adjustedTogether(
      drafts.map(({ rates, speed, failures, rest }) => ({
        ...rest,
        rates: rates.map(judge),
        speed: speed.map(judge),
        failures: judge(failures),
      })),
    ),
    comparisonCount: claims.length,
  }
}

function judged<Row extends Judgement>(
  draft: Draft<Row>,
  settled: ReadonlyMap<Claim | undefined, Settled>,
): Row {
  const { row, claim, sample, contradiction } = draft
  const found = claim === null ? undefined : settled.get(claim)
  if (claim === null || found === undefined) return row
  const { verdict, confidence } = found
  const interval = claim.intervalAt(confidence)
  const judgedBy = interval === null ? null : { ...interval, confidence }
  const direction = verdict === 'unresolved' ? judgeDirection(claim, confidence) : null
  const claimed = verdict === 'better' || verdict === 'worse' ? verdict : direction
  const note = claimed === null ? null : (contradiction?.(claimed) ?? null)
  if (note !== null) return { ...row, ...unjudged, verdict: 'unresolved', judgedBy, note }
  const isOpen = verdict === 'unresolved' && sample !== undefined && claim.canDecideAt(confidence)
  const moreNeeded = isOpen && interval !== null ? moreToSettle(sample, interval, claim.margin) : null
  return { ...row, verdict, judgedBy, direction, moreNeeded }
}

/** Which way a difference goes, whatever its size; null where the interval holds nothing. */
function judgeDirection(claim: Claim, confidence: number): Judgement['direction'] {
  const interval = claim.intervalAt(confidence)
  if (interval === null || !claim.canDecideAt(confidence)) return null
  const sign = claim.better === 'lower' ? 1 : -1
  if (interval.low > 0) return sign > 0 ? 'worse' : 'better'
  if (interval.high < 0) return sign > 0 ? 'better' : 'worse'
  return null
}

/** The estimate moves as well: with half as many more it is settled in most cases, not in every second. */
const forChance = 1.5
const mostNeeded = 1000

/**
 * How many more would make an interval so narrow that it no longer holds the nearer end of the margin; its width falls with
 * the root of their number.
 */
function moreToSettle(
  { estimate, count }: { readonly estimate: number; readonly count: number },
  { low, high }: { readonly low: number; readonly high: number },
  margin: number,
): number | null {
  const distance = Math.min(Math.abs(estimate - margin), Math.abs(estimate + margin))
  const needed = Math.ceil(count * forChance * ((high - low) / 2 / distance) ** 2)
  const more = Math.max(1, needed - count)
  return Number.isFinite(more) && more <= mostNeeded ? more : null
}
