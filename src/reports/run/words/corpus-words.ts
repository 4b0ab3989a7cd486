import type { Evaluation } from '#analysis'
import { counted, formatCount } from '../../layout/units.ts'

type Counted = Pick<Evaluation['corpus'], 'utteranceCount' | 'sampledFrom'>

/** `18 utterances`; `20 of 436 utterances` where they are a sample. */
export function utterancesOf({ utteranceCount, sampledFrom }: Counted): string {
  return sampledFrom == null
    ? counted(utteranceCount, 'utterance')
    : `${formatCount(utteranceCount)} of ${counted(sampledFrom, 'utterance')}`
}
