import { lazily } from '#prelude'
import { lateBounded, mayMatch } from '../needed-texts.ts'
import { defineProfile, type ErrorLevel, type Profile, type Stage, wordStage } from '../profile.ts'
import { withoutReadings } from '../readings.ts'
import { type CountedForms, patternOf } from './language-file.ts'
import type { CountedWords, FigureSigns, LanguageFile, NumberWords } from './language-schema.ts'
import { monthSigns, monthStage } from './months.ts'
import { keepNumberEnds, spokenDigitStage } from './number-ends.ts'
import { readLexicon } from './number-reading.ts'
import { letterFormStage, withoutLooseSpaces } from './script-forms.ts'
import { hasMarks, spokenFigureStage } from './spoken-figures.ts'
import { numberEndStage, signsAmongFigures, unspacedFigureStage } from './unspaced-figures.ts'
import {
  centsBeforeWords,
  holdsFigures,
  mathSigns,
  romanStage,
  saidSigns,
  writtenFigureStage,
} from './written-figures.ts'

/** The data of a language, with the lists that it refers to in their places. */
export interface SpokenLanguage extends LanguageFile {
  /** The name of the language and the version of its rules: `german@1`. */
  readonly id: string
  /** BCP 47. */
  readonly language: string
}

/**
 * A profile from the data of a language, which is read when something besides the name of the profile is asked for.
 *
 * @param id with the version after an @: `german@1`
 */
export function spokenLanguageProfile(id: string, rules: () => SpokenLanguage): Profile {
  const stages = lazily(() => stagesOf(rules()))
  const hasSpaces = (): boolean => rules().spaces !== 'none'
  const leads = (): ErrorLevel => (hasSpaces() && rules().spaces !== 'free' ? 'words' : 'characters')
  return defineProfile({
    id,
    version: versionOf(id),
    get purpose() {
      return rules().purpose
    },
    get stages() {
      return stages()
    },
    get words() {
      return hasSpaces() ? 'spaces' : 'dictionary'
    },
    get characters() {
      return leads() === 'words' ? 'graphemes' : 'no-spaces'
    },
    get leads() {
      return leads()
    },
    get quirks() {
      return rules().quirks ?? []
    },
    get pairing() {
      const { numbers, unspacedNumbers } = rules()
      return numbers === undefined && unspacedNumbers === undefined ? undefined : 'readings'
    },
  })
}

/**
 * The profile of a language with further letters that become one: before its stages, so that they meet one form, and after them
 * for what they write.
 */
export function looseProfile(id: string, rules: () => SpokenLanguage): Profile {
  const looseRules = lazily(() => {
    const { loose } = rules()
    if (loose === undefined) throw new RangeError(`${id} has no loose profile`)
    return loose
  })
  const stages = lazily(() => {
    const folds = looseRules().rewrites.map(({ pattern, to }) => [new RegExp(pattern, 'gu'), to] as const)
    const fold: Stage = {
      name: 'loose letters',
      does: 'Letters that some texts write otherwise become one.',
      example: looseRules().example,
      settings: folds.map(([pattern, to]) => [pattern.source, to]),
      apply: (text) => folds.reduce((result, [pattern, to]) => result.replace(pattern, to), text),
    }
    const inOneForm: Stage = {
      ...fold,
      name: 'loose letters of words',
      apply: (text) => fold.apply(withoutReadings(text)),
    }
    return [fold, ...stagesOf(rules()), inOneForm]
  })
  return defineProfile({
    id: id.replace('@', '-loose@'),
    version: versionOf(id),
    get purpose() {
      return looseRules().purpose
    },
    get stages() {
      return stages()
    },
    words: 'spaces',
    get pairing() {
      return looseRules().mergesCompounds === undefined ? undefined : 'compounds'
    },
    get quirks() {
      return looseRules().quirks
    },
  })
}

function versionOf(id: string): number {
  return Number(id.replace(/.*@/, ''))
}

