import { stat } from 'node:fs/promises'
import pLimit from 'p-limit'
import { growingTable, type NumberTable, numberAt, seededRandom } from '#prelude'
import { type PackedTexts, packedTexts } from './packed-texts.ts'
import type { Utterance } from './utterance.ts'

/** How much of a corpus is taken. */
export interface SampleOptions {
  readonly count: number
  /** The same seed takes the same utterances of the same corpus. */
  readonly seed: number
}

/**
 * Takes some of what is there, balanced by length: sorted by size and cut into as many strata as are wanted, with one
 * drawn at random from each. Short and long ones are in the sample in the shares that they have in the whole.
 *
 * @param size in any unit, the same for all
 * @returns in the order given; all of them where no fewer are wanted
 */
export function drawSample<Element extends { readonly id: string }>(
  elements: readonly Element[],
  size: (element: Element) => number,
  options: SampleOptions,
): readonly Element[] {
  if (options.count >= elements.length) return elements
  const sizes = elements.map(size)
  const drawn = drawIndexes(
    { length: elements.length, at: (index) => elements[index]?.id ?? '' },
    (index) => sizes[index] ?? 0,
    options,
  )
  return elements.filter((_, index) => drawn.has(index))
}

function drawIndexes(
  ids: Pick<PackedTexts, 'length' | 'at'>,
  sizeOf: (index: number) => number,
  { count, seed }: SampleOptions,
): ReadonlySet<number> {
  const random = seededRandom(seed)
  const sorted = sortedBySize(ids, sizeOf)
  const edge = (stratum: number): number => Math.floor((stratum * sorted.length) / count)
  return new Set(
    Array.from({ length: count }, (_, stratum) => {
      const from = edge(stratum)
      return sorted[from + random.below(edge(stratum + 1) - from)] ?? 0
    }),
  )
}

/** Indexes by size, and those of one size by id, so that the order of the lines decides nothing. */
function sortedBySize(
  ids: Pick<PackedTexts, 'length' | 'at'>,
  sizeOf: (index: number) => number,
): Uint32Array {
  const sizes = Float64Array.from({ length: ids.length }, (_, index) => sizeOf(index))
  const sizeAt = (index: number | undefined): number => sizes[index as number] as number
  const sorted = Uint32Array.from(sizes.keys()).sort((left, right) => sizeAt(left) - sizeAt(right))
  for (let from = 0, to = 0; from < sorted.length; from = to) {
    while (to < sorted.length && sizeAt(sorted[to]) === sizeAt(sorted[from])) to += 1
    const alike = sorted.subarray(from, to)
    // Each id is decoded once: a comparison of millions would do so again and again.
    const named = Array.from(alike, (index) => ({ index, id: ids.at(index) }))
    alike.set(named.sort((left, right) => (left.id < right.id ? -1 : 1)).map(({ index }) => index))
  }
  return sorted
}

/** Lines of a manifest that were drawn. */
export interface DrawnLines {
  readonly lines: ReadonlySet<number>
  /** How many utterances there were to draw from. */
  readonly from: number
}

/**
 * Draws some utterances of a manifest, opening none. Their length is what the manifest says, or where it does not say that
 * of every one, the size of their files; a file that is missing has none, and is found out if it is drawn.
 *
 * @param read begins to read the utterances that are drawn from
 */
export async function drawLines(
  read: () => AsyncIterable<readonly Utterance[]>,
  options: SampleOptions,
): Promise<DrawnLines> {
  const ids = packedTexts()
  const [lines, seconds] = [growingTable(1, 'code'), growingTable(1, 'double')]
  let isTimed = true
  for await (const batch of read()) {
    for (const { id, line, durationSeconds } of batch) {
      ids.add(id)
      lines.add([line])
      seconds.add([durationSeconds ?? 0])
      isTimed &&= durationSeconds !== null
    }
  }
  const { length: from } = ids
  const lineTable = lines.table()
  const lineAt = (index: number): number => numberAt(lineTable, index, 0)
  if (options.count >= from)
    return { lines: new Set(Array.from({ length: from }, (_, at) => lineAt(at))), from }
  const sizes = isTimed ? seconds.table() : await fileSizes(read())
  const drawn = drawIndexes(ids, (index) => numberAt(sizes, index, 0), options)
  return { lines: new Set([...drawn].map(lineAt)), from }
}

async function fileSizes(batches: AsyncIterable<readonly Utterance[]>): Promise<NumberTable> {
  const sizes = growingTable(1, 'double')
  for await (const batch of batches) {
    const found = await pLimit(filesAtOnce).map(batch, ({ audioPath }) =>
      stat(audioPath).then(
        ({ size }) => size,
        () => 0,
      ),
    )
    for (const size of found) sizes.add([size])
  }
  return sizes.table()
}

const filesAtOnce = 64
