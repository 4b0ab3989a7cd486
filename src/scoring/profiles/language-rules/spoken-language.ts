import { lazily } from '#prelude'
import { lateBounded, mayMatch } from '../needed-texts.ts'
import { defineProfile, type ErrorLevel, type Profile, type Stage, wordStage } from '../profile.ts'
import { readTable } from '../published/spelling-table.ts'
import { withoutReadings } from '../readings.ts'
import { readForms } from './counted-words.ts'
import type { LanguageFile } from './language-schema.ts'
import { monthSigns, monthStage } from './months.ts'
import { keepNumberEnds, spokenDigitStage } from './number-ends.ts'
import { type NumberWords, readLexicon } from './number-words.ts'
import { type LetterForms, letterFormStage, withoutLooseSpaces } from './script-forms.ts'
import { type CountedWords, hasMarks, spokenFigureStage } from './spoken-figures.ts'
import {
  numberEndStage,
  signsAmongFigures,
  type UnspacedNumbers,
  unspacedFigureStage,
} from './unspaced-figures.ts'
import {
  centsBeforeWords,
  type FigureSigns,
  holdsFigures,
  mathSigns,
  romanStage,
  saidSigns,
  writtenFigureStage,
} from './written-figures.ts'

/** What differs from one language to the next, as data: a language is a file that holds these. */
export interface SpokenLanguage {
  /** The name of the language and the version of its rules: `german@1`. */
  readonly id: string
  readonly version: number
  /** BCP 47. */
  readonly language: string
  readonly purpose: string
  readonly letters?: LetterForms
  /** How it writes and says numbers; null where figures stay as they are written. */
  readonly numbers: {
    readonly signs: FigureSigns
    readonly words: NumberWords
    readonly counted: CountedWords
  } | null
  /** Instead of `numbers` where no spaces are written. */
  readonly unspacedNumbers?: UnspacedNumbers
  /** Abbreviated months, next to a day or a year: `jan|janv janvier`. After a `?` it is a word too: only between both. */
  readonly months?: string
  /** Whether an apostrophe parts words, as in l'homme, or belongs to one, as in п'ять. */
  readonly apostrophe: 'parts' | 'belongs' | 'goes'
  readonly fillers: string
  /** Abbreviations and phrases, a line `from>to` each. */
  readonly phrases?: string
  /** Words with several spellings, a line `from>to` each. */
  readonly spellings?: string
  /** Written without spaces between words: characters lead. */
  readonly isUnspaced?: boolean
  /** Spaces are written in more than one way: the character rate leaves them out. */
  readonly hasFreeSpaces?: boolean
  /** A text before and after each kind of stage. */
  readonly examples: Readonly<Record<'letters', Stage['example']>> &
    Readonly<Partial<Record<'figures' | 'numbers' | 'phrases' | 'spellings', Stage['example']>>>
  readonly quirks: readonly string[]
}

/**
 * A profile from the data of a language, which is read when something besides the name of the profile is asked for.
 *
 * @param id with the version after an @: `german@1`
 */
export function spokenLanguageProfile(id: string, rules: () => SpokenLanguage): Profile {
  const stages = lazily(() => stagesOf(rules()))
  const hasSpaces = (): boolean => rules().isUnspaced !== true
  const leads = (): ErrorLevel => (hasSpaces() && rules().hasFreeSpaces !== true ? 'words' : 'characters')
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
      return rules().quirks
    },
    get pairing() {
      return rules().numbers === null ? undefined : 'readings'
    },
  })
}

/**
 * The profile of a language with further letters that become one: before its stages, so that they meet one form, and after them
 * for what they write.
 */
export function looseProfile(id: string, rules: () => SpokenLanguage, file: () => LanguageFile): Profile {
  const loose = lazily(() => {
    const { loose } = file()
    if (loose === undefined) throw new RangeError(`${id} has no loose profile`)
    return loose
  })
  const stages = lazily(() => {
    const folds = loose().rewrites.map(({ pattern, to }) => [new RegExp(pattern, 'gu'), to] as const)
    const fold: Stage = {
      name: 'loose letters',
      does: 'Letters that some texts write otherwise become one.',
      example: loose().example as unknown as Stage['example'],
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
      return loose().purpose
    },
    get stages() {
      return stages()
    },
    words: 'spaces',
    get pairing() {
      return loose().mergesCompounds === undefined ? undefined : 'compounds'
    },
    get quirks() {
      return loose().quirks
    },
  })
}

