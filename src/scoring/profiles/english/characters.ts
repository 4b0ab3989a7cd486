import type { Stage } from '../profile.ts'
import { negatedVerbs } from '../published/contractions.ts'
import { asciiNumber, collapseSpaceRuns } from '../published/python-text.ts'
import { withoutDiacritics } from '../published/symbols.ts'

const beyondAscii = /[\u0080-\uffff]/

/** Letters without accents, digits and apostrophes of one kind. */
export const plainCharacters: Stage = {
  name: 'characters',
  does: 'Unicode NFKD in lower case; accents go; digits, apostrophes and minus signs get their ASCII form.',
  example: ['Café ’n’ ½…', "cafe 'n' 1⁄2..."],
  settings: { form: 'NFKD' },
  apply(text) {
    if (!beyondAscii.test(text)) return text.toLowerCase()
    const letters = withoutDiacritics(withoutDiacritics(text).toLowerCase())
    return asciiNumber(letters)
      .replace(/[‘’‛ʼ＇]/g, "'")
      .replaceAll('−', '-')
  },
}

const bracketed = /[<[][^>\]]*[>\]]|\([^)]+\)/g
export const dropBracketed: Stage = {
  name: 'brackets',
  does: 'Removes text in <…>, […] or (…).',
  example: ['[laughter] hello (coughs)', '  hello  '],
  settings: null,
  apply: (text) => (/[<[(]/.test(text) ? text.replace(bracketed, ' ') : text),
}

// What can be part of a number or a contraction stays for the stages after this one.
const otherSymbol = /(?![.,'%$¢€£+-])[\p{M}\p{S}\p{P}\p{C}]/gu
const asciiSymbol = /[!"#&()*/:-@[-`{-~]/g
export const dropSymbols: Stage = {
  name: 'symbols',
  does: "Marks, symbols and punctuation but . , ' % $ ¢ € £ + - become spaces.",
  example: ['yes! 50% — “no”', 'yes  50%    no '],
  settings: null,
  apply: (text) =>
    text.replace(beyondAscii.test(text) || /\p{Cc}/u.test(text) ? otherSymbol : asciiSymbol, ' '),
}

const endingAfterSpace = new RegExp(
  String.raw`\s+(?='(?:s|re|ve|ll|d|m|t)(?![a-z0-9]))|(?<=(?<![a-z0-9'])(?:${negatedVerbs}))\s+(?=n't(?![a-z0-9]))`,
  'g',
)
export const joinEndings: Stage = {
  name: 'apostrophes',
  does: 'The ending of a contraction is joined to the word before it; other quotes are left alone.',
  example: ["it 's do n't 'no'", "it's don't 'no'"],
  settings: null,
  apply: (text) => (text.includes("'") ? text.replace(endingAfterSpace, '') : text),
}

const grouping = /(?<=\d),(?=\d{3}(?!\d))/g
const decimalComma = /(?<=(?<![\d.,])\d+),(?=\d+(?![\d.,]))/g
const yearEnding = /(\d)'s(?![a-z0-9])/g
export const plainNumbers: Stage = {
  name: 'written numbers',
  does: 'A comma before three digits goes, any other decimal comma becomes a point; 1990’s becomes 1990s.',
  example: ["1,000,000 3,5 1990's", '1000000 3.5 1990s'],
  settings: null,
  apply(text) {
    const digits = text.includes(',') ? text.replace(grouping, '').replace(decimalComma, '.') : text
    return digits.includes("'") ? digits.replace(yearEnding, '$1s') : digits
  },
}

// A mark stays only where it belongs to a number (3.5, -5, $5, 50%) or is inside a word (o'clock).
const strayMark = new RegExp(
  [
    String.raw`\.(?!\d)|(?<=[^\d\s$¢€£+-])\.`,
    String.raw`(?<=\S)[+-]|[+-](?![$¢€£]?\.?\d)`,
    String.raw`[$¢€£](?!\.?\d)|(?<=[^\s+-])[$¢€£]`,
    String.raw`(?<!\d\s*)%|%(?=[\p{L}\p{N}])`,
    String.raw`(?<![\p{L}\p{N}])'|'(?![\p{L}\p{N}])`,
    ',',
  ].join('|'),
  'gu',
)
const percentAfterSpace = /(\d)\s+%/g
export const dropStrayMarks: Stage = {
  name: 'stray marks',
  does: 'Removes the remaining marks that are neither part of a number nor inside a word.',
  example: ["well... -5 - $5 3.5 50 %, dogs' o'clock.", "well -5 $5 3.5 50% dogs o'clock"],
  settings: null,
  apply(text) {
    const marked = /[.,'%$¢€£+-]/.test(text)
    const dropped = marked ? text.replace(strayMark, ' ').replace(percentAfterSpace, '$1%') : text
    return collapseSpaceRuns(dropped).trim()
  },
}

const letterDigit = /([a-z])([0-9])/g
const digitLetter = /([0-9])(?!(?:st|nd|rd|th|s)(?![a-z0-9]))([a-z])/g
export const partLettersFromDigits: Stage = {
  name: 'letters and digits',
  does: 'Letters and digits are parted, but for 1st, 2nd, 3rd, 4th and 50s.',
  example: ['rc232 10km 10th', 'rc 232 10 km 10th'],
  settings: null,
  apply: (text) =>
    /\d/.test(text) ? text.replace(letterDigit, '$1 $2').replace(digitLetter, '$1 $2') : text,
}
