import type { ContenderComparison } from '#analysis'
import { counted, formatCount } from './units.ts'

/** What a comparison rests on, as the rest of a sentence: `on the 6 utterances that both answered (74 words); …`. */
export function pairedFact({ pairedUtteranceCount, rates, identicalTextCount }: ContenderComparison): string {
  const words = rates.find(({ metric }) => metric === 'wer')?.base.referenceLength ?? 0
  const same =
    identicalTextCount === pairedUtteranceCount
      ? 'every text is the same on both sides'
      : `${formatCount(identicalTextCount)} with the same text on both sides`
  return `on the ${counted(pairedUtteranceCount, 'utterance')} that both answered (${counted(words, 'word')}); ${same}`
}

/** The same as a sentence of its own. */
export function pairedSentence(contender: ContenderComparison): string {
  const fact = pairedFact(contender)
  return `${fact.charAt(0).toUpperCase()}${fact.slice(1)}.`
}
