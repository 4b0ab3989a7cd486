import type { AlignmentStep } from '../alignment/steps.ts'

/** An error that occurs again and again. */
export interface Confusion {
  /** Null for an insertion. */
  readonly reference: string | null
  /** Null for a deletion. */
  readonly hypothesis: string | null
  readonly count: number
  /** The first of the utterances that it occurs in, at most ten. */
  readonly utteranceIds: readonly string[]
}

/** An aligned utterance, for looking at its errors. */
export interface AlignedUtterance {
  readonly id: string
  readonly steps: readonly AlignmentStep[]
  /** How often it was recognised just so; once unless told. */
  readonly times?: number
}

/** Errors by what was mistaken for what, the most frequent first, equals in the order of the alphabet. */
export interface Confusions {
  readonly substitutions: readonly Confusion[]
  readonly deletions: readonly Confusion[]
  readonly insertions: readonly Confusion[]
}

/**
 * Counts which words were mistaken for which. With `phrases`, a run of errors is one: “one two” for “uno dos”.
 * Which words stand opposite each other depends on the alignment; name it beside the table.
 */
export function confusions(
  utterances: Iterable<AlignedUtterance>,
  options: { readonly phrases?: boolean } = {},
): Confusions {
  const counted = new Map<string, Counted>()
  for (const { id, steps, times = 1 } of utterances) {
    const errors = options.phrases === true ? phrasesOf(steps) : steps.filter((step) => step.kind !== 'hit')
    for (const error of errors) add(counted, error, id, times)
  }
  const all = [...counted.values()].sort(
    (a, b) => b.count - a.count || compare(a.reference, b.reference) || compare(a.hypothesis, b.hypothesis),
  )
  return {
    substitutions: all.filter(({ reference, hypothesis }) => reference !== null && hypothesis !== null),
    deletions: all.filter(({ hypothesis }) => hypothesis === null),
    insertions: all.filter(({ reference }) => reference === null),
  }
}

interface Counted {
  readonly reference: string | null
  readonly hypothesis: string | null
  count: number
  readonly utteranceIds: string[]
}

interface ErrorText {
  readonly reference: string | null
  readonly hypothesis: string | null
}

const listedIds = 10

function add(
  counted: Map<string, Counted>,
  { reference, hypothesis }: ErrorText,
  id: string,
  times: number,
): void {
  const key = confusionKey({ reference, hypothesis })
  let known = counted.get(key)
  if (known === undefined) {
    known = { reference, hypothesis, count: 0, utteranceIds: [] }
    counted.set(key, known)
  }
  known.count += times
  if (known.utteranceIds.length < listedIds && known.utteranceIds.at(-1) !== id) known.utteranceIds.push(id)
}

/** Equal for confusions of the same texts alone. */
export function confusionKey({ reference, hypothesis }: Pick<Confusion, 'reference' | 'hypothesis'>): string {
  if (reference === null) return `+${hypothesis}`
  // The length says where one text ends, whatever stands in it.
  return hypothesis === null ? `-${reference}` : `${reference.length} ${reference}${hypothesis}`
}

/** By code units: the same order under every locale. */
function compare(a: string | null, b: string | null): number {
  return (a ?? '') < (b ?? '') ? -1 : (a ?? '') > (b ?? '') ? 1 : 0
}

/** Runs of errors between two hits, each as one text on either side. */
function phrasesOf(steps: readonly AlignmentStep[]): ErrorText[] {
  const phrases: ErrorText[] = []
  let run: AlignmentStep[] = []
  const endRun = (): void => {
    if (run.length > 0) {
      const text = (words: readonly (string | null)[]): string | null =>
        words.filter((word) => word !== null).join(' ') || null
      phrases.push({
        reference: text(run.map((step) => step.reference)),
        hypothesis: text(run.map((step) => step.hypothesis)),
      })
    }
    run = []
  }
  for (const step of steps) {
    if (step.kind === 'hit') endRun()
    else run.push(step)
  }
  endRun()
  return phrases
}