function versionOf(id: string): number {
  return Number(id.replace(/.*@/, ''))
}

function stagesOf(rules: SpokenLanguage): readonly Stage[] {
  const { letters = {}, language, examples, fillers, phrases, spellings } = rules
  const none: Stage['example'] = ['', '']
  const { unspacedNumbers = null, months } = rules
  const letterForms = letterFormStage(letters, examples.letters)
  const numbers = withSaidLetters(rules.numbers, letterForms)
  const signForms = numbers === null ? [] : formsOfSigns(numbers.signs)
  const allPhrases = `${phrases ?? ''}\n${phrasesOfUnits(numbers?.counted.units ?? '')}`.trim()
  const toNumbers: readonly Stage[] = [
    letterForms,
    bracketStage,
    ...(months === undefined ? [] : [monthStage(months, letterForms)]),
    ...(numbers === null ? [] : [writtenFigureStage(language, numbers.signs, examples.figures ?? none)]),
    ...(unspacedNumbers === null ? [] : [unspacedFigureStage(unspacedNumbers, examples.figures ?? none)]),
    markStage(
      { ...rules, numbers },
      numbers === null ? (text) => text : keepNumberEnds(numbers.words, allPhrases),
    ),
    ...(allPhrases === '' ? [] : [phraseStage(allPhrases, examples.phrases ?? none)]),
    ...(fillers === '' ? [] : [fillerStage(fillers.split(' '))]),
    ...(numbers === null
      ? []
      : [
          spokenFigureStage(
            language,
            numbers.signs.decimal,
            numbers.words,
            withCurrencies(numbers.counted, numbers.signs),
            signForms,
            examples.numbers ?? none,
          ),
        ]),
  ]
  const letterSigns = (letters.rewrites ?? []).map(([pattern]) => pattern)
  const numberSigns = (): UnsettledSigns => ({
    always: [
      ...letterSigns,
      ...(numbers === null ? [] : articlesAfterNumbered(numbers.words, numbers.counted)),
      ...(unspacedNumbers === null ? [] : signsAmongFigures(unspacedNumbers)),
    ],
    amongFigures: [
      ...(months === undefined ? [] : monthSigns(months, letterForms)),
      ...(numbers === null ? [] : signsNextToFigures(numbers.signs, numbers.words, numbers.counted)),
    ],
  })
  return [
    ...(numbers?.signs.romans === undefined ? [] : [romanStage(numbers.signs.romans, none)]),
    ...toNumbers,
    settledFigureStage(toNumbers, numberSigns),
    ...(numbers === null ? [] : [spokenDigitStage(numbers.words, numbers.signs)]),
    ...(unspacedNumbers === null ? [] : [numberEndStage(unspacedNumbers)]),
    ...(spellings === undefined ? [] : [spellingStage(spellings, examples.spellings ?? none)]),
  ]
}

/** What is said for signs, in the letters that a text has by then. */
function withSaidLetters(numbers: SpokenLanguage['numbers'], { apply }: Stage): SpokenLanguage['numbers'] {
  if (numbers?.signs.said === undefined) return numbers
  const said = Object.entries(numbers.signs.said).map(([sign, ways]) => [sign, ways.map(apply)])
  return { ...numbers, signs: { ...numbers.signs, said: Object.fromEntries(said) } }
}

/** The words that are left of a unit with marks in it, `km h` of `km/h`, are one unit. */
function phrasesOfUnits(units: string): string {
  return [...readForms(units).keys()]
    .filter((unit) => hasMarks.test(unit))
    .map((unit) => `${unit.replaceAll(/[./]/g, ' ')}>${unit}`)
    .join('\n')
}

/** Abbreviations of currencies are units after a number that was said. */
function withCurrencies(counted: CountedWords, { currencies }: FigureSigns): CountedWords {
  const words = currencies.split(';').filter((entry) => /^\s*\p{L}+ /u.test(entry))
  return { ...counted, units: [counted.units, ...words].join(';') }
}

/** Words for signs, after which an article is the number one. */
function formsOfSigns({ currencies, percent, degrees, hour }: FigureSigns): string[] {
  const money = currencies.split(';').map((entry) => entry.trim().replace(/^\S+ /, ''))
  return [...money, percent, degrees, hour ?? '']
}

