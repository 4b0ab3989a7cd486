import type { ContenderEvaluation, Evaluation } from '#analysis'

/** The contenders in the order of the ranking, the best first; those that have no place in it last. */
export function inRankOrder({
  contenders,
  ranking,
}: Pick<Evaluation, 'contenders' | 'ranking'>): readonly ContenderEvaluation[] {
  const places = new Map(ranking?.bands.map(({ contenderId }, place) => [contenderId, place]))
  const placeOf = ({ contender }: ContenderEvaluation): number =>
    places.get(contender.id) ?? contenders.length
  return contenders.toSorted((a, b) => placeOf(a) - placeOf(b))
}
