import { lazily } from '#prelude'
import { defineProfile, type Profile, type Stage } from '../profile.ts'
import { dropBracketed, dropParenthesised, lowerCase } from './brackets.ts'
import { contractionExample, contractionStage, leaderboardContractions } from './contractions.ts'
import {
  dropCommasInNumbers,
  dropFullStops,
  dropStraySymbols,
  finishNumbers,
  joinNumberWords,
  prepareNumbers,
} from './english-numbers.ts'
import tables from './leaderboard-tables.json' with { type: 'json' }
import { collapseSpaceRuns, nonWord, pythonPattern, splitWords, substitute } from './python-text.ts'
import { readTable } from './spelling-table.ts'
import { removeSymbols, removeSymbolsAndDiacritics, removeSymbolsOutsideNumbers } from './symbols.ts'
import { collapseSpaces, lowerCaseAgain } from './whisper-basic.ts'
import { fillerStage, joinApostrophes, spellingStage, whisperSpellingTable } from './whisper-english.ts'

/** Whisper's table with the entries that the leaderboard removes, changes or adds. */
const leaderboardSpellingTable = lazily(() => {
  const table = new Map(whisperSpellingTable())
  for (const removed of tables.removedSpellings) table.delete(removed)
  for (const [from, to] of readTable(tables.changedSpellings.join('\n'))) table.set(from, to)
  return table
})

const compounds = `\n${tables.compounds.join('\n')}\n`
const compoundPatterns = lazily(() =>
  [...readTable(compounds)].map(([source, replacement]) => ({ pattern: pythonPattern(source), replacement })),
)
const joinCompounds: Stage = {
  name: 'compounds',
  does: 'Sixteen compounds are written together: wi fi, e mail, t shirt, a m, all right, et cetera …',
  example: ['my e mail', 'my email'],
  settings: compounds,
  apply(text) {
    let result = text
    for (const { pattern, replacement } of compoundPatterns())
      result = substitute(result, pattern, replacement)
    return result
  },
}

const letterOrDigit = /^[\p{L}\p{N}]$/u
const joinAcronyms: Stage = {
  name: 'acronyms',
  does: 'Runs of single letters and digits become one word, with “a” or “i” among them only from three on.',
  example: ['the b b c on 5 g', 'the bbc on 5g'],
  apply(text) {
    const words: string[] = []
    let run: string[] = []
    const endRun = (): void => {
      const shortest = run.includes('a') || run.includes('i') ? 3 : 2
      if (run.length >= shortest) words.push(run.join(''))
      else words.push(...run)
      run = []
    }
    for (const word of splitWords(text)) {
      if (letterOrDigit.test(word)) run.push(word)
      else {
        endRun()
        words.push(word)
      }
    }
    endRun()
    return words.join(' ')
  },
}

const fillers = 'hmm mm mhm mmm uh um ah aha ahh ahm eh ehehe em hm huh hum mhum uhm umm uhuh'.split(' ')

/** The stages of the English normaliser. */
export const englishStages: readonly Stage[] = [
  lowerCase,
  dropBracketed,
  dropParenthesised,
  fillerStage(fillers),
  joinApostrophes,
  contractionStage(leaderboardContractions, contractionExample),
  dropCommasInNumbers,
  dropFullStops,
  removeSymbolsOutsideNumbers,
  joinCompounds,
  prepareNumbers,
  joinNumberWords,
  finishNumbers,
  spellingStage(
    { name: 'spellings', does: 'British spellings become American ones.', example: ['colour', 'color'] },
    leaderboardSpellingTable,
  ),
  spellingStage(
    { name: 'names', does: 'Spellings of one name become one.', example: ['alan', 'allen'] },
    lazily(() => readTable(tables.mergedNames.join('\n'))),
  ),
  joinAcronyms,
  dropStraySymbols,
  collapseSpaces,
]

const englishQuirks: readonly string[] = [
  'Names are merged (alan, allen; carroll, carol; mohamed, mohammed): real errors in them are forgiven.',
  '“mm” becomes “hmm” after units were parted from their numbers: “10mm” turns into “10 hmm”.',
  'Acronyms are joined after symbols have gone: “2+2=4” turns into “224”.',
  'Decimal commas vanish, “oh” is a nought, and “ninth” stays a word, as with whisper-english.',
]

/** The English normaliser of the Open ASR Leaderboard, without a rule for compounds. */
export const leaderboardEnglish1: Profile = defineProfile({
  id: 'leaderboard-english@1',
  version: 1,
  purpose: "The Open ASR Leaderboard's English normaliser as published, for figures that used it.",
  stages: englishStages,
  words: 'spaces',
  quirks: englishQuirks,
})

/** What the leaderboard prints for English since June 2026. */
export const leaderboardEnglish: Profile = defineProfile({
  id: 'leaderboard-english@2026-06',
  version: 202606,
  purpose: 'English as the Open ASR Leaderboard scores it since June 2026, with compounds merged.',
  stages: englishStages,
  words: 'spaces',
  pairing: 'compounds',
  quirks: [
    'Any neighbours that are joined to a word of the other side are right, as merge_compounds of kaldialign has it: “a part” and “apart” are equal.',
    ...englishQuirks,
  ],
})

const dropNonWords: Stage = {
  name: 'what is left',
  does: 'Removes everything but letters, digits, underscores and white space.',
  example: ['a\u00adb', 'ab'],
  apply: (text) => substitute(text, nonWord, ''),
}

const trimSpaces: Stage = {
  name: 'white space',
  does: 'Runs of white space become one space; none remains at the ends.',
  example: [' two  words ', 'two words'],
  apply: (text) => collapseSpaceRuns(text).replace(/^ | $/g, ''),
}

/** The multilingual normaliser of the Open ASR Leaderboard, without its number words and compound pairs. */
export const leaderboardMultilingual1: Profile = defineProfile({
  id: 'leaderboard-multilingual@1',
  version: 1,
  purpose: "The Open ASR Leaderboard's multilingual normaliser as published, diacritics dropped.",
  stages: [
    lowerCase,
    dropBracketed,
    dropParenthesised,
    removeSymbolsAndDiacritics,
    lowerCaseAgain,
    dropNonWords,
    trimSpaces,
  ],
  words: 'spaces',
  quirks: ['Vowel signs that are spacing marks become spaces; Indic words fall apart.'],
})

/** The stages of `BasicMultilingualTextNormalizer(remove_diacritics=False)`. */
export const multilingualStages: readonly Stage[] = [
  lowerCase,
  dropBracketed,
  dropParenthesised,
  removeSymbols,
  lowerCaseAgain,
  dropNonWords,
  trimSpaces,
]

export const leaderboardMultilingualWithDiacritics: Profile = defineProfile({
  id: 'leaderboard-multilingual-with-diacritics',
  version: 1,
  purpose: "The Open ASR Leaderboard's multilingual normaliser with diacritics kept.",
  stages: multilingualStages,
  words: 'spaces',
  quirks: ['Vowel signs are marks and become spaces: नमस्ते turns into “नमस त”.'],
})