function stagesOf(rules: SpokenLanguage): readonly Stage[] {
  const { language, fillers = [], phrases, spellings, unspacedNumbers, months } = rules
  const none: Stage['example'] = ['', '']
  const example = (stage: string): Stage['example'] => rules.examples[stage] ?? none
  const letterForms = letterFormStage(rules.letters ?? {}, example('letters'))
  const numbers = withSaidLetters(rules.numbers, letterForms)
  const allPhrases = { ...phrases, ...phrasesOfUnits(numbers?.counted.units ?? {}) }
  const toNumbers: readonly Stage[] = [
    letterForms,
    bracketStage,
    ...(months === undefined ? [] : [monthStage(months, letterForms)]),
    ...(numbers === undefined ? [] : [writtenFigureStage(language, numbers.signs, example('figures'))]),
    ...(unspacedNumbers === undefined ? [] : [unspacedFigureStage(unspacedNumbers, example('figures'))]),
    markStage(
      { ...rules, numbers },
      numbers === undefined ? (text) => text : keepNumberEnds(numbers.words, allPhrases),
    ),
    ...(Object.keys(allPhrases).length === 0 ? [] : [phraseStage(allPhrases, example('phrases'))]),
    ...(fillers.length === 0 ? [] : [fillerStage(fillers)]),
    ...(numbers === undefined
      ? []
      : [
          spokenFigureStage(
            language,
            numbers.signs.decimal,
            numbers.words,
            withCurrencies(numbers.counted, numbers.signs),
            formsOfSigns(numbers.signs),
            example('numbers'),
          ),
        ]),
  ]
  const letterSigns = (rules.letters?.rewrites ?? []).map(({ pattern }) => patternOf(pattern))
  const numberSigns = (): UnfinishedSigns => ({
    always: [
      ...letterSigns,
      ...(numbers === undefined ? [] : articlesAfterNumbered(numbers.words, numbers.counted)),
      ...(unspacedNumbers === undefined ? [] : signsAmongFigures(unspacedNumbers)),
    ],
    amongFigures: [
      ...(months === undefined ? [] : monthSigns(months, letterForms)),
      ...(numbers === undefined ? [] : signsNextToFigures(numbers.signs, numbers.words, numbers.counted)),
    ],
  })
  return [
    ...(numbers?.signs.romans === undefined ? [] : [romanStage(numbers.signs.romans, none)]),
    ...toNumbers,
    finishedFigureStage(toNumbers, numberSigns),
    ...(numbers === undefined ? [] : [spokenDigitStage(numbers.words, numbers.signs)]),
    ...(unspacedNumbers === undefined ? [] : [numberEndStage(unspacedNumbers)]),
    ...(spellings === undefined ? [] : [spellingStage(spellings, example('spellings'))]),
  ]
}

/** What is said for signs, in the letters that a text has by then. */
function withSaidLetters(numbers: SpokenLanguage['numbers'], { apply }: Stage): SpokenLanguage['numbers'] {
  if (numbers?.signs.said === undefined) return numbers
  const said = Object.entries(numbers.signs.said).map(([sign, readings]) => [sign, readings.map(apply)])
  return { ...numbers, signs: { ...numbers.signs, said: Object.fromEntries(said) } }
}

/** The words that are left of a unit with marks in it, `km h` of `km/h`, are one unit. */
function phrasesOfUnits(units: CountedWords['units']): Readonly<Record<string, string>> {
  const marked = Object.keys(units).filter((unit) => hasMarks.test(unit))
  return Object.fromEntries(marked.map((unit) => [unit.replaceAll(/[./]/g, ' '), unit]))
}

/** Abbreviations of currencies are units after a number that was said. */
function withCurrencies(counted: CountedWords, { currencies }: FigureSigns): CountedWords {
  const words = Object.entries(currencies).filter(([sign]) => /^\p{L}+$/u.test(sign))
  return { ...counted, units: { ...counted.units, ...Object.fromEntries(words) } }
}

/** Words for signs, after which an article is the number one. */
function formsOfSigns({ currencies, percent, degrees, hour }: FigureSigns): readonly CountedForms[] {
  return [...Object.values(currencies), percent, degrees, hour ?? []]
}

const bracketed = /(?:<(?![\s\d])|\[)[^>\]]*[>\]]/
// What is never closed is matched to the end of the text and kept, so that the rest is not read again for each opening.
const opened = new RegExp(`${bracketed.source}?`, 'g')
const bracketStage: Stage = {
  name: 'brackets',
  does: 'What is in <…> or […] goes: it describes a sound.',
  example: ['[noise] a', '  a'],
  settings: bracketed.source,
  apply: (text) => text.replace(opened, (found) => (/[>\]]$/.test(found) ? ' ' : found)),
}

const lettersOrDigits = '[\\p{L}\\p{M}\\p{N}]'

// Letters and figures of Latin alone: most texts of most languages, once their figures are read.
const isPlain = /^[ a-z0-9\u00df-\u00f6\u00f8-\u024f\u0430-\u045f]*$/
// Letters of Cyrillic, Arabic and Vietnamese and borders are left out, because no further marks or symbols are among them.
const beyondLetters =
  /[\u0250-\u03ff\u0482-\u0489\u0530-\u060b\u060d-\u061a\u061c-\u061e\u063b-\u0640\u064b-\u1e9f\u1efa-\ua78d\ua792-\uffff]/
