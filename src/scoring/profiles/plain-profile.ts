import type { AlignmentRule } from '../alignment/align.ts'
import { areUnspaced } from '../tokens.ts'
import { basic, unspaced } from './basic.ts'
import { jiwer, sclite } from './peers.ts'
import type { Profile } from './profile.ts'

/**
 * The default profile where no language is known: for an alignment that follows another scorer, the text as that scorer
 * takes it; else `unspaced` or `basic`, by the script of the texts.
 *
 * @param texts references
 */
export function plainProfile(alignment: AlignmentRule = 'canonical', texts: Iterable<string> = []): Profile {
  if (alignment === 'jiwer') return jiwer
  if (alignment === 'sclite') return sclite
  return areUnspaced(texts) ? unspaced : basic
}
