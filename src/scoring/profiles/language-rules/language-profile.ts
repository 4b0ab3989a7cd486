import { lazily } from '#prelude'
import { defineProfile, type Profile, type Stage, wordStage } from '../profile.ts'
import { type ContractionRules, contractionStage } from './contractions.ts'
import { type FigureRules, figureStage } from './figures.ts'
import { type LetterRules, letterStage } from './letters.ts'
import { type PhraseRules, phraseStage, phraseWords } from './phrases.ts'
import { type WrittenForm, writtenFormStage } from './written-forms.ts'

/** What differs from one language to the next, as data and small rules: a language is a file that holds these. */
export interface LanguageRules {
  /** The language and the version of its rules: `english@2`. */
  readonly id: string
  readonly version: number
  readonly purpose: string
  /** Text to letters in one case and script form. */
  readonly characters: readonly Stage[]
  /** Figures and marks as the words that are said for them. */
  readonly forms: readonly WrittenForm[]
  /** The marks that are left go, but for those of figures and contractions; afterwards words are one space apart. */
  readonly marks: readonly Stage[]
  readonly fillers: FillerRules
  readonly contractions: ContractionRules
  readonly phrases: PhraseRules
  readonly letters: LetterRules
  readonly figures: FigureRules
  /** What is left to do to sums of money once they are figures. */
  readonly money: readonly Stage[]
  /** Words with several spellings, each with the one that is taken. */
  readonly spellings: () => ReadonlyMap<string, string>
  /** A text before and after each stage that is made from the rules above. */
  readonly examples: Readonly<
    Record<
      'forms' | 'fillers' | 'contractions' | 'phrases' | 'letters' | 'figures' | 'spellings',
      Stage['example']
    >
  >
  readonly quirks: readonly string[]
  readonly pairing?: Profile['pairing']
}

/**
 * A profile from the rules of a language. What a stage makes is left alone by all stages when they are applied again; the
 * last stage is the spellings, which the formatting ladder takes off.
 */
export function languageProfile(rules: LanguageRules): Profile {
  const { id, version, purpose, examples, quirks, pairing } = rules
  const isNumberWord = (word: string): boolean => rules.figures.numbers.words().has(word)
  const isFiller = (word: string): boolean => rules.fillers.words.includes(word)
  const meaningful = lazily(() => phraseWords(rules.phrases))
  const isTaken = (word: string, before = ''): boolean =>
    rules.phrases.prefixes.includes(before) || meaningful().has(word) || isFiller(word) || isNumberWord(word)
  return defineProfile({
    id,
    version,
    purpose,
    stages: [
      ...rules.characters,
      writtenFormStage(rules.forms, examples.forms),
      ...rules.marks,
      fillerStage(rules.fillers, examples.fillers),
      contractionStage(rules.contractions, isFiller, examples.contractions),
      phraseStage(rules.phrases, isNumberWord, examples.phrases),
      letterStage(rules.letters, isTaken, examples.letters),
      figureStage(rules.figures, examples.figures),
      ...rules.money,
      spellingStage(rules.spellings, examples.spellings),
    ],
    words: 'spaces',
    quirks,
    ...(pairing === undefined ? {} : { pairing }),
  })
}

function spellingStage(table: LanguageRules['spellings'], example: Stage['example']): Stage {
  return {
    ...wordStage({
      name: 'spellings',
      does: 'Words with several spellings get one.',
      example,
      concerns: (word) => table().has(word),
      applyToWords(words) {
        const spellings = table()
        return words.map((word) => spellings.get(word) ?? word)
      },
    }),
    get settings() {
      return Object.fromEntries(table())
    },
  }
}

interface FillerRules {
  readonly words: readonly string[]
  /** Those that are units after a figure, and then stay: `10 mm`. */
  readonly units: readonly string[]
  /** Words that are numbers, before which a unit stays too: ten mm. */
  readonly isNumber?: (word: string) => boolean
}

/** A stage that drops words that only fill a pause. */
function fillerStage(
  { words: fillers, units, isNumber = () => false }: FillerRules,
  example: Stage['example'],
): Stage {
  const isFiller = new Set(fillers)
  const isUnit = new Set(units)
  const isCount = (word: string): boolean => /\d$/.test(word) || isNumber(word)
  return wordStage({
    name: 'fillers',
    does: `These words go: ${fillers.join(', ')}; but ${units.join(', ')} after a figure is a unit.`,
    example,
    settings: { fillers, units },
    concerns: (word) => isFiller.has(word),
    applyToWords(words) {
      const isKept = (word: string, index: number): boolean =>
        !isFiller.has(word) || (isUnit.has(word) && isCount(words[index - 1] ?? ''))
      return words.filter(isKept)
    },
  })
}
