import type { Beaten } from '../../documents/drawing.ts'
import type { Evaluation } from '../../documents/evaluation.ts'

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
    speeds.pairs.some(({ faster, slower, verdict }) => faster === by && slower === id && verdict === 'faster')
  return ids.flatMap((contenderId) => {
    const by = ids.find((other) => isBeaten(contenderId, other))
    return by === undefined ? [] : [{ contenderId, by }]
  })
}
