import type { z } from 'zod'
import type { DeepReadonly } from '#prelude'
import {
  count,
  flag,
  group,
  groupOrNull,
  list,
  nullableCount,
  nullableNumber,
  nullableShare,
  nullableText,
  number,
  oneOf,
  orNull,
  part,
  share,
  text,
} from '#prelude/document-fields'
import { intervalSchema } from '#rates/documents'
import { alignmentStepSchema } from '#scoring/shapes'
import { boundsSchema } from '#statistics/bounds'
import { crossoverSchema } from './latency.ts'

/** Verdict by the position of the difference's interval relative to the margin. */
const verdictSchema = oneOf(['better', 'worse', 'equivalent', 'unresolved'])
export type Verdict = z.infer<typeof verdictSchema>

const judgementSchema = group({
  verdict: orNull(verdictSchema).describe(
    'Null where there is no verdict. Verdicts are adjusted for multiple comparisons.',
  ),
  judgedBy: groupOrNull({
    low: number.describe('Lower end.'),
    high: number.describe('Upper end.'),
    confidence: share.describe('Confidence level among all verdicts of the comparison.'),
  }).describe(
    'The interval that the verdict rests on; null without a verdict. `interval` is at 95 % by itself.',
  ),
  direction: orNull(oneOf(['better', 'worse'])).describe(
    'Of an unresolved difference, the direction that is certain; whether it exceeds the margin is open. Else null.',
  ),
  moreNeeded: nullableCount.describe(
    'About how many more would resolve an unresolved difference, if what was measured is true: runs a side of a speed, ' +
      'utterances of a rate, requests of failures. Null where that is unknown, or more than a thousand.',
  ),
})
export type Judgement = DeepReadonly<z.infer<typeof judgementSchema>>

const pairedRateSchema = part(
  'PairedRate',
  'The error rate of one side over the paired utterances. An utterance that was scored in several rounds counts with the mean ' +
    'of its errors, so that each has the same weight on both sides.',
  {
    rate: nullableNumber.describe('errors / referenceLength; null where the references hold nothing.'),
    errors: number.describe('Sum over the paired utterances of their mean errors per round.'),
    referenceLength: number
      .min(0)
      .describe(
        'Sum over the paired utterances of the mean lengths of their references per round: words, or characters.',
      ),
  },
)
export type PairedRate = DeepReadonly<z.infer<typeof pairedRateSchema>>

const rateComparisonSchema = part(
  'RateComparison',
  'An error rate on both sides, over the utterances that both answered.',
  {
    metric: oneOf(['wer', 'cer']).describe('Word or character error rate.'),
    base: pairedRateSchema.describe('The base side.'),
    run: pairedRateSchema.describe('The run side.'),
    difference: nullableNumber.describe(
      'run - base, in rate; negative is better. Null where a side has no rate.',
    ),
    interval: orNull(intervalSchema).describe(
      '95 % interval of the difference; null where fewer than two utterances (or speakers) can be resampled.',
    ),
    differingCount: count.describe(
      'Utterances whose errors differ; with fewer than six, neither better nor worse is distinguished from chance.',
    ),
    margin: number.describe('Differences inside ± margin are equivalent; in rate.'),
    isExact: flag.describe(
      'True where every utterance was transcribed more than once on both sides and always alike: the difference on this corpus ' +
        'is then certain, and the interval is about other speech only.',
    ),
    isOfCorpusAlone: flag
      .default(false)
      .describe(
        'True with fewer than 20 paired utterances, or with two to four speakers: "equivalent" is then about this corpus only.',
      ),
    ...judgementSchema.shape,
  },
)
export type RateComparison = DeepReadonly<z.infer<typeof rateComparisonSchema>>

const significanceSchema = part(
  'Significance',
  'The usual tests of "both sides make as many errors", those of the leading rate: each by itself, two-sided, utterance against ' +
    'utterance.',
  {
    matchedPairs: groupOrNull({
      z: nullableNumber.describe(
        'Positive where the run errs more; null where all utterances differ by the same.',
      ),
      pValue: share.describe('Two-sided.'),
      adjustedPValue: share.describe('Adjusted among the contenders of this comparison (Holm).'),
    }).describe('Matched pairs with utterances as segments (MAPSSWE); null with fewer than 50.'),
    wilcoxon: nullableShare.describe(
      'p-value of the signed ranks of the differences in errors; null where none differs.',
    ),
    sign: share.describe(
      'p-value of the sign test: utterances with fewer errors on one side or on the other.',
    ),
    mcnemar: share.describe("p-value of McNemar's test: utterances without any error on one side alone."),
    speakers: groupOrNull({
      count: count.describe('Speakers.'),
      pValue: share.describe("Of flipping the signs of the speakers' differences in every way."),
    }).describe('Null where speakers are unknown, one, or twenty and more.'),
  },
)
export type Significance = DeepReadonly<z.infer<typeof significanceSchema>>

/** Speed metrics that are compared. `latency` is the one that is compared per utterance. */
export const comparedSpeeds = [
  'latency',
  'latency.p50',
  'latency.p95',
  'latency.fixed',
  'latency.slope',
  'rtfx',
] as const
export type SpeedMetric = (typeof comparedSpeeds)[number]