// The same marks where a text has such letters alone: a small class is several times faster.
const fewMarks = '\\0-\\x1f!-#%-/:-@[-`{-\\x9f¡¦-©«¬®-±´¶-¸»¿×÷،؛؟'
const unevenSpace = /[^\S ]\s*| \s+/g

/** A stage that drops marks that are no part of a number or a word. */
function markStage(
  { apostrophe, numbers, unspacedNumbers, spaces }: SpokenLanguage,
  keepNumberEnds: (text: string) => string,
): Stage {
  const decimal = numbers?.signs.decimal ?? '.'
  const isNone = `(?<!'|\\d[${decimal}](?=\\d))`
  // A sign of a currency or of mathematics that the language has no word for stays: it was said.
  const others = new RegExp(
    `(?![\\p{Sc}${mathSigns}])[\\p{P}\\p{S}\\p{Cc}\\p{Cs}\\p{Co}\\p{Cn}]${isNone}`,
    'gu',
  )
  const fewOthers = new RegExp(`[${fewMarks}]${isNone}`, 'g')
  const outer = new RegExp(`(?<!${lettersOrDigits})'|'(?!${lettersOrDigits})`, 'gu')
  const inner = apostrophe === 'goes' ? '' : ' '
  const isUnspaced = spaces === 'none'
  const only = Object.entries(unspacedNumbers?.said ?? {}).map(([sign, word]) => [sign, [word]])
  const sayAll = saidSigns(numbers?.signs ?? { said: Object.fromEntries(only) })
  return {
    name: 'marks',
    does: 'Punctuation and symbols become spaces, but for decimals; words are one space apart.',
    example: ['a – “b”, c!', 'a b c'],
    // The fourth says that a mark between number words ends a number.
    settings: [
      apostrophe,
      decimal,
      isUnspaced,
      ...(numbers === undefined ? [unspacedNumbers?.said ?? {}] : [true, numbers.signs.said ?? {}]),
    ],
    apply(text) {
      const isBeyond = beyondLetters.test(text)
      let result = text
      if (!isPlain.test(text))
        result = keepNumberEnds(sayAll(text)).replace(isBeyond ? others : fewOthers, ' ')
      if (result.includes("'")) {
        result = result.replace(outer, ' ')
        if (apostrophe !== 'belongs') result = result.replaceAll("'", inner)
      }
      if (isBeyond) result = result.replace(/(?=\p{M})(?<![\p{L}\p{M}\p{N}])\p{M}+/gu, '')
      const spaced = result.replace(unevenSpace, ' ').trim()
      return isUnspaced ? withoutLooseSpaces(spaced) : spaced
    },
  }
}

function fillerStage(fillers: readonly string[]): Stage {
  const isFiller = new Set(fillers)
  return wordStage({
    name: 'fillers',
    does: `These words go: ${fillers.join(', ')}.`,
    example: [`a ${fillers[0]} b`, 'a b'],
    settings: fillers,
    concerns: (word) => isFiller.has(word),
    applyToWords: (words) => words.filter((word) => !isFiller.has(word)),
  })
}

function phraseStage(table: Readonly<Record<string, string>>, example: Stage['example']): Stage {
  const index = lazily(() =>
    Map.groupBy(
      Object.entries(table)
        .map(phraseOf)
        .sort((a, b) => b.words.length - a.words.length),
      ({ words }) => words[0] ?? '',
    ),
  )
  return wordStage({
    name: 'words and phrases',
    does: 'Abbreviations and words that are written in several ways get one form.',
    example,
    settings: table,
    concerns: (word) => index().has(word),
    applyToWords(words) {
      const phrases = index()
      const written: string[] = []
      for (let at = 0; at < words.length; at += 1) {
        const word = words[at] as string
        const found = phrases
          .get(word)
          ?.find((phrase) => phrase.words.every((part, index) => part === words[at + index]))
        if (found === undefined) written.push(word)
        else {
          written.push(...found.to)
          at += found.words.length - 1
        }
      }
      return written
    },
  })
}

function phraseOf([from, to]: readonly [string, string]) {
  return { words: from.split(' '), to: to === '' ? [] : to.split(' ') }
}

function spellingStage(table: Readonly<Record<string, string>>, example: Stage['example']): Stage {
  const spellings = lazily(() => new Map(Object.entries(table)))
  return wordStage({
    name: 'spellings',
    does: 'Words with several spellings get one.',
    example,
    settings: table,
    concerns: (word) => word.includes('|') || spellings().has(word),
    applyToWords(words) {
      const spellingByWord = spellings()
      const inWays = (word: string): string =>
        word.replace(/[^|_]+/g, (part) => spellingByWord.get(part)?.replaceAll(' ', '_') ?? part)
      return words.map((word) => (word.includes('|') ? inWays(word) : (spellingByWord.get(word) ?? word)))
    },
  })
}

