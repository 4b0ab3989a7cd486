import { createHash } from 'node:crypto'
import type { Utterance } from './utterances/utterance.ts'

/**
 * Names the content of a corpus, utterance after utterance: ids, references and hashes of the recordings, in this order.
 * It is what `fingerprint` returns for the list of these, without their JSON in one piece, which may be longer than a
 * text can be.
 */
export interface CorpusFingerprint {
  add(utterance: Utterance): void
  finish(): string
}

export function corpusFingerprint(): CorpusFingerprint {
  const hash = createHash('sha256')
  let separator = '['
  return {
    add({ id, text, alternatives, hasChoices, sha256 }) {
      // Keys in alphabetical order are canonical JSON here, as all values are texts: a library takes four times as long.
      const named = {
        // Left out where there is none, so that corpora keep the name that they had.
        ...(alternatives.length === 0 ? {} : { alternatives }),
        ...(hasChoices ? { hasChoices } : {}),
        id,
        sha256,
        text,
      }
      hash.update(separator + JSON.stringify(named))
      separator = ','
    },
    finish: () => hash.update(separator === '[' ? '[]' : ']').digest('hex'),
  }
}
