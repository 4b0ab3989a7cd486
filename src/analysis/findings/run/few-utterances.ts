import { largestContender } from '../largest-contender.ts'
import type { RunFinding } from '../run-facts.ts'
import { counted } from '../wording.ts'

/** Differences up to this size are what users ask about; a corpus that cannot show them says so. */
const wantedResolution = 0.01

/** Utterances of the corpus `prompts`. */
const promptCount = 329

export const fewUtterances = {
  code: 'FEW_UTTERANCES',
  severity: 'warning',
  meaning:
    'The corpus is too small to show a difference of one point in the error rate that comes first. The size given is half the ' +
    'width of the 95% interval (of the difference, where two contenders were measured), and never less than 3 ' +
    'errors in the words (or characters) at hand: with no error among N of them the true rate may still be 3/N (the rule of three).',
  detect: (facts) => {
    const { leads } = facts.scorer.profile
    const largest = largestContender(facts)
    if (largest === null) return []
    const { utteranceCount, scoredCount, [leads]: own } = largest
    // What is said again in the next round adds nothing to the length.
    const length = (own.referenceLength * utteranceCount) / scoredCount
    // Where no error occurred there is no interval, and the rule of three alone speaks.
    const noWidth = utteranceCount > 1 && own.rate === 0 ? { low: 0, high: 0 } : null
    const { difference } = facts
    const compared = leads === 'words' ? difference?.wordErrorRate : difference?.characterErrorRate
    const resolvable = resolvableDifference(compared?.interval ?? own.interval ?? noWidth, length)
    if (resolvable !== null && resolvable <= wantedResolution) return []
    const what =
      resolvable === null ? 'no difference' : `a difference of about ${points(resolvable)}, not less`
    return [
      {
        message: `${counted(utteranceCount, 'utterance')} can resolve ${what}`,
        advice: `use a larger corpus: ${largerThan(utteranceCount)}`,
      },
    ]
  },
} satisfies RunFinding

/** A corpus that can be had with one command and has more than so many utterances. */
function largerThan(utteranceCount: number): string {
  return utteranceCount < promptCount
    ? 'transcribench corpus fetch prompts, then --corpus prompts'
    : 'transcribench corpus import librispeech, then --corpus librispeech-test-clean'
}

/** Half the width of the interval, and never less than 3 errors in the words at hand (rule of three). */
function resolvableDifference(
  interval: { readonly low: number; readonly high: number } | null,
  wordCount: number,
): number | null {
  if (interval === null || wordCount === 0) return null
  return Math.max((interval.high - interval.low) / 2, 3 / wordCount)
}

function points(rate: number): string {
  const value = rate * 100
  const rounded = value >= 2 ? Math.round(value) : Number(value.toFixed(1))
  return `${rounded} percentage point${rounded === 1 ? '' : 's'}`
}
