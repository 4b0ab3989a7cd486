import { seededRandom } from '#prelude'
import { countSpeakers } from '#rates/error-rate'
import type { ErrorLevel } from '#scoring/profiles/profile'
import { matchedSegmentsTest, signTest, wilcoxonTest } from '#statistics/tests/paired-tests'
import { benjaminiHochbergAdjusted, holmAdjusted } from '#statistics/tests/required-runs'
import { signFlipTest } from '#statistics/tests/sign-flip'
import type {
  ContenderComparison,
  FailureComparison,
  Judgement,
  RateComparison,
  Significance,
  SpeedComparison,
} from '../documents/contender-comparison.ts'
import type { PairedUtterance } from '../figures/ranking/paired-rates.ts'
import type { Claim } from '../figures/ranking/ranking.ts'

/** The matched-pairs test takes a mean of segments for normal, which that of few is not. */
const fewestSegments = 50

/** With more speakers resampling them says as much, and counting every way to flip them takes long. */
const mostSpeakers = 20

/**
 * The usual tests of "both sides make as many errors", in words or characters, for those who have to report them. Verdicts do not come from
 * them but from intervals and margins: a test decides whether there is a difference, not whether it matters.
 *
 * @returns null where no utterance differs
 * @see Gillick and Cox 1989, doi:10.1109/ICASSP.1989.266481
 */
export function testDifference(
  pairs: readonly PairedUtterance[],
  { seed, level }: { readonly seed: number; readonly level: ErrorLevel },
): Significance | null {
  const differences = pairs.map((pair) => errorDifference(pair, level))
  const count = (is: (pair: PairedUtterance) => boolean): number => pairs.filter(is).length
  const fewer = differences.filter((difference) => difference < 0).length
  const more = differences.filter((difference) => difference > 0).length
  if (fewer + more === 0) return null
  const segments = pairs.length < fewestSegments ? null : matchedSegmentsTest(differences)
  return {
    matchedPairs:
      segments === null ? null : { z: segments.z, pValue: segments.pValue, adjustedPValue: segments.pValue },
    wilcoxon: wilcoxonTest(differences)?.pValue ?? null,
    sign: signTest(fewer, more),
    mcnemar: signTest(
      count(({ base, run }) => base.errors[level] === 0 && run.errors[level] > 0),
      count(({ base, run }) => base.errors[level] > 0 && run.errors[level] === 0),
    ),
    speakers: speakerTest(pairs, seed, level),
  }
}

/** Of independent units there are as many as speakers: with few of them a bootstrap claims more than it can know. */
function speakerTest(
  pairs: readonly PairedUtterance[],
  seed: number,
  level: ErrorLevel,
): Significance['speakers'] {
  const count = countSpeakers(pairs.map(({ base }) => base.utterance)) ?? 0
  if (count < 2 || count >= mostSpeakers) return null
  const bySpeaker = Map.groupBy(pairs, ({ base }) => base.utterance.speaker)
  const sums = [...bySpeaker.values()].map((own) =>
    own.reduce((sum, pair) => sum + errorDifference(pair, level), 0),
  )
  const pValue = signFlipTest(sums, seededRandom(seed))
  return pValue === null ? null : { count, pValue }
}

/** The first test of every contender, with what it is worth among those of all others. */
export function adjustedTogether<Contender extends { readonly significance: Significance | null }>(
  contenders: readonly Contender[],
): readonly Contender[] {
  const tested = contenders.flatMap(({ significance }) => significance?.matchedPairs ?? [])
  const adjusted = new Map(
    holmAdjusted(tested.map(({ pValue }) => pValue)).map((pValue, index) => [tested[index], pValue]),
  )
  return contenders.map((contender) => {
    const { significance } = contender
    const matchedPairs = significance?.matchedPairs ?? null
    if (significance === null || matchedPairs === null) return contender
    const adjustedPValue = adjusted.get(matchedPairs) ?? 1
    return {
      ...contender,
      significance: { ...significance, matchedPairs: { ...matchedPairs, adjustedPValue } },
    }
  })
}

/**
 * Of groups that are looked through for something, the share of false finds among those up to each q (Benjamini and
 * Hochberg), from the Wilcoxon test of each.
 *
 * @returns in the order given; null where no utterance of a group differs
 */
export function groupFinds(
  groups: readonly (readonly PairedUtterance[])[],
  level: ErrorLevel,
): readonly (number | null)[] {
  const pValues = groups.map(
    (pairs) => wilcoxonTest(pairs.map((pair) => errorDifference(pair, level)))?.pValue ?? null,
  )
  const qValues = benjaminiHochbergAdjusted(pValues.map((pValue) => pValue ?? 1))
  return pValues.map((pValue, index) => (pValue === null ? null : (qValues[index] ?? null)))
}

function errorDifference({ base, run }: PairedUtterance, level: ErrorLevel): number {
  return run.errors[level] - base.errors[level]
}

/** A comparison that waits for its verdict, with what the verdict is made from. */
export interface Draft<Row> {
  readonly row: Row
  /** Null where there is nothing to judge. */
  readonly claim: Claim | null
  /** What was measured, in the unit of the margin, and of how many; for what would settle it. */
  readonly sample?: { readonly estimate: number; readonly count: number } | undefined
  /** Why a verdict of this kind is not given, whatever the interval says; null where it is. */
  readonly contradiction?: ((verdict: 'better' | 'worse') => string | null) | undefined
}

/** Before any verdict. */
export const unjudged: Judgement = { verdict: null, judgedBy: null, direction: null, moreNeeded: null }

/** A comparison whose rates and speeds wait for their verdicts. */
export interface ContenderDraft {
  readonly rates: readonly Draft<RateComparison>[]
  readonly speed: readonly Draft<SpeedComparison>[]
  readonly failures: Draft<FailureComparison>
  readonly rest: Omit<ContenderComparison, 'rates' | 'speed' | 'failures'>
}
