/**
 * A part of a transcript that leaves a choice: words, a word that need not be said, or alternatives, each
 * again a list of parts. An alternative without parts means silence.
 */
export type TranscriptPart =
  | { readonly kind: 'words'; readonly words: readonly string[] }
  | { readonly kind: 'optional'; readonly word: string }
  | { readonly kind: 'alternatives'; readonly branches: readonly (readonly TranscriptPart[])[] }

/** One word of a network, or none (`@`), with the arcs that can come before it. */
export interface Arc {
  readonly token: string
  readonly kind: 'word' | 'optional' | 'null'
  /** Indexes of the arcs that lead to this one, in their written order. */
  readonly predecessors: readonly number[]
}

/** All ways through a transcript, as arcs in an order in which predecessors come first. Arc 0 leads in. */
export interface Network {
  readonly arcs: readonly Arc[]
  /** Arcs with which the transcript can end, in their written order. */
  readonly ends: readonly number[]
  /** Arcs that every way goes through, arc 0 among them, in order. */
  readonly cuts: readonly number[]
}

const silence: Omit<Arc, 'predecessors'> = { token: '@', kind: 'null' }

/** The network of a transcript; alternatives keep their written order, which decides between equals. */
export function networkOf(parts: readonly TranscriptPart[]): Network {
  const arcs: Arc[] = [{ ...silence, predecessors: [] }]
  const cuts = [0]
  const append = (arc: Omit<Arc, 'predecessors'>, predecessors: readonly number[]): readonly number[] => {
    arcs.push({ ...arc, predecessors })
    return [arcs.length - 1]
  }
  const build = (
    sequence: readonly TranscriptPart[],
    before: readonly number[],
    depth: number,
  ): readonly number[] => {
    let last = before
    for (const part of sequence) {
      if (part.kind === 'alternatives') {
        const from = last
        last = part.branches.flatMap((branch) =>
          isSilent(branch) ? append(silence, from) : build(branch, from, depth + 1),
        )
      } else {
        const words = part.kind === 'words' ? part.words : [part.word]
        const kind = part.kind === 'words' ? 'word' : 'optional'
        for (const token of words) {
          last = append({ token, kind }, last)
          if (depth === 0) cuts.push(arcs.length - 1)
        }
      }
    }
    return last
  }
  const ends = build(parts, [0], 0)
  return { arcs, ends, cuts }
}

function isSilent(branch: readonly TranscriptPart[]): boolean {
  return branch.every((part) =>
    part.kind === 'words'
      ? part.words.length === 0
      : part.kind === 'alternatives' && part.branches.length === 0,
  )
}

/** Whether a transcript leaves a choice at all. */
export function hasChoice(parts: readonly TranscriptPart[]): boolean {
  return parts.some((part) => part.kind !== 'words')
}

/** The words of a transcript without choices. */
export function plainWords(parts: readonly TranscriptPart[]): string[] {
  return parts.flatMap((part) => (part.kind === 'words' ? part.words : []))
}
