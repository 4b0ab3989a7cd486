import { lazily } from '#prelude'
import { type LanguageRules, languageProfile } from '../language-rules/language-profile.ts'
import { isLetter } from '../language-rules/plain-marks.ts'
import { type Profile, type Stage, wordStage } from '../profile.ts'
import { negatedVerbs } from '../published/contractions.ts'
import { numberWords } from '../published/number-words.ts'
import { whisperSpellingTable } from '../published/whisper-english.ts'
import { englishFigures, englishFigures3, magnitudes } from './english-figures.ts'
import { englishForms, englishForms3, keepFromFillers, markPossibleBorders } from './english-forms.ts'
import {
  characters,
  dropBracketed,
  dropMarks,
  dropMarks3,
  dropSounds,
  readCapitals,
  titlePhrases,
} from './english-marks.ts'
import phrases from './english-phrases.json' with { type: 'json' }
import words from './english-words.json' with { type: 'json' }

/**
 * Words and phrases that are written in several ways, a line `from>to` each. Kept apart are words that sound alike and differ in
 * meaning (its and it's, everyday and every day), and joined forms with a different sound (resign and re-sign, coop and co-op).
 */
export const englishPhrases: string = `\n${phrases.join('\n')}\n`

/** Whisper's spellings without their slips. */
const englishSpellings: () => ReadonlyMap<string, string> = lazily(() => {
  const table = new Map(whisperSpellingTable())
  table.delete('flyer / flier')
  for (const [from, to] of Object.entries(words.mendedSpellings)) table.set(from, to)
  return table
})

const functionWords = new Set(
  'and or in on at to near by from of off is was were are the a for with where between before after until then it we i you he she they'.split(
    ' ',
  ),
)

const pronounVerbs =
  'am was have had do did can could will would should might think thought know knew mean guess want need got just'.split(
    ' ',
  )

const cents = /[€£$]0\.([0-9]{2})(?![0-9.])/g
const nothingAndCents = /[€£$]0 (?:and )?¢([0-9]{1,2})(?![0-9.])/g
const wholeAndCents = /([€£$])([0-9]+) (?:and )?¢([0-9]{1,2})(?![0-9.])/g
const joinCents: Stage = {
  name: 'cents',
  does: '“$0.36” becomes “¢36”, and “$2 and ¢7” becomes “$2.07”.',
  example: ['$2 and ¢7 $0.36', '$2.07 ¢36'],
  apply(text) {
    if (!/[€£$]/.test(text)) return text
    return text
      .replace(cents, (_, small: string) => `¢${Number(small)}`)
      .replace(nothingAndCents, '¢$1')
      .replace(wholeAndCents, (_, currency: string, whole: string, small: string) => {
        return `${currency}${whole}.${small.padStart(2, '0')}`
      })
  },
}

/** Money begins with its currency or a sign. */
function mayBeMoney(word: string): boolean {
  return !isLetter(word.charCodeAt(0)) && /[£€$]/.test(word)
}

const noughts = /([£€$]\d+)\.00(?![^ ])/g
// Not where the cents belong to what comes after them: $5 20 million.
const bareCents = new RegExp(
  `([£€$]\\d+) ([1-9]\\d)(?![^ ])(?! (?:second|${Object.keys(magnitudes).join('|')})(?![^ ]))`,
  'g',
)
const joinMoney: Stage = wordStage({
  name: 'money',
  does: '“$0.36” becomes “¢36”, “$2 and ¢7” and “$2 50” become “$2.07” and “$2.50”, “$5.00” becomes “$5”.',
  example: ['$2 and ¢7 $0.36 $2 50 $5.00', '$2.07 ¢36 $2.50 $5'],
  settings: [noughts.source, bareCents.source],
  concerns: mayBeMoney,
  applyToWords: (words) => withMoneyJoined(words.join(' ')).split(' '),
})

function withMoneyJoined(text: string): string {
  const joined = joinCents.apply(text.replace(noughts, '$1').replace(bareCents, '$1.$2'))
  // What was joined can make work again: $5 ¢0 ¢7.
  return joined === text ? text : withMoneyJoined(joined)
}

