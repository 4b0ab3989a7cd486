import { z } from 'zod'
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
import { alignmentRules } from '#scoring/alignment/align'
import { alignmentStepSchema, confusionSchema, errorCountsSchema } from '#scoring/shapes'
import { characterRules } from '#scoring/tokens'

export const intervalSchema = part('Interval', 'A two-sided confidence interval and how it was computed.', {
  low: number.describe('Lower end, in the unit of the figure.'),
  high: number.describe('Upper end, in the unit of the figure.'),
  confidence: number.min(0).max(1).describe('Confidence level, 0..1: 0.95 for 95 %.'),
  method: oneOf([
    'bootstrap-by-utterance',
    'bootstrap-by-speaker',
    'bootstrap-by-host',
    'order-statistics',
    'wilson',
    'runs',
    'pairs-of-turns',
    'paired-shares',
  ]).describe('How the interval was computed.'),
})
export type Interval = DeepReadonly<z.infer<typeof intervalSchema>>

export const errorRateSchema = part(
  'ErrorRate',
  'An error rate as a ratio of sums, with everything it was made from.',
  {
    rate: nullableNumber.describe(
      '(S + D + I) / (H + S + D), a ratio of sums in which every utterance weighs the same, however often it was sent; may ' +
        'exceed 1. Null where the references hold nothing.',
    ),
    interval: orNull(intervalSchema).describe('Interval of the rate; null for the reason that follows.'),
    noIntervalReason: nullableText.describe('Why there is no interval; null where there is one.'),
    counts: errorCountsSchema.describe(
      'What the rate was made from: sums over all requests. Where a load ended within a pass over the corpus, some utterances are ' +
        'in them once more than others, and the rate is not their quotient.',
    ),
    referenceLength: count.describe('H + S + D.'),
    hypothesisLength: count.describe('H + S + I.'),
  },
)
export type ErrorRate = DeepReadonly<z.infer<typeof errorRateSchema>>

const textGroup = part('TextGroup', 'The utterances that have something in common.', {
  name: nullableText.describe('Name of the group; null for utterances without what is grouped by.'),
  utteranceCount: count.describe('Utterances.'),
  speakerCount: orNull(z.int()).describe('Speakers; null where a speaker is unknown.'),
  coverage: nullableShare.describe('Answered / all, 0..1; null without utterances.'),
  words: errorRateSchema.describe('Word errors, over what was answered.'),
  characters: orNull(errorRateSchema).describe('Character errors; null where only words were counted.'),
  sentenceErrorRate: nullableShare.describe(
    'Share of answered utterances with a word error, 0..1; null without any.',
  ),
  isSmall: flag.describe('Whether it has fewer than 20 utterances.'),
  profile: nullableText.describe(
    'Of a language in a corpus of several: the profile that scores it; null otherwise.',
  ),
  leads: orNull(oneOf(['words', 'characters'])).describe(
    'The error rate that leads under this profile; null without one.',
  ),
})
export type TextGroup = DeepReadonly<z.infer<typeof textGroup>>

const textGroupingSchema = part('TextGrouping', 'One way to group, with its groups.', {
  by: text.describe('`speaker`, `duration` or the name of a tag.'),
  groups: list(textGroup).describe('The groups, in order of their words, most first.'),
})
export type TextGrouping = DeepReadonly<z.infer<typeof textGroupingSchema>>

/** Two-sided tests of two systems as NIST's sc_stats computes them, including its error above 20 units. */
const scStatsSchema = part(
  'ScStatsTests',
  "The tests as NIST's sc_stats computes them, two-sided. Above 20 units its sign and McNemar tests are wrong: see `sign` and `mcnemar` of `tests`.",
  {
    matchedPairs: nullableShare.describe('p of the matched-pairs test; null with too few segments.'),
    wilcoxon: share.describe("p of Wilcoxon's test."),
    sign: share.describe('p of the sign test.'),
    mcnemar: share.describe("p of McNemar's test."),
  },
)
export type ScStatsTests = DeepReadonly<z.infer<typeof scStatsSchema>>

