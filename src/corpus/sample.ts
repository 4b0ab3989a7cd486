import { stat } from 'node:fs/promises'
import pLimit from 'p-limit'
import { seededRandom } from '#prelude'
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
  const drawn = drawIndexes(
    { length: elements.length, at: (index) => elements[index]?.id ?? '' },
    elements.map(size),
    options,
  )
  return elements.filter((_, index) => drawn.has(index))
}

/** @param sizes of the ids, in their order */
function drawIndexes(
  ids: Pick<PackedTexts, 'length' | 'at'>,
  sizes: readonly number[],
  { count, seed }: SampleOptions,
): ReadonlySet<number> {
  const random = seededRandom(seed)
  const sizeOf = (index: number): number => sizes[index] ?? 0
  const sorted = Uint32Array.from({ length: ids.length }, (_, index) => index).sort(
    (left, right) => sizeOf(left) - sizeOf(right) || (ids.at(left) < ids.at(right) ? -1 : 1),
  )
  const edge = (stratum: number): number => Math.floor((stratum * sorted.length) / count)
  return new Set(
    Array.from({ length: count }, (_, stratum) => {
      const from = edge(stratum)
      return sorted[from + random.below(edge(stratum + 1) - from)] ?? 0
    }),
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
  const ids = packedTexts()
  const [lines, seconds]: [number[], number[]] = [[], []]
  for await (const batch of read()) {
    for (const utterance of batch) {
      ids.add(utterance.id)
      lines.push(utterance.line)
      seconds.push(utterance.durationSeconds ?? Number.NaN)
    }
  }
  if (options.count >= ids.length) return { lines: new Set(lines), from: ids.length }
  const sizes = seconds.some(Number.isNaN) ? await fileSizes(read()) : seconds
  const drawn = drawIndexes(ids, sizes, options)
  return { lines: new Set([...drawn].map((index) => lines[index] ?? 0)), from: ids.length }
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