const english2Rules: LanguageRules = {
  id: 'english@2',
  version: 2,
  purpose:
    'English speech: what speech people do not count as an error does not count (times, initialisms, hyphens, contractions, ' +
    'numbers, currencies, dates, units, titles, spellings, fillers).',
  characters: [characters, dropBracketed],
  forms: englishForms,
  marks: [dropMarks],
  fillers: {
    words: 'uh uhh uhm uhmm um umm ummm hm hmm hmmm mm mmm mhm mhmm er erm errm'.split(' '),
    units: ['mm'],
  },
  contractions: {
    whole: words.contractions,
    negated: negatedVerbs.split('|'),
    endings: { re: 'are', ve: 'have', ll: 'will', m: 'am', d: 'would', t: 'not', s: 'is' },
    endingsBefore: {
      d: { next: ['been', 'gone', 'done', 'better'], word: 'had' },
      s: { next: ['been', 'gone', 'got', 'gotta', 'gotcha'], word: 'has' },
    },
    takesIs: 'it he she what that who here there how when where why this'.split(' '),
  },
  phrases: {
    table: englishPhrases,
    prefixes: ['non', 'anti', 'multi', 'semi', 'pre'],
    ambiguous: {
      st: (next) =>
        next === undefined || next === 'st' || functionWords.has(next) || /^\d/.test(next)
          ? 'street'
          : 'saint',
      ave: (next, previous) => (previous === undefined || next === 'maria' ? 'ave' : 'avenue'),
    },
  },
  letters: {
    words: ['a', 'i'],
    pronoun: {
      letter: 'i',
      before: pronounVerbs,
    },
  },
  figures: englishFigures,
  money: [joinMoney],
  spellings: englishSpellings,
  examples: {
    forms: ["10:30 the u.s.a. 10-15 2 1/2 goin'", '1030 the  usa  10 to 15 2 and a half going'],
    fillers: ['um it is 10 mm hmm', 'it is 10 mm'],
    contractions: ["it won't john's", "it will not john's"],
    phrases: ['mr park can mail e mails', 'mister park can mail emails'],
    letters: ['the b b c', 'the bbc'],
    figures: ['on the fifth of june 1984 5 km', 'on 5th june 1984 5 kilometers'],
    spellings: ['colour', 'color'],
  },
  quirks: [
    'A time and a number of the same figures are one: “10:30”, “1030” and “ten thirty”.',
    '“ER” in a text without small letters is a filler.',
    '“US” and “us” are one, as all capitals and small letters are.',
  ],
}

export const english2: Profile = languageProfile(english2Rules)

const pence = /£0\.([0-9]{2})(?![^ |])(?:\|[^ ]*)?/g
const poundsAndPence = /(£\d+)(?:\|[^ ]*)? (?:and )?(\d{1,2})(?:\|[^ ]*)? pence(?![^ ])/g
// What the cents could be alone goes: nineteen dollars and ninety, nine cents.
const otherCents = /(?<=(?:^| )[€£$]\d+)(?:\|[^ ]*)?( (?:and )?¢\d{1,2})(?:\|[^ ]*)?(?![^ ])/g
const joinCentsOnly: Stage = {
  ...wordStage({
    name: 'money',
    does: '“$0.36” becomes “¢36”, “£0.36” “36 pence”, “$2 and ¢7” becomes “$2.07”, “$5.00” becomes “$5”.',
    example: ['$2 and ¢7 $0.36 £3 50 pence $5.00', '$2.07 ¢36 £3.50 $5'],
    settings: [noughts.source, pence.source, poundsAndPence.source],
    concerns: mayBeMoney,
    applyToWords: (words) => withCentsJoined(words.join(' ')).split(' '),
  }),
}

function withCentsJoined(text: string): string {
  const inPence = text
    .replace(pence, (_, small: string) => `${Number(small)} pence`)
    .replace(poundsAndPence, (_, pounds: string, small: string) => `${pounds}.${small.padStart(2, '0')}`)
  const joined = joinCents.apply(inPence.replace(otherCents, '$1').replace(noughts, '$1'))
  return joined === text ? text : withCentsJoined(joined)
}

const irregularParticiples =
  'beaten become begun bitten blown broken brought built bought caught chosen come cost cut dealt done drawn driven eaten fallen ' +
  'felt fought found forgotten given grown had heard held hidden hit hurt kept known laid led left lent lost made meant met paid put ' +
  'read risen run said seen sent set shot shown shut slept sold spent spoken stolen struck sung taken taught thought thrown told ' +
  'understood worn written'
