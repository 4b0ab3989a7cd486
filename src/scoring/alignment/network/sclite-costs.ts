import type { Arc, TranscriptPart } from './network.ts'
import type { NetworkCosts } from './network-alignment.ts'

/** The options of sclite that decide what counts as an error. Both are off by default, as there. */
export interface ScliteOptions {
  /** `-D`: a word in parentheses that was not said is right. Without it the parentheses are letters. */
  readonly optionalDeletions?: boolean
  /** `-F`: a fragment (`fi-`, `-sh`) is right where the other word begins, respectively ends, as it does. */
  readonly fragments?: boolean
}

/**
 * sclite's: correct 0, substitution 4, gap 3, optional word 2, nothing 0.001, nothing for nothing 1; sums in
 * single precision, as its cells are. A pair unless a gap is cheaper, a deletion only if an insertion is dearer.
 *
 * @see SCTK, word.c (wwd_WORD, equal_WORD2) and net_dp.c (calculate_internal_cells)
 */
export function scliteCostsOf({ fragments = false }: ScliteOptions): NetworkCosts {
  return {
    deletion: gap,
    insertion: gap,
    hit: 0,
    substitution: 4,
    silentPair: 1,
    halfSilentPair: 4,
    isSingle: true,
    isHit: fragments ? isHitOfFragments : (a, b) => a.token === b.token,
    choose(pair, deletion, insertion) {
      if (pair <= deletion && pair <= insertion) return 'pair'
      return deletion < insertion ? 'deletion' : 'insertion'
    },
  }
}

function gap(arc: Arc): number {
  return arc.kind === 'null' ? 0.001 : arc.kind === 'optional' ? 2 : 3
}

/** Words in parentheses as sclite reads them without `-D`: the parentheses are letters of the word. */
export function literalOptions(parts: readonly TranscriptPart[]): TranscriptPart[] {
  return parts.map((part): TranscriptPart => {
    if (part.kind === 'optional') return { kind: 'words', words: [`(${part.word})`] }
    return part.kind === 'words' ? part : { ...part, branches: part.branches.map(literalOptions) }
  })
}

/** Whether a word that is not optional is a fragment. */
export function isFragmentWord(word: string): boolean {
  return word.startsWith('-') || word.endsWith('-')
}

/** Of optional words sclite looks at the end alone: `(-sh)` is none. */
function isFragment({ kind, token }: Arc): boolean {
  return kind === 'optional' ? token.endsWith('-') : isFragmentWord(token)
}

function isHitOfFragments(a: Arc, b: Arc): boolean {
  if (!isFragment(a) && !isFragment(b)) return a.token === b.token
  return agrees(a.token, b.token) ?? agrees(b.token, a.token) ?? a.token === b.token
}

/** Whether a word agrees with a fragment; null where the first is none. */
function agrees(fragment: string, word: string): boolean | null {
  if (fragment.length < 2) return null
  if (fragment.startsWith('-')) return word.endsWith(fragment.slice(1))
  return fragment.endsWith('-') ? word.startsWith(fragment.slice(0, -1)) : null
}