const bracketed = /(?:<(?![\s\d])|\[)[^>\]]*[>\]]/g
const bracketStage: Stage = {
  name: 'brackets',
  does: 'What is in <…> or […] goes: it describes a sound.',
  example: ['[noise] a', '  a'],
  settings: bracketed.source,
  apply: (text) => (/[>\]]/.test(text) ? text.replace(bracketed, ' ') : text),
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
  { apostrophe, numbers, unspacedNumbers, isUnspaced = false }: SpokenLanguage,
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
      ...(numbers === null ? [unspacedNumbers?.said ?? {}] : [true, numbers.signs.said ?? {}]),
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

function phraseStage(table: string, example: Stage['example']): Stage {
  const index = lazily(() =>
    Map.groupBy(
      [...readTable(table)].map(phraseOf).sort((a, b) => b.words.length - a.words.length),
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

function spellingStage(table: string, example: Stage['example']): Stage {
  const spellings = lazily(() => readTable(table))
  return wordStage({
    name: 'spellings',
    does: 'Words with several spellings get one.',
    example,
    settings: table,
    concerns: (word) => word.includes('|') || spellings().has(word),
    applyToWords(words) {
      const known = spellings()
      const inWays = (word: string): string =>
        word.replace(/[^|_]+/g, (part) => known.get(part)?.replaceAll(' ', '_') ?? part)
      return words.map((word) => (word.includes('|') ? inWays(word) : (known.get(word) ?? word)))
    },
  })
}

/** Those among figures can be only in a text that the stage of written figures reads. */
interface UnsettledSigns {
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

/** A third time is rare; the limit only ends what would never settle. */
const mostTimes = 5

/**
 * A stage that applies others again until they change nothing: a number that was a word can be next to a sign, a unit or
 * another number, which only its figure shows. So most texts that were normalised stay as they are.
 *
 * @param signs what a text is looked through for first, because most texts have nothing of it
 */
function settledFigureStage(stages: readonly Stage[], signs: () => UnsettledSigns): Stage {
  const patterns = lazily(() => {
    const { always, amongFigures } = signs()
    return { always: always.map(signOf), amongFigures: amongFigures.map(signOf) }
  })
  const isUnsettled = (text: string): boolean => {
    const { always, amongFigures } = patterns()
    const isIn = ({ pattern, isPossible }: Sign): boolean => isPossible(text) && text.search(pattern) >= 0
    return always.some(isIn) || (holdsFigures(text) && amongFigures.some(isIn))
  }
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

/**
 * What no settled text has: figures with several points, and figures in a word, but for the endings of ordinals. Classes of
 * Unicode come last, because they take long.
 */
const loose: readonly RegExp[] = [
  /\d[.,]\d+[.,]\d/,
  /\d(?:(?=[^\0-@ºªꞏꞎꞌ])\p{L}|(?<=[^\0-@ºªꞏꞎꞌ]\d)(?<=[\p{L}\p{M}]\d))/u,
]

/** What is written next to a figure: `Kč 5`, `no 5`, `5 rial`, `5 nci`. */
function signsNextToFigures(
  signs: FigureSigns,
  words: NumberWords,
  { points }: CountedWords,
): readonly RegExp[] {
  const { forms = [], currencies, ordinals = [], feminineOrdinals = [] } = signs
  const lexicon = [...readLexicon(words)]
  const number = oneOf(lexicon.map(([word]) => word))
  const article = oneOf(lexicon.filter(([, { isWeak }]) => isWeak).map(([word]) => word))
  const currency = oneOf([...readForms(currencies).keys()].filter((sign) => /^\p{L}+$/u.test(sign)))
  const patterns = [
    lateBounded('\\p{L}', `${currency} ?\\d`),
    `[.,]\\d+ ${currency}(?!\\p{L})`,
    centsBeforeWords(signs),
    `\\d ${number}(?![\\p{L}\\p{M}])`,
    `${lateBounded('[\\p{L}\\p{M}]', `${article} \\d`)}(?!\\S)`,
    `\\d ${oneOf(points.split(' '))} \\d`,
  ]
  return [
    ...loose,
    ...forms.map(([pattern]) => pattern),
    ...ordinals,
    ...feminineOrdinals,
    ...patterns.filter((pattern) => !pattern.includes(nothing)).map((pattern) => new RegExp(pattern, 'u')),
  ]
}

/** Articles after a word with which they are numbers: page one. */
function articlesAfterNumbered(words: NumberWords, { numbered = '' }: CountedWords): readonly RegExp[] {
  const article = oneOf([...readLexicon(words)].filter(([, { isWeak }]) => isWeak).map(([word]) => word))
  const phrase = `${oneOf(numbered.split(' '))} ${article}`
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
