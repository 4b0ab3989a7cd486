import { lazily } from '#prelude'
import type { Stage } from '../profile.ts'
import { readForms } from './counted-words.ts'
import { type NumberWords, readLexicon } from './number-words.ts'
import type { CountedWords } from './spoken-figures.ts'
import { centsBeforeWords, type FigureSigns } from './written-figures.ts'

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
const loose: readonly RegExp[] = [/\d[.,]\d+[.,]\d/, /\d(?:(?![ºª])\p{L}|(?<=(?![ºª])[\p{L}\p{M}]\d))/u]

/** What is written next to a figure (`Kč 5`, `no 5`, `5 rial`, `5 nci`), and numbers in words next to what counts with them. */
export function signsNextToFigures(
  { forms = [], currencies, decimal, ordinals = [], feminineOrdinals = [] }: FigureSigns,
  words: NumberWords,
  { points, numbered = '' }: CountedWords,
): readonly RegExp[] {
  const lexicon = [...readLexicon(words)]
  const number = oneOf(lexicon.map(([word]) => word))
  const article = oneOf(lexicon.filter(([, { isWeak }]) => isWeak).map(([word]) => word))
  const currency = oneOf([...readForms(currencies).keys()].filter((sign) => /^\p{L}+$/u.test(sign)))
  const patterns = [
    `(?<!\\p{L})${currency} ?\\d`,
    `[.,]\\d+ ${currency}(?!\\p{L})`,
    centsBeforeWords(currencies, decimal),
    `\\d ${number}(?![\\p{L}\\p{M}])`,
    `(?<![\\p{L}\\p{M}])${article} \\d(?!\\S)`,
    `(?<![\\p{L}\\p{M}])${oneOf(numbered.split(' '))} ${article}(?![\\p{L}\\p{M}])`,
    `\\d ${oneOf(points.split(' '))} \\d`,
  ]
  return [
    ...loose,
    ...forms.map(([pattern]) => pattern),
    ...ordinals,
    ...feminineOrdinals,
    ...patterns.map((pattern) => new RegExp(pattern, 'u')),
  ]
}

/** A pattern for any of some words; for nothing where there are none. */
function oneOf(words: readonly string[]): string {
  const all = words.filter((word) => word !== '')
  return all.length === 0 ? '(?!)' : `(?:${all.join('|')})`
}
