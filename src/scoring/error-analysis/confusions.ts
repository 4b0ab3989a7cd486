import type { AlignmentStep, Confusion } from '../shapes.ts'

/** An aligned utterance, for looking at its errors. */
interface AlignedUtterance {
  readonly id: string
  readonly steps: readonly AlignmentStep[]
  /** How often it was recognised in this way; default: once. */
  readonly times?: number
}

/** Errors by what was mistaken for what, the most frequent first, equals in the order of the alphabet. */
interface Confusions {
  readonly substitutions: readonly Confusion[]
  readonly deletions: readonly Confusion[]
  readonly insertions: readonly Confusion[]
}

interface ConfusionOptions {
  /** A run of errors counts as one: “one two” for “uno dos”. */
  readonly phrases?: boolean
}

/** Counts confusions utterance by utterance, in memory that grows with the different ones alone. */
export interface ConfusionTally {
  add(utterance: AlignedUtterance): void
  /** @param limit of each kind; default: no limit */
  result(limit?: number): Confusions
  /** How many different ones there are of each kind. */
  distinct(): Readonly<Record<keyof Confusions, number>>
}

/** Starts to count which words were mistaken for which. The pairs depend on the alignment; name it next to the table. */
export function startConfusions({ phrases = false }: ConfusionOptions = {}): ConfusionTally {
  const counted = forEachKind(() => new Map<string, Counted>())
  return {
    add({ id, steps, times = 1 }) {
      const errors = phrases ? phrasesOf(steps) : steps.filter((step) => step.kind !== 'hit')
      for (const error of errors) count(counted[kindOf(error)], error, id, times)
    },
    result: (limit = Number.POSITIVE_INFINITY) =>
      forEachKind((kind) => [...counted[kind].values()].sort(byFrequency).slice(0, limit)),
    distinct: () => forEachKind((kind) => counted[kind].size),
  }
}

function forEachKind<Value>(make: (kind: keyof Confusions) => Value): Record<keyof Confusions, Value> {
  return {
    substitutions: make('substitutions'),
    deletions: make('deletions'),
    insertions: make('insertions'),
  }
}

interface ErrorText {
  readonly reference: string | null
  readonly hypothesis: string | null
}

interface Counted extends ErrorText {
  count: number
  readonly utteranceIds: string[]
}

const listedIds = 10

function kindOf({ reference, hypothesis }: ErrorText): keyof Confusions {
  if (reference === null) return 'insertions'
  return hypothesis === null ? 'deletions' : 'substitutions'
}

/** Within a kind, equal for the same texts alone: the length says where one text ends, whatever it contains. */
function keyOf({ reference, hypothesis }: ErrorText): string {
  if (reference === null) return hypothesis ?? ''
  return hypothesis === null ? reference : `${reference.length} ${reference}${hypothesis}`
}

function count(counted: Map<string, Counted>, error: ErrorText, id: string, times: number): void {
  const key = keyOf(error)
  let entry = counted.get(key)
  if (entry === undefined) {
    const { reference, hypothesis } = error
    entry = { reference, hypothesis, count: 0, utteranceIds: [] }
    counted.set(key, entry)
  }
  entry.count += times
  const { utteranceIds } = entry
  if (utteranceIds.length < listedIds && !utteranceIds.includes(id)) utteranceIds.push(id)
}

/** The most frequent first, equals in the order of the alphabet. */
function byFrequency(a: Confusion, b: Confusion): number {
  return b.count - a.count || compare(a.reference, b.reference) || compare(a.hypothesis, b.hypothesis)
}

/** Compares code units, which have the same order under every locale. */
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

const bounds = [2, 5, 10, 30] as const

/** The bucket of a recording's length: `0-2 s`, `2-5 s`, `5-10 s`, `10-30 s`, `30 s and more`. */
export function durationBucket(seconds: number): string {
  const next = bounds.findIndex((bound) => seconds < bound)
  if (next < 0) return `${bounds.at(-1)} s and more`
  return `${bounds[next - 1] ?? 0}-${bounds[next]} s`
}
