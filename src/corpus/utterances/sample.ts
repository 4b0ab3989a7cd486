import { stat } from 'node:fs/promises'
import pLimit from 'p-limit'
import { seededRandom } from '#prelude'
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
    elements.map(({ id }) => id),
    sizes,
    options,
  )
  return elements.filter((_, index) => drawn.has(index))
}

function drawIndexes(
  ids: readonly string[],
  sizes: readonly number[],
  { count, seed }: SampleOptions,
): ReadonlySet<number> {
  const random = seededRandom(seed)
  const sorted = sortedBySize(ids, sizes)
  const edge = (stratum: number): number => Math.floor((stratum * sorted.length) / count)
  return new Set(
    Array.from({ length: count }, (_, stratum) => {
      const from = edge(stratum)
      return sorted[from + random.below(edge(stratum + 1) - from)] ?? 0
    }),
  )
}

/** Indexes by size, and those of one size by id, so that the order of the lines decides nothing. */
function sortedBySize(ids: readonly string[], sizes: readonly number[]): readonly number[] {
  return [...ids.keys()].sort(
    (left, right) =>
      (sizes[left] ?? 0) - (sizes[right] ?? 0) || ((ids[left] ?? '') < (ids[right] ?? '') ? -1 : 1),
  )
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
  const ids: string[] = []
  const lines: number[] = []
  const seconds: number[] = []
  let isTimed = true
  for await (const batch of read()) {
    for (const { id, line, durationSeconds } of batch) {
      ids.push(id)
      lines.push(line)
      seconds.push(durationSeconds ?? 0)
      isTimed &&= durationSeconds !== null
    }
  }
  const { length: from } = ids
  if (options.count >= from) return { lines: new Set(lines), from }
  const drawn = drawIndexes(ids, isTimed ? seconds : await fileSizes(read()), options)
  return { lines: new Set([...drawn].map((index) => lines[index] as number)), from }
}

async function fileSizes(batches: AsyncIterable<readonly Utterance[]>): Promise<readonly number[]> {
  const sizes: number[] = []
  for await (const batch of batches) {
    const found = await pLimit(filesAtOnce).map(batch, ({ audioPath }) =>
      stat(audioPath).then(
        ({ size }) => size,
        () => 0,
      ),
    )
    sizes.push(...found)
  }
  return sizes
}

const filesAtOnce = 64
