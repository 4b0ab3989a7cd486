import { z } from 'zod'
import type { DeepReadonly } from '#prelude'
import {
  count,
  flag,
  group,
  list,
  nullableNumber,
  nullableText,
  number,
  oneOf,
  orNull,
  part,
  share,
  text,
} from '#prelude/document-fields'
import { intervalSchema } from '#rates/documents'
import {
  type ContenderComparison,
  contenderComparisonSchema,
  type Judgement,
  type SpeedComparison,
  type SpeedMetric,
} from './contender-comparison.ts'
import { findingSchema } from './finding.ts'
import { rankingSchema } from './ranking.ts'
import { scoredProfileSchema, scoringIdentitySchema, validitySchema } from './scoring-identity.ts'

const thresholdResultSchema = part('ThresholdResult', 'The result of one threshold for one contender.', {
  threshold: text.describe('As written.'),
  metric: text.describe('Id of the metric.'),
  contenderId: text.describe('The contender.'),
  group: nullableText.describe(
    'The group that the limit was checked for, as `noisy`; null for all together.',
  ),
  measured: nullableNumber.describe("In the metric's own unit; null where there is no figure to check."),
  interval: orNull(intervalSchema).describe('Interval of the figure; null where there is none.'),
  limit: number.describe("In the metric's own unit."),
  outcome: oneOf(['passed', 'failed', 'invalid']).describe(
    '`invalid` counts as failed: there was no figure to check.',
  ),
  isResolved: flag.describe(
    'False where the limit is inside the interval of a regression: neither met nor violated for certain.',
  ),
  reason: nullableText.describe(
    'Why it failed or is invalid, where the numbers alone do not show it; else null.',
  ),
})
export type ThresholdResult = DeepReadonly<z.infer<typeof thresholdResultSchema>>

export const comparisonFormatVersion = 5

const conditionSchema = part('Condition', 'Something about how a run was made, on both sides.', {
  key: oneOf([
    'corpus',
    'load',
    'rounds',
    'contender',
    'machine',
    'service',
    'target',
    'transcribench',
  ]).describe('What is described.'),
  base: text.describe('On the base side, in words.'),
  run: text.describe('On the run side, in words.'),
})
export type Condition = DeepReadonly<z.infer<typeof conditionSchema>>

const comparedRunSchema = part('ComparedRun', 'A run that is compared.', {
  id: text.describe('Name of the run folder.'),
  startedAt: text.describe('ISO 8601, UTC.'),
  validity: validitySchema.describe('As in its evaluation.'),
})

const comparedSideSchema = part(
  'ComparedSide',
  'One side of a comparison: the first of its runs, and all of them.',
  {
    ...comparedRunSchema.shape,
    runs: list(comparedRunSchema).describe('All runs of the side, in the order of time.'),
  },
)

/** Schema of a comparison as `transcribench compare --json` prints it, with the checked thresholds. */
export const comparisonSchema = group({
  formatVersion: z.literal(comparisonFormatVersion).describe('Version of this form.'),
  base: comparedSideSchema.describe('What is compared with.'),
  run: comparedSideSchema.describe('What is compared.'),
  profile: scoredProfileSchema.describe('How texts of both sides were normalised.'),
  scoring: scoringIdentitySchema
    .pick({ fingerprint: true, corrections: true })
    .describe('The score of both sides; the corrections are those of the last run.'),
  seed: z.int().describe('Seed of all resampling.'),
  conditions: list(conditionSchema).describe('How both sides were measured.'),
  findings: list(findingSchema).describe('What could make a reader distrust the figures.'),
  family: group({
    confidence: share.describe('Confidence level of all verdicts together.'),
    comparisonCount: count.describe('Comparisons that it is shared among.'),
  }).describe('How verdicts are adjusted for multiple comparisons.'),
  contenders: list(contenderComparisonSchema).describe('Contenders that both sides have.'),
  ranking: group({
    base: orNull(rankingSchema).describe('Null with fewer than two contenders.'),
    run: orNull(rankingSchema).describe('Null with fewer than two contenders.'),
  }).describe(
    'Ranks by the leading error rate, failures as empty transcripts, among the contenders of each side.',
  ),
  unpairedContenders: list(
    group({
      side: oneOf(['base', 'run']).describe('The side that has it.'),
      id: text.describe('The contender.'),
    }),
  ).describe('Contenders that only one side has.'),
  thresholds: list(thresholdResultSchema).optional().describe('Results of `--threshold`; absent without it.'),
}).describe('Two runs, or two sets of runs, paired by utterance id and scored with the same profile.')
/** A comparison with the checked thresholds. */
type ComparisonOutput = DeepReadonly<z.infer<typeof comparisonSchema>>
export type Comparison = Omit<ComparisonOutput, 'thresholds'>

export function listJudgements({ contenders }: Pick<Comparison, 'contenders'>): readonly Judgement[] {
  return contenders.flatMap(({ rates, speed, failures }) => [...rates, ...speed, failures])
}

export function becameWorse(comparison: Pick<Comparison, 'contenders'>): boolean {
  return listJudgements(comparison).some(({ verdict }) => verdict === 'worse')
}

/** The speeds that users ask about; the others are parts of these. */
const shownSpeeds: readonly SpeedMetric[] = ['latency', 'latency.p95', 'rtfx']

/**
 * Returns the speeds that users ask about without a verdict: with one run per side, on other machines, or on a busy
 * one. A speed that neither side has is excluded while latency has a verdict.
 */
export function unjudgedSpeeds({ speed }: Pick<ContenderComparison, 'speed'>): readonly SpeedComparison[] {
  return speed.filter(
    ({ metric, verdict, relativeChange }) =>
      shownSpeeds.includes(metric) && verdict === null && (metric === 'latency' || relativeChange !== null),
  )
}
