import { seededRandom, sumOf } from '#prelude'
import { countSpeakers } from '#rates/error-rate'
import type { ErrorLevel } from '#scoring/profiles/profile'
import { matchedSegmentsTest, signFlipTest, signTest, wilcoxonTest } from '#statistics/tests/paired-tests'
import { benjaminiHochbergAdjusted, holmAdjusted } from '#statistics/tests/required-runs'
import type { Significance } from '../documents/contender-comparison.ts'
import type { PairedUtterance } from '../figures/ranking/paired-rates.ts'

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

/** Of independent units there are as many as speakers: with few of them a bootstrap claims more than it can know. */
function speakerTest(
  pairs: readonly PairedUtterance[],
  level: ErrorLevel,
  seed: number,
): Significance['speakers'] {
  const count = countSpeakers(pairs.map(({ base }) => base.utterance)) ?? 0
  if (count < 2 || count >= mostSpeakers) return null
  const bySpeaker = Map.groupBy(pairs, ({ base }) => base.utterance.speaker)
  const sums = [...bySpeaker.values()].map((own) => sumOf(own, (pair) => errorDifference(pair, level)))
  const pValue = signFlipTest(sums, seededRandom(seed))
  return pValue === null ? null : { count, pValue }
}

/** The first test of every contender, with what it is worth among those of all others. */
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
