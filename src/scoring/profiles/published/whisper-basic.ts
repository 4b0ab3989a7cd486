import { graphemes } from '../../tokens.ts'
import { defineProfile, type Profile, type Stage } from '../profile.ts'
import { dropBracketed, dropParenthesised, lowerCase } from './brackets.ts'
import { collapseSpaceRuns } from './python-text.ts'
import { removeSymbols, removeSymbolsAndDiacritics } from './symbols.ts'

export const collapseSpaces: Stage = {
  name: 'white space',
  does: 'Runs of white space become one space; one at either end stays.',
  example: [' two  words ', ' two words '],
  apply: collapseSpaceRuns,
}

export const lowerCaseAgain: Stage = {
  ...lowerCase,
  name: 'lower case again',
  does: 'Lower case once more, for capitals that the stage before has made.',
  example: ['H2O', 'h2o'],
}

const splitLetters: Stage = {
  name: 'letters',
  does: 'Every grapheme cluster becomes a word, so that the word rate is a character rate.',
  example: ['你好', '你 好'],
  apply: (text) => graphemes(text).join(' '),
}

const quirks = [
  'Vowel signs of Indic and South-East Asian scripts are marks and become spaces: नमस्ते turns into “नमस त”.',
  'A space can remain at either end.',
]

/** The public multilingual normaliser of Whisper, with its default options. */
export const whisperBasic: Profile = defineProfile({
  id: 'whisper-basic',
  version: 1,
  purpose: "OpenAI Whisper's multilingual normaliser as published, for figures that used it.",
  stages: [lowerCase, dropBracketed, dropParenthesised, removeSymbols, lowerCaseAgain, collapseSpaces],
  words: 'spaces',
  quirks,
})

/** `BasicTextNormalizer(remove_diacritics=True)`. */
export const whisperBasicNoDiacritics: Profile = defineProfile({
  ...whisperBasic,
  id: 'whisper-basic-no-diacritics',
  purpose: "Whisper's multilingual normaliser with its option to drop diacritics.",
  stages: [
    lowerCase,
    dropBracketed,
    dropParenthesised,
    removeSymbolsAndDiacritics,
    lowerCaseAgain,
    collapseSpaces,
  ],
  quirks: ['A space can remain at either end.'],
})

/** `BasicTextNormalizer(split_letters=True)`. */
export const whisperBasicSplitLetters: Profile = defineProfile({
  ...whisperBasic,
  id: 'whisper-basic-split-letters',
  purpose: "Whisper's multilingual normaliser with its option to make every character a word.",
  stages: [
    lowerCase,
    dropBracketed,
    dropParenthesised,
    removeSymbols,
    lowerCaseAgain,
    splitLetters,
    collapseSpaces,
  ],
})
