import type { ContenderEvaluation } from '#analysis'
import type { RunPage } from '../html/page-document.ts'

/** A contender with its place in the config, which gives it its colour. */
export interface PlacedContender {
  readonly index: number
  readonly id: string
  readonly figures: ContenderEvaluation
}

/** The contenders, the best first, by the rate that failures cannot improve. */
export function rankedContenders({ evaluation }: RunPage): PlacedContender[] {
  return evaluation.contenders
    .map((figures, index) => ({ index, id: figures.contender.id, figures }))
    .sort((a, b) => rankRate(a.figures) - rankRate(b.figures))
}

function rankRate({ wordsWithFailuresAsEmpty: { rate } }: ContenderEvaluation): number {
  return rate ?? Number.MAX_VALUE
}
