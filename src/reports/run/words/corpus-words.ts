import type { Evaluation } from '#analysis'
import { counted, formatCount } from '../../layout/units.ts'

type Counted = Pick<Evaluation['corpus'], 'utteranceCount' | 'sampledFrom'>

/** `18 utterances`; `20 of 436 utterances` where they are a sample. */
export function utterancesOf({ utteranceCount, sampledFrom }: Counted): string {
  return sampledFrom == null
    ? counted(utteranceCount, 'utterance')
    : `${formatCount(utteranceCount)} of ${counted(sampledFrom, 'utterance')}`
}

/** Of references whose manifest names no language, what they are scored as, and what changes that. */
export function writtenWords(language: string): string {
  const name = new Intl.DisplayNames('en', { type: 'language' }).of(language) ?? language
  return `references read as ${name}; --profile sets another one`
}