const rankedDifferenceSchema = part('RankedDifference', 'How two sets of runs differ by their ranks alone.', {
  relativeChange: number.describe(
    'The Hodges-Lehmann shift of the logarithms: median of all run / base - 1.',
  ),
  interval: orNull(boundsSchema).describe('At 95 %; null with fewer than four runs a side.'),
  pValue: share.describe('Of the Mann-Whitney test, two-sided.'),
  delta: number.describe(
    "Cliff's delta: 1 where every run of the run side has the higher figure, -1 where every one has the lower.",
  ),
})

const speedComparisonSchema = part(
  'SpeedComparison',
  'A speed figure on both sides. The unit of replication is the run: with one run a side there is no verdict, and an interval ' +
    'only from the spread that a calibration of this host has measured.',
  {
    metric: oneOf(comparedSpeeds).describe('Id of the metric; `latency` compares utterance by utterance.'),
    unit: oneOf(['ms', 'ms/s', 'x']).describe(
      'Milliseconds, milliseconds for a second of audio, or times real time.',
    ),
    base: nullableNumber.describe(
      'Geometric mean over the runs of the base side; null for the reason below.',
    ),
    run: nullableNumber.describe('The same of the run side.'),
    relativeChange: nullableNumber.describe('run / base - 1; null where one is absent.'),
    interval: orNull(boundsSchema).describe('Of the relative change, at 95 %; null where nothing gives one.'),
    basis: orNull(oneOf(['pairs of runs', 'runs', 'runs of one side', 'calibration'])).describe(
      'What the interval rests on; null without one.',
    ),
    margin: number.describe('Relative changes inside ± margin are equivalent.'),
    ranks: orNull(rankedDifferenceSchema)
      .default(null)
      .describe(
        'The same by ranks, which one odd run cannot move far, unpaired; null with one run a side, where speeds are not compared, ' +
          'and in an experiment, which is evaluated again and again.',
      ),
    reason: nullableText.describe('Why a side has no figure; null where both have one.'),
    note: nullableText.describe(
      'Why there is no verdict, or none in favour of what the clock shows; else null.',
    ),
    ...judgementSchema.shape,
  },
)
export type SpeedComparison = DeepReadonly<z.infer<typeof speedComparisonSchema>>

const durationComparisonSchema = part(
  'DurationComparison',
  'Latency of requests whose audio has about the same length.',
  {
    bucket: text.describe('Range of audio lengths: `2-5 s`.'),
    utteranceCount: count.describe('Utterances in the range.'),
    baseP50Ms: nullableNumber.describe(
      'Median of the base side in milliseconds; null with too few requests.',
    ),
    runP50Ms: nullableNumber.describe('The same of the run side.'),
    baseP95Ms: nullableNumber.describe(
      '95th percentile of the base side in milliseconds; null with too few requests.',
    ),
    runP95Ms: nullableNumber.describe('The same of the run side.'),
  },
)
export type DurationComparison = DeepReadonly<z.infer<typeof durationComparisonSchema>>

const latencyDistributionSchema = part(
  'LatencyDistribution',
  'How the latencies of one side are distributed.',
  {
    count: count.describe('Requests.'),
    quantilesMs: list(number).describe('Quantiles 0, 0.01, …, 1 in milliseconds; empty without requests.'),
  },
)
export type LatencyDistribution = DeepReadonly<z.infer<typeof latencyDistributionSchema>>

const failureComparisonSchema = part('FailureComparison', 'Failed requests of both sides.', {
  base: count.describe('Failed requests of the base side, in all its runs.'),
  run: count.describe('The same of the run side.'),
  baseRequests: count.describe('Answered and failed requests of the base side.'),
  runRequests: count.describe('The same of the run side.'),
  pairedCount: count.describe(
    'Pairs: the n-th request of an utterance on one side with the n-th of the other.',
  ),
  onlyBase: count.describe('Pairs of which only the request of the base side failed.'),
  onlyRun: count.describe('Pairs of which only the request of the run side failed.'),
  difference: nullableNumber.describe(
    'run - base, of the shares of paired requests that failed; null without pairs.',
  ),
  interval: orNull(intervalSchema).describe('95 % interval of the difference; null without pairs.'),
  margin: number.describe('0: any rise that is certain is a rise.'),
  ...judgementSchema.shape,
})
export type FailureComparison = DeepReadonly<z.infer<typeof failureComparisonSchema>>

const groupComparisonSchema = part(
  'GroupComparison',
  'An error rate on both sides over the utterances that have something in common.',
  {
    by: oneOf(['duration', 'speaker', 'tag']).describe('What is grouped by.'),
    name: text.describe('Name of the group.'),
    utteranceCount: count.describe('Paired utterances of the group.'),
    base: nullableNumber.describe(
      'Leading error rate of the base side; null where the references hold nothing.',
    ),
    run: nullableNumber.describe('The same of the run side.'),
    difference: nullableNumber.describe('run - base, in rate; null where a side has none.'),
    qValue: nullableShare
      .default(null)
      .describe(
        'Of the groups up to this q, at most that share is expected to differ by chance (Benjamini-Hochberg over all groups, Wilcoxon ' +
          'in each); null where no utterance of the group differs.',
      ),
  },
)
export type GroupComparison = DeepReadonly<z.infer<typeof groupComparisonSchema>>

