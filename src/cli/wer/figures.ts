import type { TextScore } from '#rates'
import { cliErrors } from '../errors.ts'

/** A figure that can be printed alone. */
export type FigureName = 'wer' | 'cer' | 'mer' | 'wil' | 'wip' | 'ser'

const figures: Readonly<Record<FigureName, (score: TextScore) => number | null>> = {
  wer: ({ words }) => words.rate,
  cer: ({ characters }) => characters?.rate ?? null,
  mer: ({ wordRates }) => wordRates.matchErrorRate,
  wil: ({ wordRates }) => wordRates.wordInformationLost,
  wip: ({ wordRates }) => wordRates.wordInformationPreserved,
  ser: ({ sentenceErrorRate }) => sentenceErrorRate,
}

/** Every figure that can be printed alone. */
export const figureNames: readonly FigureName[] = Object.keys(figures) as FigureName[]

/**
 * One figure of a score, as a number.
 *
 * @throws BenchError FIGURE_UNDEFINED where the texts do not have it
 */
export function figureOf(score: TextScore, name: FigureName): number {
  const figure = figures[name](score)
  if (figure !== null) return figure
  throw cliErrors.make('FIGURE_UNDEFINED', {
    message: `${name} cannot be computed of ${counted(score.utteranceCount, 'pair')} with ${counted(score.words.referenceLength, 'word')} in answered references`,
    hint: 'see what there is: transcribench wer <reference> <hypothesis>',
  })
}

function counted(count: number, noun: string): string {
  return `${count} ${count === 1 ? noun : `${noun}s`}`
}
