import { seededRandom, sumOf } from '#prelude'
import { countSpeakers } from '#rates/error-rate'
import type { ErrorLevel } from '#scoring/profiles/profile'
import { matchedSegmentsTest, signFlipTest, signTest, wilcoxonTest } from '#statistics/tests/paired-tests'
import { benjaminiHochbergAdjusted, holmAdjusted } from '#statistics/tests/required-runs'
import type { Significance } from '../documents/contender-comparison.ts'
import type { PairedUtterance } from '../figures/ranking/paired-rates.ts'

/** Min number of segments: the matched-pairs test treats their mean as normal, which it is not for few. */
const fewestSegments = 50

/** Max number of speakers: beyond it resampling is as good, and counting all sign flips takes long. */
const maxSpeakers = 20

/**
 * Runs the usual tests of "both sides make as many errors", in words or characters, for reports that require them.
 * Verdicts come from intervals and margins instead, because a test does not show whether a difference matters.
 *
 * @returns null where no utterance differs
 * @see Gillick and Cox 1989, doi:10.1109/ICASSP.1989.266481
 */
export function testDifference(
  pairs: readonly PairedUtterance[],
  level: ErrorLevel,
  seed: number,
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
    speakers: speakerTest(pairs, level, seed),
  }
}

/** Speakers are the independent units; with few of them a bootstrap is too optimistic. */
function speakerTest(
  pairs: readonly PairedUtterance[],
  level: ErrorLevel,
  seed: number,
): Significance['speakers'] {
  const count = countSpeakers(pairs.map(({ base }) => base.utterance)) ?? 0
  if (count < 2 || count >= maxSpeakers) return null
  const bySpeaker = Map.groupBy(pairs, ({ base }) => base.utterance.speaker)
  const sums = [...bySpeaker.values()].map((group) => sumOf(group, (pair) => errorDifference(pair, level)))
  const pValue = signFlipTest(sums, seededRandom(seed))
  return pValue === null ? null : { count, pValue }
}

/** Adjusts the first test of every contender for multiple comparisons. */
export function adjustedTogether<Contender extends { readonly significance: Significance | null }>(
  contenders: readonly Contender[],
): readonly Contender[] {
  const tested = contenders.flatMap(({ significance }) => significance?.matchedPairs ?? [])
  const adjusted = holmAdjusted(tested.map(({ pValue }) => pValue))
  return contenders.map((contender) => {
    const { significance } = contender
    const matchedPairs = significance?.matchedPairs ?? null
    if (significance === null || matchedPairs === null) return contender
    const adjustedPValue = adjusted[tested.indexOf(matchedPairs)] ?? 1
    return {
      ...contender,
      significance: { ...significance, matchedPairs: { ...matchedPairs, adjustedPValue } },
    }
  })
}

/**
 * Returns q-values of exploratory comparisons between groups (Benjamini and Hochberg), from the Wilcoxon test of
 * each. A q-value is the share of false discoveries among the groups up to it.
 *
 * @returns q-values in the order given; null where no utterance of a group differs
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
