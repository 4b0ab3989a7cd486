import { lazily } from '#prelude'
import type { Stage } from '../profile.ts'
import { readForms } from './counted-words.ts'
import { type NumberWords, readLexicon } from './number-words.ts'
import type { FigureSigns } from './written-figures.ts'

/** A third time is rare; the limit only ends what would never settle. */
const mostTimes = 5

/**
 * A stage that applies others again until they change nothing: a number that was a word can be next to a sign, a unit or
 * another number, which only its figure shows. So a text that was normalised stays as it is.
 *
 * @param signs what a text is looked through for first, because most texts have nothing of it
 */
export function settledFigureStage(stages: readonly Stage[], signs: () => readonly RegExp[]): Stage {
  const patterns = lazily(signs)
  const isUnsettled = (text: string): boolean => patterns().some((pattern) => text.search(pattern) >= 0)
  const again = (text: string): string => stages.reduce((result, stage) => stage.apply(result), text)
  return {
    name: 'numbers among numbers',
    does: 'The stages so far are applied again where a new figure is next to a sign, a unit or a number.',
    example: ['', ''],
    settings: mostTimes,
    apply(text) {
      let settled = text
      for (let time = 0; time < mostTimes && isUnsettled(settled); time += 1) {
        const next = again(settled)
        if (next === settled) break
        settled = next
      }
      return settled
    },
  }
}

/** What no settled text has: figures with several points, and figures in a word, but for the endings of ordinals. */
const loose: readonly RegExp[] = [/\d[.,]\d+[.,]\d/, /\d(?:(?![ºª])\p{L}|(?<=(?![ºª])\p{L}\d))/u]

/**
 * What is written before a figure (`Kč 5`, `no 5`), a number in words after one, and decimals.
 *
 * @param points words between a number and its decimals
 */
export function signsBeforeFigures(
  { forms = [], currencies }: FigureSigns,
  words: NumberWords,
  points: string,
): readonly RegExp[] {
  const names = [...readForms(currencies).keys()].filter((sign) => /^\p{L}+$/u.test(sign))
  const before = names.length === 0 ? [] : [new RegExp(`(?<!\\p{L})(?:${names.join('|')}) ?\\d`, 'u')]
  const after = new RegExp(`\\d (?:${[...readLexicon(words).keys()].join('|')})(?![\\p{L}\\p{M}])`, 'u')
  const between = points === '' ? [] : [new RegExp(`\\d (?:${points.replaceAll(' ', '|')}) \\d`, 'u')]
  return [...loose, ...between, ...forms.map(([pattern]) => pattern), ...before, after]
}
