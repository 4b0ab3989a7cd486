import { grouped, sumOf } from '#prelude'
import { countSpeakers } from '#rates/error-rate'
import { errorCount, referenceLength } from '#scoring/counts'
import { cautiousDeviation, detectableDifference, requiredPairs } from '#statistics/tests/required-runs'
import type { Evaluation } from '../../documents/evaluation.ts'
import { analysisErrors } from '../../errors.ts'
import type { Threshold } from '../../metrics/threshold.ts'
import type { RunMaterial } from '../../requests/resolved-run.ts'

/** Number of utterances that a run needs, from the variance of a pilot. */
export interface RequiredUtterances {
  /** Null where a million is not enough. */
  readonly utteranceCount: number | null
  /** The pair of contenders whose difference varies most. */
  readonly base: string
  readonly run: string
  /** Standard deviation of one utterance's rate difference: in the pilot, and for planning (`cautiousDeviation`). */
  readonly standardDeviation: number
  readonly plannedDeviation: number
  /** Design effect of the chosen corpus: variance with speakers as clusters / variance without; 1 where unknown. */
  readonly designEffect: number
  /** Correlation within speakers: in the pilot, and for planning, at most `maxCorrelation`. 0 where unknown. */
  readonly correlation: { readonly measured: number; readonly planned: number }
  readonly pilotUtteranceCount: number
}

/**
 * Max correlation within speakers, a decision and not an estimate. A pilot with two or three utterances per speaker
 * estimates it to ±0.2, and a design effect with hundreds of utterances per speaker multiplies that error.
 */
const maxCorrelation = 0.1

export interface ResolveOptions {
  /** The difference in error rate to detect, 0..1. */
  readonly difference: number
  readonly power?: number | undefined
  /** Numbers of utterances per speaker in the chosen corpus; empty where a speaker is unknown. */
  readonly speakerSizes: readonly number[]
}

const leastUtterances = 10
const maxUtterances = 1_000_000
/** Min degrees of freedom: fewer depend on a tail that the sample does not show. With five, n doubles. */
const leastDegrees = 5

/**
 * Plans the number of utterances from a pilot run. The difference of two error rates is a ratio of sums,
 * D = Σ d / Σ w. Its variance over n utterances is that of the residuals
 *
 *   z = (d − D w) / mean(w),   Var(D) ≈ deff · Var(z) / n,   deff = 1 + (m − 1) ρ,
 *
 * where m is the size-weighted mean number of utterances per speaker, and ρ the correlation within speakers,
 * estimated from the pilot's variance by speaker. n is that of a paired t-test with power 0.8 at 95 %.
 *
 * @throws BenchError PILOT_UNUSABLE
 * @see Cochran 1977, Sampling Techniques, 6.3 (ratio estimates); Kish 1965, Survey Sampling, 5.4 (design effect)
 */
export function requiredUtterances(
  evaluation: Evaluation,
  material: Pick<RunMaterial, 'utterances'>,
  { difference, power = 0.8, speakerSizes }: ResolveOptions,
): RequiredUtterances {
  const pairs = contenderPairs(evaluation)
  const speakers = new Map(material.utterances.map(({ id, speaker }) => [id, speaker]))
  const plans = pairs.flatMap(({ base, run, differences }) => {
    if (differences.length < leastUtterances) return []
    const residuals = takeResiduals(differences)
    const standardDeviation = Math.sqrt(sumOf(residuals, ({ value }) => value ** 2) / (residuals.length - 1))
    return [{ base, run, residuals, standardDeviation }]
  })
  const [plan] = plans.toSorted((left, right) => right.standardDeviation - left.standardDeviation)
  if (plan === undefined || plan.standardDeviation === 0) throw unusable(evaluation, pairs.length)
  const { residuals, standardDeviation, base, run } = plan
  const withSpeakers = residuals.flatMap(({ id, value }) => {
    const speaker = speakers.get(id)
    return speaker === undefined ? [] : [{ id, value, speaker }]
  })
  const measured = withinSpeakers(withSpeakers)
  const correlation = { measured, planned: Math.min(maxCorrelation, measured) }
  const plannedDeviation = cautiousDeviation(standardDeviation, estimateDegrees(residuals, standardDeviation))
  return {
    ...plannedCount(plannedDeviation, correlation.planned, { difference, power, speakerSizes }),
    correlation,
    base,
    run,
    standardDeviation,
    plannedDeviation,
    pilotUtteranceCount: residuals.length,
  }
}

