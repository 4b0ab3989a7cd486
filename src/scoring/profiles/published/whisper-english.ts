import { lazily } from '#prelude'
import { defineProfile, type Profile, type Stage } from '../profile.ts'
import { dropBracketed, dropParenthesised, lowerCase } from './brackets.ts'
import { contractionExample, contractionStage, whisperContractions } from './contractions.ts'
import {
  dropCommasInNumbers,
  dropFullStops,
  dropStraySymbols,
  finishNumbers,
  joinNumberWords,
  prepareNumbers,
} from './english-numbers.ts'
import { joinWords, pythonPattern, splitWords, substitute } from './python-text.ts'
import { readTable } from './spelling-table.ts'
import { removeSymbolsOutsideNumbers } from './symbols.ts'
import { collapseSpaces } from './whisper-basic.ts'
import spellings from './whisper-spellings.json' with { type: 'json' }

/** Drops filler words, wherever they are whole words. */
export function fillerStage(fillers: readonly string[]): Stage {
  const pattern = pythonPattern(String.raw`\b(${fillers.join('|')})\b`)
  return {
    name: 'fillers',
    does: `These words go: ${fillers.join(', ')}.`,
    example: ['um hello', ' hello'],
    settings: fillers,
    apply: (text) => substitute(text, pattern, ''),
  }
}

const apostropheAfterSpace = pythonPattern(String.raw`\s+'`)
export const joinApostrophes: Stage = {
  name: 'apostrophes',
  does: 'Removes white space before an apostrophe.',
  example: ["do n't, it 's", "do n't, it's"],
  apply: (text) => (text.includes("'") ? substitute(text, apostropheAfterSpace, "'") : text),
}

/** Replaces whole words by a table. */
export function spellingStage(
  described: Pick<Stage, 'name' | 'does' | 'example'>,
  table: () => ReadonlyMap<string, string>,
): Stage {
  return {
    ...described,
    get settings() {
      return Object.fromEntries(table())
    },
    apply(text) {
      const entries = table()
      const words = splitWords(text)
      if (!words.some((word) => entries.has(word))) return joinWords(words, text)
      return words.map((word) => entries.get(word) ?? word).join(' ')
    },
  }
}

/** British spellings and their American ones, as published, errors included. */
export const whisperSpellingTable: () => ReadonlyMap<string, string> = lazily(() =>
  readTable(spellings.join('\n')),
)

/** The public English normaliser of Whisper. */
export const whisperEnglish: Profile = defineProfile({
  id: 'whisper-english',
  version: 1,
  purpose: "OpenAI Whisper's English normaliser as published, errors included, for figures that used it.",
  stages: [
    lowerCase,
    dropBracketed,
    dropParenthesised,
    fillerStage(['hmm', 'mm', 'mhm', 'mmm', 'uh', 'um']),
    joinApostrophes,
    contractionStage(whisperContractions, contractionExample),
    dropCommasInNumbers,
    dropFullStops,
    removeSymbolsOutsideNumbers,
    prepareNumbers,
    joinNumberWords,
    finishNumbers,
    spellingStage(
      { name: 'spellings', does: 'British spellings become American ones.', example: ['colour', 'color'] },
      whisperSpellingTable,
    ),
    dropStraySymbols,
    collapseSpaces,
  ],
  words: 'spaces',
  quirks: [
    'Possessives become verbs: “John’s book” turns into “john is book”.',
    '“o’clock” and “oh” are noughts: “at two o’clock” turns into “at 20 clock”, “oh my god” into “0 my god”.',
    'Decimal commas vanish: “3,5” turns into “35”.',
    '“archaeology” turns into “archeology</span>”; “pummelled”, “pummelling” and “snowploughs” lose endings.',
    '“ninth” stays a word, since the table has “nineth”.',
    '“point” before a number word that is no digit is lost: “at this point two people” turns into “at this .2 people”.',
    'Not idempotent: “…” turns into “ ..”, which turns into “ .”; a space can remain at the beginning.',
    'A reference of fillers alone becomes empty.',
  ],
})