const profileChoice = oneOf(['name', 'alignment', 'language', 'languages', 'script', 'nothing'])
export type ProfileChoice = z.infer<typeof profileChoice>

const confusions = list(confusionSchema)

const scoredTextSchema = part('ScoredText', 'One utterance, counted, with its texts.', {
  id: text.describe('Id of the utterance.'),
  speaker: nullableText.describe('Speaker; null where unknown.'),
  tags: z.record(text, text).describe('Tags by name.'),
  reference: text.describe('As written; several accepted texts are in braces, with slashes between them.'),
  hypothesis: nullableText.describe('As written; null where nothing came back.'),
  words: orNull(errorCountsSchema).describe('Word errors; null where the hypothesis is.'),
  characters: orNull(errorCountsSchema).describe(
    'Character errors; null where the hypothesis is, and where they were not counted.',
  ),
  wordErrorRate: nullableNumber.describe(
    'Null where the reference holds no words, and where nothing came back.',
  ),
  steps: orNull(list(alignmentStepSchema)).describe(
    'The aligned words, all deleted where nothing came back; null where only counts were asked for.',
  ),
})
export type ScoredText = DeepReadonly<z.infer<typeof scoredTextSchema>>

const textScoreSchema = group({
  formatVersion: z.int().describe('Version of this document.'),
  profile: group({
    id: text.describe('Name and version, as `english@2`.'),
    fingerprint: text.describe('Fingerprint of its rules.'),
    leads: oneOf(['words', 'characters']).describe('The error rate that leads for its languages.'),
  }).describe('Normalisation profile.'),
  profileBy: profileChoice.describe(
    'What decided the profile: its name, the other scorer, the language, the language of each utterance, or the script of the texts.',
  ),
  alignment: oneOf(alignmentRules).describe('Alignment rule.'),
  characterRule: oneOf(characterRules).describe('What counts as a character.'),
  sclite: groupOrNull({
    optionalDeletions: flag.describe('`-D`: a word in parentheses that was not said is right.'),
    fragments: flag.describe(
      '`-F`: a fragment (`fi-`, `-sh`) is right where the other word begins or ends as it does.',
    ),
  }).describe("Options of sclite's alignment; null for any other."),
  seed: z.int().describe('Seed of the intervals.'),
  utteranceCount: count.describe('Utterances.'),
  speakerCount: nullableCount.describe('Speakers; null where a speaker is unknown.'),
  coverage: nullableShare.describe('Answered / all, 0..1; null without utterances.'),
  words: errorRateSchema.describe('Word errors, over what was answered.'),
  characters: orNull(errorRateSchema).describe('Character errors; null where only words were counted.'),
  wordsFailedAsEmpty: errorRateSchema.describe(
    'Word errors with what was not answered as an empty transcript.',
  ),
  wordRates: group({
    errorRate: nullableNumber.describe('Word error rate; null without words.'),
    matchErrorRate: nullableNumber.describe('Match error rate; null without words.'),
    wordInformationLost: nullableNumber.describe('Word information lost; null without words.'),
    wordInformationPreserved: nullableNumber.describe('Word information preserved; null without words.'),
  }).describe('Rates of the word counts, over what was answered.'),
  sentenceErrorRate: nullableShare.describe(
    'Share of answered utterances with a word error, 0..1; null without any.',
  ),
  meanUtteranceRate: nullableNumber.describe(
    "Mean of the utterances' own rates, which no ranking uses; null without any.",
  ),
  silent: group({
    utteranceCount: count.describe('Utterances whose reference is empty after normalisation.'),
    answeredWithWords: count.describe('Of these, answered with words.'),
    insertedWords: count.describe('Words of these answers.'),
  }).describe('Utterances without a word to say.'),
  vowelSignsLostCount: count.describe(
    'References in a script with vowel signs, under a profile that drops them: their rates say little.',
  ),
  emptiedReferences: list(text).describe(
    'Ids of references that hold text and of which the profile leaves nothing.',
  ),
  tagNames: list(text).describe('Names of the tags, in the order of their code units.'),
  groupings: list(textGroupingSchema).describe('Groups that were asked for.'),
  confusions: groupOrNull({
    substitutions: confusions.describe('Substitutions.'),
    deletions: confusions.describe('Deletions.'),
    insertions: confusions.describe('Insertions.'),
  }).describe('The most frequent errors; null where not asked for.'),
  worst: orNull(list(scoredTextSchema)).describe(
    'Answered utterances with the most word errors; null where not asked for.',
  ),
})
export type TextScore = DeepReadonly<z.infer<typeof textScoreSchema>>

