import { largestContender } from '../largest-contender.ts'
import type { RunFinding } from '../run-facts.ts'
import { counted } from '../wording.ts'

/** Differences up to this size are what users ask about; a corpus that cannot show them says so. */
const wantedResolution = 0.01

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
        advice: largerThan(utteranceCount, resolvable, facts.material.record.corpus.name),
      },
    ]
  },
} satisfies RunFinding

/**
 * The larger corpus that comes with the program, for the small one; any other corpus is someone's own question, which other
 * speech does not answer.
 */
function largerThan(utteranceCount: number, resolvable: number | null, corpusName: string): string {
  if (corpusName === 'quick')
    return 'use a larger corpus: transcribench corpus fetch prompts, then --corpus prompts'
  // An interval narrows with the square root of the number of utterances.
  const needed = resolvable === null ? null : utteranceCount * (resolvable / wantedResolution) ** 2
  const count = needed === null || needed > 1e6 ? '' : `: about ${roundedUp(needed)} resolve 1 point`
  return `add recordings of the same kind to ${corpusName}${count}`
}

/** To two figures: nobody plans 3,803 utterances. */
function roundedUp(value: number): string {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(value)) - 1)
  return (Math.ceil(value / unit) * unit).toLocaleString('en')
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
