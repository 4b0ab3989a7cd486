import { drawSample } from '../utterances/sample.ts'
import type { VerifiedUtterance } from '../utterances/utterance.ts'

export const balances = ['duration', 'speaker', 'tag'] as const
export type Balance = (typeof balances)[number]

export interface SelectOptions {
  readonly count: number
  readonly seed: number
  readonly balance: readonly Balance[]
}

/**
 * Takes utterances in equal numbers from each speaker, each combination of tags, or both, as far as a group has so many;
 * within a group, balanced by length where that is asked for, as `drawSample` does.
 *
 * @returns in the order of the corpus
 */
export function selectUtterances(
  utterances: readonly VerifiedUtterance[],
  { count, seed, balance }: SelectOptions,
): readonly VerifiedUtterance[] {
  const groups = [...Map.groupBy(utterances, (utterance) => groupOf(utterance, balance)).values()]
  const shares = equalShares(
    groups.map(({ length }) => length),
    count,
  )
  const size = ({ durationSeconds }: VerifiedUtterance): number =>
    balance.includes('duration') ? durationSeconds : 0
  const taken = groups.flatMap((group, index) => {
    const share = shares[index] as number
    return share === 0 ? [] : drawSample(group, size, { count: share, seed: seed + index })
  })
  const ids = new Set(taken.map(({ id }) => id))
  return utterances.filter(({ id }) => ids.has(id))
}

function groupOf({ speaker, tags }: VerifiedUtterance, balance: readonly Balance[]): string {
  return JSON.stringify([
    balance.includes('speaker') ? speaker : null,
    balance.includes('tag') ? tags.toSorted() : null,
  ])
}

/** The same number of each, where a group has so many; what small groups lack is taken from the others. */
function equalShares(sizes: readonly number[], count: number): readonly number[] {
  const shares = sizes.map(() => 0)
  let left = Math.min(
    count,
    sizes.reduce((sum, size) => sum + size, 0),
  )
  while (left > 0) {
    const open = sizes.flatMap((size, index) => ((shares[index] as number) < size ? [index] : []))
    const each = Math.max(1, Math.floor(left / open.length))
    for (const index of open) {
      const added = Math.min(each, (sizes[index] as number) - (shares[index] as number), left)
      shares[index] = (shares[index] as number) + added
      left -= added
    }
  }
  return shares
}