const phrases3 = englishPhrases
  .split('\n')
  .filter((line) => !titlePhrases.includes(line) && line !== 'sr>senior' && line !== 'dr>doctor')
  .concat('hwy>highway', 'rd>road', 'ln>lane', 'sq km>square kilometers', 'c o two>co two')
  .concat('miles an hour>mph', 'kilometers an hour>kph', 'kilometres an hour>kph')
  .concat(words.furtherCompounds)
  .concat('eg>eg|eg|e_g|for_example', 'ie>ie|ie|i_e|that_is')
  .join('\n')

export const english3: Profile = languageProfile({
  ...english2Rules,
  id: 'english@3',
  version: 3,
  purpose:
    'English speech: what sounds the same is the same (times, initialisms, hyphens, contractions, numbers, currencies, dates, ' +
    'units, titles, spellings, fillers), and what sounds otherwise is not.',
  pairing: 'readings',
  characters: [readCapitals, dropSounds, characters],
  forms: englishForms3,
  marks: [keepFromFillers, markPossibleBorders, dropMarks3],
  examples: {
    ...english2Rules.examples,
    forms: ["10:30 the u.s.a. 10-15 2 1/2 goin'", '10ꞏ30 the  usa  10 to 15 2 and a half going'],
    figures: ['on the fifth of june for 20 km', 'on the 5th of june for 20 kilometers|kilometers|kilometer'],
  },
  fillers: { ...english2Rules.fillers, isNumber: isCardinal },
  contractions: {
    ...english2Rules.contractions,
    endingsBefore: {
      d: {
        next: 'been gone done better begun broken chosen driven eaten fallen forgotten given grown known seen spoken stolen taken thrown written'.split(
          ' ',
        ),
        word: 'had',
      },
      s: { next: 'been gone got gotta gotcha won become come begun happened'.split(' '), word: 'has' },
    },
    openAfter: {
      s: {
        bases:
          'everybody everyone everything somebody someone something nobody nothing anybody anyone anything'.split(
            ' ',
          ),
        meanings: ['is', 'has'],
      },
    },
    openBefore: {
      s: { next: irregularParticiples.split(' '), pattern: '^[a-z]{2,}ed$', word: 'is|is|has' },
      d: { next: irregularParticiples.split(' '), pattern: '^[a-z]{2,}ed$', word: 'would|would|had' },
    },
  },
  phrases: {
    ...english2Rules.phrases,
    table: phrases3,
    ambiguous: {
      ...english2Rules.phrases.ambiguous,
      // At the end of an address “dr” is a drive: 12 Main Dr.
      dr: (next) => (next === undefined || functionWords.has(next) ? 'drive|drive|doctor' : 'doctor'),
      // Before a figure “sr” is no senior: SR-71 is an aircraft.
      sr: (next) => (next !== undefined && /^\d/.test(next) ? 'sr' : 'senior'),
    },
  },
  letters: { ...english2Rules.letters, possiblePairs: 'ac ai ap id ip iq iv ui'.split(' ') },
  figures: englishFigures3,
  money: [joinCentsOnly],
  spellings: lazily(() => {
    const table = new Map([...englishSpellings(), ...Object.entries(words.furtherSpellings)])
    for (const word of noSpellings) table.delete(word)
    // A possessive is spelled as its word is: neighbour's becomes neighbor's.
    for (const [from, to] of [...table]) table.set(`${from}'s`, `${to}'s`)
    return table
  }),
  quirks: [
    'A figure is taken as it was said in the other text: 1984 is nineteen eighty-four, and one nine eight four.',
    '“US” and “us” are one, as all capitals and small letters are.',
  ],
})

const allNumberWords = lazily(numberWords)

function isCardinal(word: string): boolean {
  const kind = allNumberWords().get(word)?.kind
  return kind === 'one' || kind === 'ten' || kind === 'multiplier'
}

/** Words that sound otherwise, and a museum, that the table takes for two spellings of one. */
const noSpellings =
  'tranquilly louvre louvres aeroplane aeroplanes aluminium flautist flautists behove behoved behoves'.split(
    ' ',
  )