const changedUtteranceSchema = part(
  'ChangedUtterance',
  'An utterance whose errors changed, with its words aligned on both sides.',
  {
    utteranceId: text.describe('The utterance.'),
    audioSeconds: number.describe('Length of its audio in seconds.'),
    reference: text.describe('Its reference.'),
    referenceLength: count.describe(
      'Words, or characters where their rate leads, of the normalised reference.',
    ),
    baseHypothesis: text.describe('Answer of the base side, in the first round that was scored.'),
    runHypothesis: text.describe('The same of the run side.'),
    errorDifference: number.describe(
      'Errors of the leading rate, run - base, each the mean over its scored rounds.',
    ),
    baseWords: list(alignmentStepSchema).describe('Words of the base side, aligned with the reference.'),
    runWords: list(alignmentStepSchema).describe('Words of the run side, aligned with the reference.'),
  },
)
export type ChangedUtterance = DeepReadonly<z.infer<typeof changedUtteranceSchema>>

const inBase = count.describe('How often on the base side.')
const inRun = count.describe('How often on the run side.')

const confusionChangeSchema = part(
  'ConfusionChange',
  'A word that was recognised as another one, on either side.',
  {
    reference: nullableText.describe('What was spoken; null for an insertion.'),
    hypothesis: nullableText.describe('What was recognised; null for a deletion.'),
    base: inBase,
    run: inRun,
  },
)
export type ConfusionChange = DeepReadonly<z.infer<typeof confusionChangeSchema>>

const intruderChangeSchema = part(
  'IntruderChange',
  'A word that was recognised for several different ones, summed over them.',
  {
    hypothesis: text.describe('The word.'),
    replacedCount: count.describe('Different words of the references that it replaced, on either side.'),
    base: inBase,
    run: inRun,
  },
)
export type IntruderChange = DeepReadonly<z.infer<typeof intruderChangeSchema>>

const failureChangeSchema = group({
  utteranceId: text.describe('The utterance.'),
  failedIn: oneOf(['base', 'run']).describe('The side on which it failed; the other one answered.'),
  failure: text.describe('The code that the failure is counted by.'),
})
export type FailureChange = DeepReadonly<z.infer<typeof failureChangeSchema>>

export const contenderComparisonSchema = part('ContenderComparison', 'One contender on both sides.', {
  baseContenderId: text.describe('The contender on the base side.'),
  runContenderId: text.describe('The contender on the run side.'),
  pairedUtteranceCount: count.describe('Utterances that both sides answered.'),
  unpaired: list(
    group({
      utteranceId: text.describe('The utterance.'),
      reason: text.describe('Why it has no partner.'),
    }),
  ).describe('Utterances without a partner.'),
  identicalTextCount: count.describe(
    'Paired utterances whose texts are the same on both sides in every round.',
  ),
  rates: list(rateComparisonSchema).describe('Error rates, the leading one first.'),
  significance: orNull(significanceSchema)
    .default(null)
    .describe('Null where no utterance differs in its word errors.'),
  speed: list(speedComparisonSchema).describe('Speed figures.'),
  byDuration: list(durationComparisonSchema).describe(
    'Latency by audio length: never read a percentile over mixed lengths without it.',
  ),
  crossover: crossoverSchema.describe('At which length of the audio the faster side changes.'),
  speedsWithheld: nullableText.describe('Why speeds are not compared; null where they are.'),
  latencies: group({
    base: latencyDistributionSchema.describe('The base side.'),
    run: latencyDistributionSchema.describe('The run side.'),
  }).describe('Latencies of the utterances of both sides, request by request.'),
  failures: failureComparisonSchema.describe('Failed requests.'),
  betterCount: count.describe('Paired utterances with fewer errors on the run side.'),
  worseCount: count.describe('Paired utterances with more errors on the run side.'),
  sameCount: count.describe('Paired utterances with as many errors.'),
  changed: list(changedUtteranceSchema).describe(
    'The most changed of either direction, 20 at most; `betterCount` and `worseCount` count them all.',
  ),
  textOnly: list(text).describe('Utterances whose text changed and whose errors did not, 20 ids at most.'),
  textOnlyCount: count.describe('All of them.'),
  confusions: list(confusionChangeSchema).describe('The most changed first, 20 of each kind at most.'),
  intruders: list(intruderChangeSchema).describe('The most changed first, 20 at most.'),
  groups: list(groupComparisonSchema).describe('By duration, speaker and tag.'),
  failureChanges: list(failureChangeSchema).describe(
    'Requests that failed on one side and were answered on the other.',
  ),
})
export type ContenderComparison = DeepReadonly<z.infer<typeof contenderComparisonSchema>>
