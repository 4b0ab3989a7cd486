import type { ContenderEvaluation } from '#analysis'
import { inRankOrder, type RunPage } from '#reports/page'

/** A contender with its place in the config, which gives it its colour. */
export interface PlacedContender {
  readonly index: number
  readonly id: string
  readonly figures: ContenderEvaluation
}

/** The contenders in the order of the ranking, the best first. */
export function rankedContenders({ evaluation }: RunPage): PlacedContender[] {
  const places = new Map(evaluation.contenders.map(({ contender }, index) => [contender.id, index]))
  return inRankOrder(evaluation).map((figures) => {
    const { id } = figures.contender
    return { index: places.get(id) ?? 0, id, figures }
  })
}

/** The ids of the contenders in the order of the config. */
export function contenderIds({ evaluation }: RunPage): readonly string[] {
  return evaluation.contenders.map(({ contender }) => contender.id)
}