/**
 * Describes what a gate requires and this number of utterances cannot detect, before anything is sent.
 *
 * @param margin the relevant increase of an error rate, if the gate fails for a certain increase; otherwise null
 */
export function undetectable(
  thresholds: readonly Threshold[],
  utteranceCount: number,
  margin: number | null = null,
): readonly string[] {
  const rise = margin === null ? null : undetectableRise(utteranceCount, margin)
  return [...undetectableThresholds(thresholds, utteranceCount), ...(rise === null ? [] : [rise])]
}

/** Usual standard deviation, between two builds, of the difference in error rate of one utterance. */
const usualDeviation = 0.11

/**
 * Lists the thresholds on an error rate or its change for which a corpus is too small. Each has the size that
 * suffices with power 0.8 at 95 %: for an increase by the limit, or for a rate 50 % above the limit. No pilot is
 * needed, because a comparison has the interval of its own corpus.
 */
function undetectableThresholds(thresholds: readonly Threshold[], utteranceCount: number): readonly string[] {
  return thresholds.flatMap(({ text, metric, limit, operator }) => {
    const isRise = metric.from.of === 'comparison'
    const isRate = metric.id === 'wer' || metric.id === 'cer'
    if (limit <= 0 || !(isRise || (isRate && operator.startsWith('<')))) return []
    const difference = isRise ? limit : limit / 2
    const needed = requiredPairs(usualDeviation, difference, { maxPairs: maxUtterances })
    if (needed !== null && needed <= utteranceCount) return []
    const purpose = isRise
      ? 'to be detected'
      : `to distinguish ${percentText(limit + difference)} from the limit`
    const passes = isRise ? 'without --strict a smaller rise passes' : 'a higher rate may pass by chance'
    return [`"${text}" needs ${sizeText(needed)} ${purpose}; this corpus has ${utteranceCount}: ${passes}`]
  })
}

/**
 * Describes the increase that a gate for certain increases cannot detect.
 *
 * @param margin the relevant increase of an error rate
 * @returns null where the corpus is large enough for the margin
 */
function undetectableRise(utteranceCount: number, margin: number): string | null {
  const needed = requiredPairs(usualDeviation, margin, { maxPairs: maxUtterances })
  if (needed !== null && needed <= utteranceCount) return null
  const found = detectableDifference(usualDeviation, Math.max(2, utteranceCount), { power: 0.8 })
  return (
    `--fail-if-worse finds rises of about ${pointsText(found)} and more in ${utteranceCount} utterances: the margin of ` +
    `${pointsText(margin)} needs ${sizeText(needed)}`
  )
}

function sizeText(count: number | null): string {
  return count === null ? 'more than a million utterances' : `about ${roundedUp(count)} utterances`
}

function percentText(rate: number): string {
  return `${Number((100 * rate).toPrecision(3))}%`
}

function pointsText(difference: number): string {
  return `${Number((100 * difference).toPrecision(2))} pp`
}

/** Rounds up to one significant digit, or two from 10 on, which is enough for a plan. */
export function roundedUp(count: number): string {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(count)) - 1)
  return grouped(Math.ceil(count / unit) * unit)
}

/** Returns the difference that a number of utterances can detect. */
export function resolvedDifference(
  { plannedDeviation, designEffect }: Pick<RequiredUtterances, 'plannedDeviation' | 'designEffect'>,
  utteranceCount: number,
  power: number,
): number {
  return detectableDifference(plannedDeviation * Math.sqrt(designEffect), Math.max(2, utteranceCount), {
    power,
  })
}

interface Difference {
  readonly id: string
  readonly errors: number
  readonly words: number
}

function contenderPairs({ contenders, utterances, profile: { leads } }: Evaluation): readonly {
  readonly base: string
  readonly run: string
  readonly differences: readonly Difference[]
}[] {
  const tallies = contenders.map(({ contender }) => {
    const sums = new Map<string, { errors: number; words: number; rounds: number }>()
    for (const { contenderId, utteranceId, [leads]: counts } of utterances) {
      if (contenderId !== contender.id || counts === null) continue
      const sum = sums.get(utteranceId) ?? { errors: 0, words: 0, rounds: 0 }
      sums.set(utteranceId, {
        errors: sum.errors + errorCount(counts),
        words: sum.words + referenceLength(counts),
        rounds: sum.rounds + 1,
      })
    }
    return { id: contender.id, sums }
  })
  return tallies.flatMap((base, index) =>
    tallies.slice(index + 1).map((run) => ({
      base: base.id,
      run: run.id,
      differences: [...base.sums].flatMap(([id, baseSum]) => {
        const runSum = run.sums.get(id)
        if (runSum === undefined || baseSum.words === 0) return []
        const errors = runSum.errors / runSum.rounds - baseSum.errors / baseSum.rounds
        return { id, errors, words: baseSum.words / baseSum.rounds }
      }),
    })),
  )
}