const pValue = share.describe('Two-sided p.')

const tests = part('SystemTests', 'The usual tests of "both systems make as many word errors".', {
  matchedPairs: groupOrNull({
    segmentCount: count.describe('Segments.'),
    mean: number.describe('Mean difference of the errors in a segment, run - base.'),
    standardDeviation: number.describe('Standard deviation of the difference, in errors.'),
    z: nullableNumber.describe('Test statistic; null where all segments differ by the same.'),
    pValue,
    adjustedPValue: pValue.describe('p among all pairs of systems that are compared (Holm).'),
  }).describe('Matched pairs of sentence segments (MAPSSWE); null with fewer than two segments.'),
  unit: oneOf(['speakers', 'utterances']).describe(
    "Unit of the sign test and of Wilcoxon's: speakers where all are known, else utterances.",
  ),
  wilcoxon: groupOrNull({ count: count.describe('Units that differ.'), pValue }).describe(
    "Wilcoxon's test, exact up to 50 units that differ; null where none differs.",
  ),
  sign: group({
    runBetter: count.describe('Units in which the run has fewer errors.'),
    baseBetter: count.describe('Units in which the base has fewer errors.'),
    pValue,
  }).describe('Sign test, exact.'),
  mcnemar: group({
    runOnly: count.describe('Utterances that only the run has without an error.'),
    baseOnly: count.describe('Utterances that only the base has without an error.'),
    pValue,
  }).describe("McNemar's test, exact."),
  scStats: orNull(scStatsSchema).describe('Where the units are speakers; else null.'),
})
export type SystemTests = DeepReadonly<z.infer<typeof tests>>

const comparison = part('SystemComparison', 'Two systems over the same utterances.', {
  base: text.describe('Name of the first system.'),
  run: text.describe('Name of the second system.'),
  difference: nullableNumber.describe(
    'Word error rate of the run less that of the base, with unanswered utterances as empty; null without words.',
  ),
  interval: orNull(intervalSchema).describe('Interval of the difference; null where resampling gives none.'),
  tests: tests.describe('Tests of the difference.'),
})
export type SystemComparison = DeepReadonly<z.infer<typeof comparison>>

const systemSchema = group({
  name: text.describe('Name of the file; its path where two have the same name.'),
  file: text.describe('Path of the file.'),
  score: textScoreSchema.describe('Its texts compared with the references, without rows.'),
})

const systemsScoreSchema = group({
  formatVersion: z.int().describe('Version of this document.'),
  systems: list(systemSchema).describe('The systems, in the order in which they were named.'),
  comparisons: list(comparison).describe('Every system with every one after it.'),
})
export type SystemsScore = DeepReadonly<z.infer<typeof systemsScoreSchema>>

/** The score of each system is a separate document. */
const system = systemSchema.extend({
  score: z
    .unknown()
    .meta({ $ref: 'text-score.schema.json' })
    .describe(systemSchema.shape.score.description ?? ''),
})

/** Returns JSON Schemas of the output of `transcribench wer --json`, for one file of hypotheses and for several. */
export function ratesJsonSchemas(): Readonly<Record<'text-score' | 'systems-score', unknown>> {
  const { systems } = systemsScoreSchema.shape
  const rows = list(scoredTextSchema)
    .optional()
    .describe('Every utterance, in the order of the files; absent in the score of one of several systems.')
  return {
    'text-score': z.toJSONSchema(textScoreSchema.extend({ rows })),
    'systems-score': z.toJSONSchema(
      systemsScoreSchema.extend({ systems: list(system).describe(systems.description ?? '') }),
    ),
  }
}
