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

/** All paths through a transcript, as arcs in an order in which predecessors come first. Arc 0 leads in. */
export interface Network {
  readonly arcs: readonly Arc[]
  /** Arcs with which the transcript can end, in their written order. */
  readonly ends: readonly number[]
  /** Arcs that every path goes through, arc 0 among them, in order. */
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

export function hasChoice(parts: readonly TranscriptPart[]): boolean {
  return parts.some((part) => part.kind !== 'words')
}

/** An `@` outside of braces: sclite alone aligns it, with nothing or with a word, and so it decides between alignments. */
export const unsaid: TranscriptPart = { kind: 'alternatives', branches: [[]] }

function isUnsaid(part: TranscriptPart): boolean {
  return part.kind === 'alternatives' && part.branches.length === 1 && part.branches[0]?.length === 0
}

/** A transcript as all aligners but sclite's read it: words around an `@` are one run of words. */
export function withoutUnsaid(parts: readonly TranscriptPart[]): readonly TranscriptPart[] {
  const kept: TranscriptPart[] = []
  for (const part of parts) {
    const last = kept.at(-1)
    if (isUnsaid(part)) continue
    if (part.kind === 'words' && last?.kind === 'words')
      kept[kept.length - 1] = { kind: 'words', words: [...last.words, ...part.words] }
    else if (part.kind === 'alternatives') kept.push({ ...part, branches: part.branches.map(withoutUnsaid) })
    else kept.push(part)
  }
  return kept
}

export function plainWords(parts: readonly TranscriptPart[]): string[] {
  return parts.flatMap((part) => (part.kind === 'words' ? part.words : []))
}

/** What moves cost, and which of equally dear ones is made. */
export interface NetworkCosts {
  deletion(arc: Arc): number
  insertion(arc: Arc): number
  readonly hit: number
  readonly substitution: number
  /** Nothing paired with nothing. */
  readonly silentPair: number
  /** Nothing paired with a word. */
  readonly halfSilentPair: number
  /** Whether sums are rounded to single precision. */
  readonly isSingle: boolean
  /** Whether two words that are paired count as the same. */
  readonly isHit: (a: Arc, b: Arc) => boolean
  /** Chooses between the costs of a pair, a deletion and an insertion. */
  choose(pair: number, deletion: number, insertion: number): 'pair' | 'deletion' | 'insertion'
}

// Edits before hits before words of the reading: each as large as all that can come below it.
const edit = 2 ** 34
const hitBonus = 2 ** 17

/**
 * The canonical ones: fewest edits, among those most hits, among those the longest reading of the reference,
 * which has the lowest rate. An optional word that was not said costs nothing.
 */
export const canonicalCosts: NetworkCosts = {
  deletion: (arc) => (arc.kind === 'word' ? edit - 1 : 0),
  insertion: (arc) => (arc.kind === 'word' ? edit : 0),
  hit: -hitBonus - 1,
  substitution: edit - 1,
  silentPair: Number.POSITIVE_INFINITY,
  halfSilentPair: Number.POSITIVE_INFINITY,
  isSingle: false,
  isHit: (a, b) => a.token === b.token,
  choose(pair, deletion, insertion) {
    if (insertion <= pair && insertion <= deletion) return 'insertion'
    return deletion <= pair ? 'deletion' : 'pair'
  },
}

/** A move along a network: arcs of either side, null where a side stays. */
export interface NetworkMove {
  readonly reference: Arc | null
  readonly hypothesis: Arc | null
}

/** One row of the matrix: for each arc of the hypothesis, the least cost of being at both arcs. */
interface Row {
  readonly arc: number
  readonly costs: Float64Array
  /** Where each cell was reached from, in arcs of either side. Only while walking back. */
  readonly fromReference: Int32Array | null
  readonly fromHypothesis: Int32Array | null
}

interface Matrix {
  readonly reference: Network
  readonly hypothesis: Network
  readonly costs: NetworkCosts
}

/**
 * The cheapest path through both networks at once, in reading order.
 *
 * Rows are kept where every path through the reference passes, about √n of them, and what lies between two
 * kept rows is worked out again on the way back, so that memory does not grow with the product of both.
 *
 * @see SCTK, net_dp.c (Network_dpalign)
 */
export function alignNetworks(reference: Network, hypothesis: Network, costs: NetworkCosts): NetworkMove[] {
  const matrix: Matrix = { reference, hypothesis, costs }
  const stride = Math.max(64, Math.ceil(Math.sqrt(reference.arcs.length)))
  const cuts = new Set(reference.cuts)
  const first = rowOf(matrix, 0, new Map(), false)
  const keptRows = [first]
  let rows = new Map([[0, first]])
  for (let arc = 1; arc < reference.arcs.length; arc += 1) {
    const row = rowOf(matrix, arc, rows, false)
    rows.set(arc, row)
    if (!cuts.has(arc)) continue
    // What came before a cut is not needed for what comes after it.
    rows = new Map([[arc, row]])
    if (arc - (keptRows.at(-1)?.arc ?? 0) >= stride) keptRows.push(row)
  }
  return walkBack(matrix, keptRows, cheapestEnd(matrix, rows))
}

interface Cell {
  readonly reference: number
  readonly hypothesis: number
}

/** The cheapest pair of ends; the first written one where several are as cheap. */
function cheapestEnd({ reference, hypothesis }: Matrix, rows: ReadonlyMap<number, Row>): Cell {
  let least = Number.POSITIVE_INFINITY
  let end: Cell = { reference: 0, hypothesis: 0 }
  for (const a of reference.ends) {
    for (const b of hypothesis.ends) {
      const cost = rows.get(a)?.costs[b] ?? Number.POSITIVE_INFINITY
      if (cost >= least) continue
      least = cost
      end = { reference: a, hypothesis: b }
    }
  }
  return end
}

/** Works out one row from the rows of its predecessors; of several paths that are as cheap, the first written one is taken. */
function rowOf(matrix: Matrix, arc: number, rows: ReadonlyMap<number, Row>, recordsOrigins: boolean): Row {
  const { reference, hypothesis, costs } = matrix
  const a = reference.arcs[arc] as Arc
  const before = a.predecessors.map((from) => rows.get(from)?.costs as Float64Array)
  const width = hypothesis.arcs.length
  const row = new Float64Array(width)
  const fromReference = recordsOrigins ? new Int32Array(width) : null
  const fromHypothesis = recordsOrigins ? new Int32Array(width) : null
  const sum = (cost: number, more: number): number =>
    costs.isSingle ? Math.fround(cost + Math.fround(more)) : cost + more
  for (let column = arc === 0 ? 1 : 0; column < width; column += 1) {
    const b = hypothesis.arcs[column] as Arc
    let inserted = farthest
    let insertedFrom = -1
    for (const from of b.predecessors) {
      const cost = row[from] as number
      if (cost >= inserted) continue
      inserted = cost
      insertedFrom = from
    }
    let deleted = farthest
    let deletedFrom = -1
    let paired = farthest
    let pairedFrom = -1
    let pairedWith = -1
    for (let at = 0; at < before.length; at += 1) {
      const cells = before[at] as Float64Array
      const from = a.predecessors[at] as number
      const cost = cells[column] as number
      if (cost < deleted) {
        deleted = cost
        deletedFrom = from
      }
      for (const other of b.predecessors) {
        const both = cells[other] as number
        if (both >= paired) continue
        paired = both
        pairedFrom = from
        pairedWith = other
      }
    }
    inserted = sum(inserted, costs.insertion(b))
    deleted = sum(deleted, costs.deletion(a))
    paired = sum(paired, pairCost(a, b, costs))
    const move = arc === 0 ? 'insertion' : column === 0 ? 'deletion' : costs.choose(paired, deleted, inserted)
    row[column] = move === 'pair' ? paired : move === 'deletion' ? deleted : inserted
    if (fromReference === null || fromHypothesis === null) continue
    fromReference[column] = move === 'pair' ? pairedFrom : move === 'deletion' ? deletedFrom : arc
    fromHypothesis[column] = move === 'pair' ? pairedWith : move === 'deletion' ? column : insertedFrom
  }
  return { arc, costs: row, fromReference, fromHypothesis }
}

const farthest = Number.POSITIVE_INFINITY

function pairCost(a: Arc, b: Arc, costs: NetworkCosts): number {
  if (a.kind === 'null' || b.kind === 'null') {
    return a.kind === b.kind ? costs.silentPair : costs.halfSilentPair
  }
  return costs.isHit(a, b) ? costs.hit : costs.substitution
}

function walkBack(matrix: Matrix, keptRows: readonly Row[], end: Cell): NetworkMove[] {
  const moves: NetworkMove[] = []
  let { reference: a, hypothesis: b } = end
  let last = matrix.reference.arcs.length - 1
  for (const start of keptRows.toReversed()) {
    const rows = new Map([[start.arc, start]])
    for (let arc = start.arc + 1; arc <= last; arc += 1) rows.set(arc, rowOf(matrix, arc, rows, true))
    if (start.arc === 0) rows.set(0, rowOf(matrix, 0, rows, true))
    last = start.arc
    while ((a > start.arc || start.arc === 0) && (a > 0 || b > 0)) {
      const row = rows.get(a) as Row
      const fromA = row.fromReference?.[b] as number
      const fromB = row.fromHypothesis?.[b] as number
      moves.push({
        reference: fromA === a ? null : (matrix.reference.arcs[a] as Arc),
        hypothesis: fromA !== a && fromB === b ? null : (matrix.hypothesis.arcs[b] as Arc),
      })
      a = fromA
      b = fromB
    }
  }
  return moves.reverse()
}

/** The options of sclite that decide what counts as an error. Both are off by default, as there. */
export interface ScliteOptions {
  /** `-D`: a word in parentheses that was not said is right. Without it the parentheses are letters. */
  readonly optionalDeletions?: boolean
  /** `-F`: a fragment (`fi-`, `-sh`) is right where the other word begins, respectively ends, as it does. */
  readonly fragments?: boolean
}

/**
 * The costs of sclite: correct 0, substitution 4, gap 3, an optional word that was not said 2, an empty branch 0.001,
 * two empty branches against each other 1. Sums are in single precision, as its cells are. A pair is taken unless a
 * gap is cheaper, and a deletion only if an insertion is dearer.
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

/** Whether a word is a fragment; of an optional one sclite looks at the end alone: `(-sh)` is none. */
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
