import { matchingRegions, mergeCompounds, type WordPair } from '../alignment/compounds.ts'
import type { Pairing } from './profile.ts'
import { chooseReadings } from './readings.ts'

/** Two normalised texts, made comparable with each other. */
export function pairTexts(
  said: string,
  heard: string,
  pairing: Pairing,
): { readonly said: string; readonly heard: string } {
  if (pairing === 'readings') return chooseReadings(said, heard)
  if (said === heard) return { said, heard }
  const words = { reference: wordsOf(said), hypothesis: wordsOf(heard) }
  const { reference, hypothesis } = mergeCompounds(pairing === 'compounds' ? words : joinRegions(words))
  return { said: reference.join(' '), heard: hypothesis.join(' ') }
}

function wordsOf(text: string): string[] {
  return text.split(' ').filter((word) => word !== '')
}

/** Does what `normalize_compound_pairs` of the Open ASR Leaderboard does. */
function joinRegions({ reference, hypothesis }: WordPair): WordPair {
  const said: string[] = []
  const heard: string[] = []
  for (const region of matchingRegions(reference, hypothesis)) {
    const ours = reference.slice(...region.reference)
    const theirs = hypothesis.slice(...region.hypothesis)
    const isOneWord = !region.isEqual && ours.join('') === theirs.join('')
    said.push(...(isOneWord ? [ours.join('')] : ours))
    heard.push(...(isOneWord ? [theirs.join('')] : theirs))
  }
  return { reference: said, hypothesis: heard }
}
