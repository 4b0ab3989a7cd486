import { englishSpellings } from '../english/english-1.ts'
import { joinCents } from '../english/spoken-numbers.ts'
import { languageProfile } from '../language-rules/language-profile.ts'
import { type Profile, type Stage, wordStage } from '../profile.ts'
import { negatedVerbs } from '../published/contractions.ts'
import { englishFigures, magnitudes } from './english-figures.ts'
import { englishForms } from './english-forms.ts'
import { characters, dropBracketed, dropMarks } from './english-marks.ts'
import { englishPhrases } from './english-phrases.ts'

const functionWords = new Set(
  'and or in on at to near by from of off is was were are the a for with where between before after until then it we i you he she they'.split(
    ' ',
  ),
)

const pronounVerbs =
  'am was have had do did can could will would should might think thought know knew mean guess want need got just'.split(
    ' ',
  )

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
  applyToWords: (words) =>
    words.some((word) => /[£€$]/.test(word)) ? withMoneyJoined(words.join(' ')).split(' ') : words,
})

function withMoneyJoined(text: string): string {
  const joined = joinCents.apply(text.replace(noughts, '$1').replace(bareCents, '$1.$2'))
  // What was joined can make work again: $5 ¢0 ¢7.
  return joined === text ? text : withMoneyJoined(joined)
}

export const english2: Profile = languageProfile({
  id: 'english@2',
  version: 2,
  purpose:
    'English speech: what speech people do not count as an error does not count (times, initialisms, hyphens, contractions, ' +
    'numbers, currencies, dates, units, titles, spellings, fillers).',
  characters: [characters, dropBracketed],
  forms: englishForms,
  marks: dropMarks,
  fillers: {
    words: 'uh uhh uhm uhmm um umm ummm hm hmm hmmm mm mmm mhm mhmm er erm errm'.split(' '),
    units: ['mm'],
  },
  contractions: {
    whole: {
      "won't": 'will not',
      "shan't": 'shall not',
      "can't": 'can not',
      "let's": 'let us',
      "ain't": 'aint',
      "y'all": 'you all',
      "i'ma": 'i am going to',
      "ma'am": 'madam',
      "d'you": 'do you',
      "y'know": 'you know',
      "c'mon": 'come on',
    },
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
})
