import type { Stage } from '../profile.ts'

const letters: Readonly<Record<string, string>> = {
  œ: 'oe',
  Œ: 'OE',
  ø: 'o',
  Ø: 'O',
  æ: 'ae',
  Æ: 'AE',
  ß: 'ss',
  ẞ: 'SS',
  đ: 'd',
  Đ: 'D',
  ð: 'd',
  Ð: 'D',
  þ: 'th',
  Þ: 'th',
  ł: 'l',
  Ł: 'L',
}
const beyondAscii = /[\u0080-\uffff]/
const unseparated = /[œŒøØæÆßẞđĐðÐþÞłŁ]/g
const nonSpacingMark = /\p{Mn}/gu
const symbol = /[\p{M}\p{S}\p{P}]/gu
const symbolOutsideNumbers = /(?![.%$¢€£])[\p{M}\p{S}\p{P}]/gu
const asciiSymbol = /[!-/:-@[-`{-~]/g
const asciiSymbolOutsideNumbers = /[!"#&-\-/:-@[-`{-~]/g

/** Marks, symbols and punctuation become spaces, in the composed form: accents stay, vowel signs do not. */
export const removeSymbols: Stage = {
  name: 'symbols',
  does: 'Unicode NFKC; every mark, symbol and punctuation mark becomes a space.',
  example: ['naïve, AT&T', 'naïve  AT T'],
  settings: { form: 'NFKC' },
  apply: (text) =>
    beyondAscii.test(text) ? text.normalize('NFKC').replace(symbol, ' ') : text.replace(asciiSymbol, ' '),
}

/** Does what `removeSymbols` does, and takes accents away. */
export const removeSymbolsAndDiacritics: Stage = {
  name: 'symbols and diacritics',
  does: 'Unicode NFKD; accents go, œ ø æ ß đ ð þ ł get Latin letters, other symbols become spaces.',
  example: ['naïve, smørrebrød', 'naive  smorrebrod'],
  settings: { form: 'NFKD', keep: '', letters },
  apply: (text) =>
    beyondAscii.test(text) ? withoutDiacritics(text).replace(symbol, ' ') : text.replace(asciiSymbol, ' '),
}

/** Does what `removeSymbolsAndDiacritics` does, but keeps what belongs to a number. */
export const removeSymbolsOutsideNumbers: Stage = {
  name: 'symbols and diacritics',
  does: 'Unicode NFKD; accents go, œ ø æ ß đ ð þ ł get Latin letters, symbols but . % $ ¢ € £ become spaces.',
  example: ['café: 3.5 % (naïve)', 'cafe  3.5 %  naive '],
  settings: { form: 'NFKD', keep: '.%$¢€£', letters },
  apply: (text) =>
    beyondAscii.test(text)
      ? withoutDiacritics(text).replace(symbolOutsideNumbers, ' ')
      : text.replace(asciiSymbolOutsideNumbers, ' '),
}

/** The decomposed text without accents, and with Latin letters for those that do not decompose. */
export function withoutDiacritics(text: string): string {
  return text
    .normalize('NFKD')
    .replace(nonSpacingMark, '')
    .replace(unseparated, (letter) => letters[letter] as string)
}
