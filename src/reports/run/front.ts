import type { Evaluation } from '#analysis'

/** A contender that another one surely beats in both errors and speed. */
export interface Beaten {
  readonly contenderId: string
  /** The first of them, in the order of the contenders. */
  readonly by: string
}

/**
 * Contenders that are not worth a choice: another one surely makes fewer errors and is surely faster. All others may be on
 * the front; a difference inside the noise takes no contender off it.
 */
export function beatenInBoth({
  contenders,
  ranking,
  speeds,
}: Pick<Evaluation, 'contenders' | 'ranking' | 'speeds'>): readonly Beaten[] {
  const ids = contenders.map(({ contender }) => contender.id)
  const isBeaten = (id: string, by: string): boolean =>
    (ranking?.resolved ?? []).some(({ better, worse }) => better === by && worse === id) &&
    (speeds?.pairs ?? []).some(
      ({ faster, slower, verdict }) => faster === by && slower === id && verdict === 'faster',
    )
  return ids.flatMap((contenderId) => {
    const by = ids.find((other) => isBeaten(contenderId, other))
    return by === undefined ? [] : [{ contenderId, by }]
  })
}
