import { type AlignedUtterance, type Confusion, type Confusions, confusionKey, confusions } from '#scoring'

/** Counts confusions utterance by utterance, in memory that grows with the different ones alone. */
export interface ConfusionTally {
  add(utterance: AlignedUtterance): void
  /** The most frequent of each kind. */
  result(limit: number): Confusions
  /** How many different ones there are of each kind. */
  distinct(): Readonly<Record<keyof Confusions, number>>
}

const batchLength = 1000
const listedIds = 10

/** Starts to count, word for word, or with `phrases` by runs of errors. */
export function startConfusions(options: { readonly phrases?: boolean } = {}): ConfusionTally {
  const kinds = ['substitutions', 'deletions', 'insertions'] as const
  const counted = { substitutions: new Map(), deletions: new Map(), insertions: new Map() } as Record<
    (typeof kinds)[number],
    Map<string, Confusion>
  >
  let batch: AlignedUtterance[] = []
  const fold = (): void => {
    const found = confusions(batch, options)
    for (const kind of kinds) for (const confusion of found[kind]) merge(counted[kind], confusion)
    batch = []
  }
  return {
    add(utterance) {
      batch.push(utterance)
      if (batch.length === batchLength) fold()
    },
    result(limit) {
      fold()
      const top = (kind: (typeof kinds)[number]): Confusion[] =>
        [...counted[kind].values()].sort(byFrequency).slice(0, limit)
      return {
        substitutions: top('substitutions'),
        deletions: top('deletions'),
        insertions: top('insertions'),
      }
    },
    distinct() {
      fold()
      return {
        substitutions: counted.substitutions.size,
        deletions: counted.deletions.size,
        insertions: counted.insertions.size,
      }
    },
  }
}

function merge(counted: Map<string, Confusion>, confusion: Confusion): void {
  const key = confusionKey(confusion)
  const known = counted.get(key)
  if (known === undefined) counted.set(key, confusion)
  else {
    const utteranceIds =
      known.utteranceIds.length >= listedIds
        ? known.utteranceIds
        : [...new Set([...known.utteranceIds, ...confusion.utteranceIds])].slice(0, listedIds)
    counted.set(key, { ...known, count: known.count + confusion.count, utteranceIds })
  }
}

/** The most frequent first, equals in the order of the alphabet. */
function byFrequency(a: Confusion, b: Confusion): number {
  return b.count - a.count || compare(a.reference, b.reference) || compare(a.hypothesis, b.hypothesis)
}

function compare(a: string | null, b: string | null): number {
  return (a ?? '') < (b ?? '') ? -1 : (a ?? '') > (b ?? '') ? 1 : 0
}
