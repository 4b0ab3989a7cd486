import { lazily } from '#prelude'
import { defineProfile, type Profile, type Stage } from '../profile.ts'
import { contractionStage, mendedContractions } from '../published/contractions.ts'
import { collapseSpaceRuns } from '../published/python-text.ts'
import { spellingStage, whisperSpellingTable } from '../published/whisper-english.ts'
import {
  dropBracketed,
  dropStrayMarks,
  dropSymbols,
  joinEndings,
  partLettersFromDigits,
  plainCharacters,
  plainNumbers,
} from './characters.ts'
import { joinCents, joinSpokenNumbers } from './spoken-numbers.ts'

const fillers: ReadonlySet<string> = new Set(['hmm', 'mm', 'mhm', 'mmm', 'uh', 'um'])
const anyFiller = /\b(?:[hm]+|mhm|u[hm])\b/
const dropFillers: Stage = {
  name: 'fillers',
  does: `These words go: ${[...fillers].join(', ')}; but mm after a number is a unit.`,
  example: ['um it is 10 mm hmm', 'it is 10 mm'],
  settings: [...fillers],
  apply(text) {
    if (!anyFiller.test(text)) return text
    const words = text.split(' ')
    const isUnit = (index: number): boolean => words[index] === 'mm' && /\d$/.test(words[index - 1] ?? '')
    return words.filter((word, index) => !fillers.has(word) || isUnit(index)).join(' ')
  },
}

// Writing out a contraction can leave one: “uh n’t”.
const dropFillersAgain: Stage = { ...dropFillers, name: 'fillers again' }

const finish: Stage = {
  name: 'white space',
  does: 'One space between words, none at the ends.',
  example: [' two  words ', 'two words'],
  settings: null,
  apply: (text) => collapseSpaceRuns(text).trim(),
}

/** Entries of Whisper's table that are slips, with what was meant. */
const mendedSpellings: Readonly<Record<string, string>> = {
  archaeology: 'archeology',
  pummelled: 'pummeled',
  pummelling: 'pummeling',
  snowploughs: 'snowplows',
}

/** Whisper's spellings without their slips. */
export const englishSpellings: () => ReadonlyMap<string, string> = lazily(() => {
  const table = new Map(whisperSpellingTable())
  table.delete('flyer / flier')
  for (const [from, to] of Object.entries(mendedSpellings)) table.set(from, to)
  return table
})

/** What this profile does otherwise than `whisper-english`, with an example of each. */
export const englishDifferences: readonly {
  readonly what: string
  readonly text: string
  readonly whisper: string
  readonly english: string
}[] = [
  {
    what: 'slips in the spelling table',
    text: 'archaeology',
    whisper: 'archeology</span>',
    english: 'archeology',
  },
  { what: 'o’clock is a word', text: "at two o'clock", whisper: 'at 20 clock', english: "at 2 o'clock" },
  { what: 'oh is a word', text: 'oh my god', whisper: '0 my god', english: 'oh my god' },
  { what: 'decimal commas', text: '3,5 litres', whisper: '35 liters', english: '3.5 liters' },
  { what: 'possessives', text: 'John’s book', whisper: 'john s book', english: "john's book" },
  { what: 'possessives', text: "John's book", whisper: 'john is book', english: "john's book" },
  { what: 'curly apostrophes', text: 'I don’t', whisper: 'i don t', english: 'i do not' },
  { what: 'lone marks', text: 'quietly…', whisper: 'quietly ..', english: 'quietly' },
  { what: 'spaces at the ends', text: '$ hello', whisper: ' hello', english: 'hello' },
  { what: 'quotes are no contractions', text: "the 'big' one", whisper: 'the big one', english: 'the big 1' },
  { what: 'decades', text: "the 1990's", whisper: 'the 1990 is', english: 'the 1990s' },
  {
    what: 'points that are none',
    text: 'at this point two people',
    whisper: 'at this .2 people',
    english: 'at this point 2 people',
  },
  { what: 'signs of written numbers', text: '-5 degrees', whisper: '5 degrees', english: '-5 degrees' },
  { what: 'signs before currencies', text: 'minus five dollars', whisper: '$5', english: '-$5' },
  { what: 'per cent signs after a space', text: '3.2 %', whisper: '3.2 ', english: '3.2%' },
  { what: 'the ninth', text: 'the ninth', whisper: 'the ninth', english: 'the 9th' },
  {
    what: 'digits stay digits',
    text: 'version 1.0 of 1',
    whisper: 'version one of one',
    english: 'version 1.0 of 1',
  },
  { what: 'addresses', text: '192.168.1.1', whisper: '192.168 one one', english: '192.168.1.1' },
  { what: 'tenths are no cents', text: '$0.5', whisper: '¢5', english: '$0.5' },
  { what: 'units are no fillers', text: '10 mm', whisper: '10', english: '10 mm' },
]

/** The first default for English: Whisper's rules without their slips, and the same when applied again. */
export const english1: Profile = defineProfile({
  id: 'english@1',
  version: 1,
  purpose:
    'English speech: numbers, contractions, titles and spellings do not count; Whisper’s rules, corrected.',
  stages: [
    plainCharacters,
    dropBracketed,
    dropSymbols,
    joinEndings,
    partLettersFromDigits,
    plainNumbers,
    dropStrayMarks,
    dropFillers,
    contractionStage(mendedContractions, ["mr park won't john's", "mister park will not john's"]),
    finish,
    dropFillersAgain,
    joinSpokenNumbers,
    joinCents,
    spellingStage(
      { name: 'spellings', does: 'British spellings become American ones.', example: ['colour', 'color'] },
      englishSpellings,
    ),
  ],
  words: 'spaces',
  quirks: [],
})