function takeResiduals(
  differences: readonly Difference[],
): readonly { readonly id: string; readonly value: number }[] {
  const words = sumOf(differences, (each) => each.words)
  const rate = sumOf(differences, ({ errors }) => errors) / words
  const meanWords = words / differences.length
  return differences.map((each) => ({ id: each.id, value: (each.errors - rate * each.words) / meanWords }))
}

/**
 * Returns the degrees of freedom of the variance. Most utterances have equal errors from both contenders and few have
 * many, so the variance is less certain than for normal values: Var(s²) = σ⁴ (κ − 1) / n = 2σ⁴ / ν.
 *
 * @see O'Neill 2014, doi:10.1080/00031305.2014.966589
 */
function estimateDegrees(residuals: readonly { readonly value: number }[], deviation: number): number {
  const kurtosis = sumOf(residuals, ({ value }) => (value / deviation) ** 4) / residuals.length
  return Math.max(leastDegrees, Math.min(1, 2 / Math.max(2, kurtosis - 1)) * (residuals.length - 1))
}

/** Returns the correlation between residuals of one speaker; 0 where speakers are unknown or too few. */
function withinSpeakers(
  residuals: readonly { readonly id: string; readonly speaker: string | null; readonly value: number }[],
): number {
  const speakerCount = countSpeakers(residuals)
  if (speakerCount === null || speakerCount < 2 || speakerCount === residuals.length) return 0
  const sums = [...Map.groupBy(residuals, ({ speaker }) => speaker).values()].map((cluster) => ({
    size: cluster.length,
    sum: sumOf(cluster, ({ value }) => value),
  }))
  const clustered = (sumOf(sums, ({ sum }) => sum ** 2) * speakerCount) / (speakerCount - 1)
  const single = (sumOf(residuals, ({ value }) => value ** 2) * residuals.length) / (residuals.length - 1)
  const size = weightedSize(sums.map((each) => each.size))
  return size <= 1 ? 0 : Math.min(1, Math.max(0, (clustered / single - 1) / (size - 1)))
}

function weightedSize(sizes: readonly number[]): number {
  const total = sumOf(sizes, (size) => size)
  return total === 0 ? 1 : sumOf(sizes, (size) => size ** 2) / total
}

/** The design effect depends on the count, because more utterances of the same speakers are larger clusters. */
function plannedCount(
  plannedDeviation: number,
  correlation: number,
  {
    difference,
    power,
    speakerSizes,
  }: Pick<ResolveOptions, 'difference' | 'speakerSizes'> & { readonly power: number },
): Pick<RequiredUtterances, 'utteranceCount' | 'designEffect'> {
  const available = sumOf(speakerSizes, (size) => size)
  const effectOf = (count: number): number => {
    if (available === 0) return 1
    const share = Math.min(1, count / available)
    return 1 + Math.max(0, weightedSize(speakerSizes) * share - 1) * correlation
  }
  const isEnough = (count: number): boolean => {
    const deviation = plannedDeviation * Math.sqrt(effectOf(count))
    return requiredPairs(deviation, difference, { power, maxPairs: count }) !== null
  }
  if (!isEnough(maxUtterances)) return { utteranceCount: null, designEffect: effectOf(maxUtterances) }
  // From the first sufficient number on, the effect needs less than one utterance for each that is added, so all larger
  // numbers suffice too, and bisection finds the first.
  let [tooFew, enough] = [1, maxUtterances]
  while (enough - tooFew > 1) {
    const middle = (tooFew + enough) >> 1
    if (isEnough(middle)) enough = middle
    else tooFew = middle
  }
  return { utteranceCount: enough, designEffect: effectOf(enough) }
}

function unusable({ run, contenders }: Evaluation, pairCount: number): Error {
  const why =
    pairCount === 0
      ? `it has ${contenders.length === 1 ? 'one contender' : 'no contenders'}`
      : `no two contenders answered ${leastUtterances} utterances and differ in their errors`
  return analysisErrors.make('PILOT_UNUSABLE', {
    message: `the run ${run.id} cannot be a pilot: ${why}`,
    hint: 'run two contenders on some utterances first: transcribench run --corpus <corpus> --sample 50',
  })
}