/**
 * What no finished text has. `amongFigures` is only looked for in a text that the stage of written figures reads,
 * because no other text has any of it.
 */
interface UnfinishedSigns {
  readonly always: readonly RegExp[]
  readonly amongFigures: readonly RegExp[]
}

interface Sign {
  readonly pattern: RegExp
  readonly isPossible: (text: string) => boolean
}

function signOf(pattern: RegExp): Sign {
  return { pattern, isPossible: mayMatch(pattern) }
}

/** A third time is rare; the limit only ends what would never finish. */
const maxTimes = 5

/**
 * A stage that applies others again until they change nothing: a number that was a word can be next to a sign, a unit or
 * another number, which only its figure shows. So most texts that were normalised stay as they are.
 *
 * @param signs what a text is looked through for first, because most texts have nothing of it
 */
function finishedFigureStage(stages: readonly Stage[], signs: () => UnfinishedSigns): Stage {
  const patterns = lazily(() => {
    const { always, amongFigures } = signs()
    return { always: always.map(signOf), amongFigures: amongFigures.map(signOf) }
  })
  const isUnfinished = (text: string): boolean => {
    const { always, amongFigures } = patterns()
    const isIn = ({ pattern, isPossible }: Sign): boolean => isPossible(text) && text.search(pattern) >= 0
    return always.some(isIn) || (holdsFigures(text) && amongFigures.some(isIn))
  }
  const again = (text: string): string => stages.reduce((before, stage) => stage.apply(before), text)
  return {
    name: 'numbers among numbers',
    does: 'The stages so far are applied again where a new figure is next to a sign, a unit or a number.',
    example: ['', ''],
    settings: maxTimes,
    apply(text) {
      let result = text
      for (let time = 0; time < maxTimes && isUnfinished(result); time += 1) {
        const next = again(result)
        if (next === result) break
        result = next
      }
      return result
    },
  }
}

/**
 * What no finished text has: figures with several points, and figures in a word, but for the endings of ordinals. Classes of
 * Unicode come last, because they take long.
 */
const unfinishedFigures: readonly RegExp[] = [
  /\d[.,]\d+[.,]\d/,
  /\d(?:(?=[^\0-@ºªꞏꞎꞌ])\p{L}|(?<=[^\0-@ºªꞏꞎꞌ]\d)(?<=[\p{L}\p{M}]\d))/u,
]

/** What is written next to a figure: `Kč 5`, `no 5`, `5 rial`, `5 nci`. */
function signsNextToFigures(
  signs: FigureSigns,
  words: NumberWords,
  { points = [] }: CountedWords,
): readonly RegExp[] {
  const { forms = [], currencies, ordinals = [], feminineOrdinals = [] } = signs
  const lexicon = [...readLexicon(words)]
  const number = oneOf(lexicon.map(([word]) => word))
  const article = oneOf(lexicon.filter(([, { isWeak }]) => isWeak).map(([word]) => word))
  const currency = oneOf(Object.keys(currencies).filter((sign) => /^\p{L}+$/u.test(sign)))
  const patterns = [
    lateBounded('\\p{L}', `${currency} ?\\d`),
    `[.,]\\d+ ${currency}(?!\\p{L})`,
    centsBeforeWords(signs),
    `\\d ${number}(?![\\p{L}\\p{M}])`,
    `${lateBounded('[\\p{L}\\p{M}]', `${article} \\d`)}(?!\\S)`,
    `\\d ${oneOf(points)} \\d`,
  ]
  return [
    ...unfinishedFigures,
    ...[...forms.map(({ pattern }) => pattern), ...ordinals, ...feminineOrdinals].map(patternOf),
    ...patterns.filter((pattern) => !pattern.includes(nothing)).map((pattern) => new RegExp(pattern, 'u')),
  ]
}

/** Articles after a word with which they are numbers: page one. */
function articlesAfterNumbered(words: NumberWords, { numbered = [] }: CountedWords): readonly RegExp[] {
  const article = oneOf([...readLexicon(words)].filter(([, { isWeak }]) => isWeak).map(([word]) => word))
  const phrase = `${oneOf(numbered)} ${article}`
  return phrase.includes(nothing)
    ? []
    : [new RegExp(lateBounded('[\\p{L}\\p{M}]', `${phrase}(?![\\p{L}\\p{M}])`), 'u')]
}

const nothing = '(?!)'

/** A pattern for any of some words; for nothing where there are none. */
function oneOf(words: readonly string[]): string {
  const all = words.filter((word) => word !== '')
  return all.length === 0 ? nothing : `(?:${all.join('|')})`
}
