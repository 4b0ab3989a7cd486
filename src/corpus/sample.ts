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

interface Sized {
  readonly id: string
  readonly size: number
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
  { count, seed }: SampleOptions,
): readonly Element[] {
  if (count >= elements.length) return elements
  const random = seededRandom(seed)
  const sorted = elements
    .map((element): Sized => ({ id: element.id, size: size(element) }))
    .sort((left, right) => left.size - right.size || (left.id < right.id ? -1 : 1))
  const edge = (stratum: number): number => Math.floor((stratum * sorted.length) / count)
  const drawn = new Set(
    Array.from({ length: count }, (_, stratum) => {
      const from = edge(stratum)
      return sorted[from + random.below(edge(stratum + 1) - from)]?.id
    }),
  )
  return elements.filter(({ id }) => drawn.has(id))
}

/**
 * Takes some utterances of a corpus, opening none. Their length is what the manifest says, or where it does not say that
 * of every one, the size of their files; a file that is missing has none, and is found out if it is drawn.
 */
export async function sampleUtterances(
  utterances: readonly Utterance[],
  options: SampleOptions,
): Promise<readonly Utterance[]> {
  if (options.count >= utterances.length) return utterances
  if (utterances.every(({ durationSeconds }) => durationSeconds !== null)) {
    return drawSample(utterances, ({ durationSeconds }) => durationSeconds ?? 0, options)
  }
  const sizes = await pLimit(filesAtOnce).map(utterances, async ({ id, audioPath }) => {
    const bytes = await stat(audioPath).then(
      ({ size }) => size,
      () => 0,
    )
    return [id, bytes] as const
  })
  const sizeOf = new Map(sizes)
  return drawSample(utterances, ({ id }) => sizeOf.get(id) ?? 0, options)
}

const filesAtOnce = 64
