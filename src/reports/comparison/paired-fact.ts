import type { ContenderComparison } from '#analysis'
import { leadingWords } from '../layout/rate-words.ts'
import { counted, formatCount } from '../layout/units.ts'

/** The paired utterances of a comparison, as the rest of a sentence: `on the 6 utterances answered on both sides (74 words); …`. */
export function pairedFact(contender: ContenderComparison): string {
  const { pairedUtteranceCount, rates, identicalTextCount } = contender
  const length = counted(rates[0]?.base.referenceLength ?? 0, leadingWords(contender).unit)
  const same =
    identicalTextCount === pairedUtteranceCount
      ? 'every text is the same on both sides'
      : `${formatCount(identicalTextCount)} with the same text on both sides`
  return `on the ${counted(pairedUtteranceCount, 'utterance')} answered on both sides (${length}); ${same}`
}

/** The same as a separate sentence. */
export function pairedSentence(contender: ContenderComparison): string {
  const fact = pairedFact(contender)
  return `${fact.charAt(0).toUpperCase()}${fact.slice(1)}.`
}
