import { dropPlainMarks } from '../language-rules/plain-marks.ts'
import { mathSigns, romanValue } from '../language-rules/written-figures.ts'
import type { Stage } from '../profile.ts'
import { negatedVerbs } from '../published/contractions.ts'
import { asciiNumber, collapseSpaceRuns } from '../published/python-text.ts'
import { withoutDiacritics } from '../published/symbols.ts'
import { border, regnalMark } from '../readings.ts'
import { englishFigures } from './english-figures.ts'
import { ordinal } from './english-readings.ts'

const beyondAscii = /[\u0080-\uffff]/

/** Letters without accents, digits and apostrophes of one kind. */
const plainCharacters: Stage = {
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

// What can be part of a number or a contraction stays for the stages after this one.
const otherSymbol = /(?![.,'%$¢€£+-])[\p{M}\p{S}\p{P}\p{C}]/gu
const asciiSymbol = /[!"#&()*/:-@[-`{-~]/g
const dropSymbols: Stage = {
  name: 'symbols',
  does: "Marks, symbols and punctuation but . , ' % $ ¢ € £ + - become spaces.",
  example: ['yes! 50% — “no”', 'yes  50%    no '],
  apply: (text) =>
    text.replace(beyondAscii.test(text) || /\p{Cc}/u.test(text) ? otherSymbol : asciiSymbol, ' '),
}

/** Signs of mathematics and currencies that no form reads stay, because they were said. */
const spokenSign = new RegExp(`[\\p{Sc}${mathSigns}]`, 'u')
const spokenAlone = new RegExp(`(?![$¢€£])${spokenSign.source}`, 'gu')
const unspokenSymbol = new RegExp(`(?!${spokenSign.source})${otherSymbol.source}`, 'gu')
const dropUnspokenSymbols: Stage = {
  ...dropSymbols,
  does: "Marks, symbols and punctuation but . , ' % $ ¢ € £ + - become spaces; signs of mathematics and currencies stay.",
  settings: unspokenSymbol.source,
  apply: (text) =>
    spokenSign.test(text)
      ? text.replace(unspokenSymbol, ' ').replace(spokenAlone, ' $& ')
      : dropSymbols.apply(text),
}

const endingAfterSpace = new RegExp(
  String.raw`\s+(?='(?:s|re|ve|ll|d|m|t)(?![a-z0-9]))|(?<=(?<![a-z0-9'])(?:${negatedVerbs}))\s+(?=n't(?![a-z0-9]))`,
  'g',
)
const joinEndings: Stage = {
  name: 'apostrophes',
  does: 'The ending of a contraction is joined to the word before it; other quotes are left alone.',
  example: ["it 's do n't 'no'", "it's don't 'no'"],
  apply: (text) => (text.includes("'") ? text.replace(endingAfterSpace, '') : text),
}

const grouping = /(?<=\d),(?=\d{3}(?!\d))/g
const decimalComma = /(?<=(?<![\d.,])\d+),(?=\d+(?![\d.,]))/g
const yearEnding = /(\d)'s(?![a-z0-9])/g
const plainNumbers: Stage = {
  name: 'written numbers',
  does: 'A comma before three digits goes, any other decimal comma becomes a point; 1990’s becomes 1990s.',
  example: ["1,000,000 3,5 1990's", '1000000 3.5 1990s'],
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
const dropStrayMarks: Stage = {
  name: 'stray marks',
  does: 'Removes the remaining marks that are neither part of a number nor inside a word.',
  example: ["well... -5 - $5 3.5 50 %, dogs' o'clock.", "well -5 $5 3.5 50% dogs o'clock"],
  apply(text) {
    const marked = /[.,'%$¢€£+-]/.test(text)
    const dropped = marked ? text.replace(strayMark, ' ').replace(percentAfterSpace, '$1%') : text
    return collapseSpaceRuns(dropped).trim()
  },
}

const letterDigit = /([a-z])([0-9])/g
const digitLetter = /([0-9])(?!(?:st|nd|rd|th|s)(?![a-z0-9]))([a-z])/g
const partLettersFromDigits: Stage = {
  name: 'letters and digits',
  does: 'Letters and digits are parted, but for 1st, 2nd, 3rd, 4th and 50s.',
  example: ['rc232 10km 10th', 'rc 232 10 km 10th'],
  apply: (text) =>
    /\d/.test(text) ? text.replace(letterDigit, '$1 $2').replace(digitLetter, '$1 $2') : text,
}

const fractionAfterDigit = /(?<=\d)(?=[¼-¾⅐-⅞])/g
export const characters: Stage = {
  ...plainCharacters,
  does: 'Unicode NFKD in lower case; accents go; fractions, digits, apostrophes and minus signs get their ASCII form.',
  example: ['Café ’n’ 2½…', "cafe 'n' 2 1/2..."],
  apply(text) {
    // In capitals, ER is an emergency room and not the filler “er”.
    const spelt = text.includes('ER') && /[a-z]/.test(text) ? text.replace(/\bER\b/g, 'E R') : text
    if (!beyondAscii.test(spelt)) return spelt.toLowerCase()
    return plainCharacters.apply(spelt.replace(fractionAfterDigit, ' ')).replaceAll('⁄', '/')
  },
}

const bracketed = /[<[][^>\]]*[>\]]|\((?!\d{3}\) ?\d{3})[^)]+\)/g
const opened = [/[<[][^>\]]*(?:[>\]]|$)/g, /\((?!\d{3}\) ?\d{3})[^)]+(?:\)|$)/g] as const
const openedByAny = new RegExp(opened.map(({ source }) => source).join('|'), 'g')

/** Drops what is closed. A bracket that is not is found once, with all after it, so that no text takes quadratic time. */
function dropClosed(found: string): string {
  const isRound = found.startsWith('(')
  if ((isRound ? /\)$/ : /[>\]]$/).test(found)) return ' '
  const other = opened[isRound ? 0 : 1]
  return found.replace(other, (inner) => (/[>\])]$/.test(inner) ? ' ' : inner))
}

export const dropBracketed: Stage = {
  name: 'brackets',
  does: 'What is in <…>, […] or (…) goes, but for the area code of a telephone number.',
  example: ['[laughter] hello (coughs)', '  hello  '],
  settings: bracketed.source,
  apply: (text) => (/[>\])]/.test(text) ? text.replace(openedByAny, dropClosed) : text),
}

/** What names a sound, as transcripts write it in brackets. */
const sounds =
  'noise noises laughter laughs laughing laugh chuckles chuckling giggles giggling cough coughs coughing sneeze sneezes sneezing sigh ' +
  'sighs sighing breath breathing breathes inhales exhales gasp gasps gasping sniff sniffs sniffles sniffling groans groaning grunts ' +
  'crying sobbing sobs screams screaming shouting whispers whispering yawn yawns yawning throat music singing sings humming hums ' +
  'applause clapping claps cheering cheers silence pause static beep beeps beeping rings ringing click clicks clicking knock knocking ' +
  'footsteps typing barking chatter chattering murmuring buzzing whistling whistles siren sirens honking thunder inaudible ' +
  'unintelligible indistinct indiscernible crosstalk overlapping speech foreign language unk audio sound sounds speaking'
/** What may be said of a sound: without one of the words above it was spoken, as (in the end) and (no). */
const soundDetails =
  'clears clearing bell phone door dog crowd audience background blank end of beginning no soft softly loud loudly upbeat dramatic ' +
  'playing other speaker and in the a'
const isSound: ReadonlySet<string> = new Set(sounds.split(' '))
const isSoundDetail: ReadonlySet<string> = new Set(soundDetails.split(' '))

function describesSound(words: readonly string[]): boolean {
  return (
    words.some((word) => isSound.has(word)) &&
    words.every((word) => isSound.has(word) || isSoundDetail.has(word))
  )
}

const anyBrackets = /<\/?[a-z][^<>]*>|\[[^[\]]*\]|\([^()]*\)|\{[^{}]*\}|\*[^*]*\*/gi
/** The time of a line: [00:01], [00:00.000 --> 00:01.250]. */
const timeStamp = /^\[[\d:.,\s]*\d:\d[\d:.,\s>-]*\]$/
export const dropSounds: Stage = {
  name: 'brackets',
  does: 'Descriptions of sounds in brackets go: [noise], (laughter), <unk>; other words in brackets were said and stay.',
  example: ['[laughter] hello (coughs) (I think)', '  hello   (I think)'],
  settings: [sounds, soundDetails, anyBrackets.source, timeStamp.source],
  apply: (text) =>
    /[>\])}*]/.test(text)
      ? text.replace(anyBrackets, (all) => {
          const words = all.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
          const isMarkup = all.startsWith('<') || timeStamp.test(all)
          return isMarkup || describesSound(words) ? ' ' : all
        })
      : text,
}

/** Titles that are ordinary words too, with what they mean before a name. */
const titles: Readonly<Record<string, string>> = {
  gen: 'general',
  rev: 'reverend',
  hon: 'honorable',
  rep: 'representative',
  sen: 'senator',
  gov: 'governor',
  pres: 'president',
  col: 'colonel',
  maj: 'major',
  ald: 'alderman',
}
/** Phrases of all versions that the third reads by their neighbours instead. */
export const titlePhrases: readonly string[] = Object.entries(titles).map(([from, to]) => `${from}>${to}`)
const inAnyCase = (word: string): string =>
  Array.from(word, (letter) => `[${letter}${letter.toUpperCase()}]`).join('')
const title = new RegExp(
  `(?<![\\p{L}\\p{N}'’-])(?:${Object.keys(titles).map(inAnyCase).join('|')})(?:\\.(?=\\s+\\p{L})|(?=\\s+\\p{Lu}\\p{Ll}))`,
  'gu',
)

/** The last letter of a title with what is after it: rarer than titles' beginnings, and found faster. */
const titleEnd = /[nvpsljdNVPSLJD](?:\.\s| [A-Z\u0080-\uffff])/
// Titles are found by what is after them, because texts have fewer full stops and capitals than beginnings of titles.
const mayHoldTitle = new RegExp(
  `(?:\\.(?=\\s)|[A-Z\\u0080-\\uffff])(?<=(?:${Object.keys(titles).map(inAnyCase).join('|')})(?:\\.| \\s*.))`,
)

const numbered =
  'chapter part volume book act scene section article phase type class war title appendix figure table level stage episode round bowl grade version'
const numerals = /(?<![\p{L}\p{N}'’.-])(\p{L}+) ((?:X[LC]|L?X{0,3})(?:IX|IV|V?I{0,3}))(?![\p{L}\p{N}'’-])/gu
const rulers = new Set(
  'henry edward george charles louis elizabeth james richard william philip ferdinand napoleon frederick wilhelm benedict pius paul leo gregory clement innocent catherine nicholas alexander ivan'.split(
    ' ',
  ),
)
const numberedWords: ReadonlySet<string> = new Set(numbered.split(' '))

/** Chapter IV is chapter 4; Henry VIII is Henry 8 or the 8th. */
function figureOfNumeral(match: string, word: string, numeral: string): string {
  const value = romanValue(numeral.toLowerCase())
  const name = word.toLowerCase()
  if (value === null || value === 0) return match
  if (numberedWords.has(name)) return `${word} ${value}`
  // XL is a size, and 40 only of a bowl or a chapter.
  if (/[LC]/.test(numeral)) return match
  const isName = /^\p{Lu}\p{Ll}+$/u.test(word)
  // One letter alone is a numeral only after a ruler; I is mostly a pronoun.
  const isRead = isName && (numeral.length > 1 || (rulers.has(name) && numeral !== 'I'))
  return isRead ? `${word} ${value}${regnalMark}` : match
}

/** A Roman numeral before “century”: the XXI century. */
const centuries = /(?<![\p{L}\p{N}'’.-])(X{0,2}(?:IX|IV|V?I{0,3}))(?= centur(?:y|ies)(?!\p{L}))/gu
const longNumeral = / (?:[VXL]|I[IVX])[IVXLC]*(?![A-Za-z'’])/
/** What is a filler in small letters, and in capitals the name of something: the UM team. */
const capitalFiller = /(?<=[a-z] )(?:UM|UH|HM|MM)(?![\p{L}\p{N}'’,.…–—-])/gu
const numberedOne = new RegExp(` I(?![A-Za-z'’])(?<=(?:${numbered.split(' ').map(inAnyCase).join('|')}) I)`)
/** Most texts have no capital but that of their first word and of I, and no full stop but their last one. */
const mayHoldCapitals =
  /[A-HJ-Z²³\u0080-\uffff](?<!^.)|[≠№]|I(?: (?<=[tkenrsxld] I )|(?! )(?<!^.))|\d[MB]|\.\s/

/** A sign belongs to the number after it, and “double” to its first digit. */
export const notAfterSign = `(?<!(?:${'plus minus positive negative double triple oh o'.split(' ').map(inAnyCase).join('|')})\\s+)`
const millions = new RegExp(
  `(?<=(?<![$£€¢\\d.,\\p{L}+-])${notAfterSign}\\d[\\d,.]*)(?=[MB](?![\\p{L}\\p{N}]))`,
  'gu',
)
const areaOrVolume = /(?:(?<=\d ?)(mm|cm|km|m|ft|mi))?([²³])/g
/** Writes 10⁶ as 10^6. */
const furtherPower = /(?<=\d|(?<!\p{L})\p{L})⁻?[⁰¹²³⁴-⁹]+(?<![\p{L}\d][²³])/gu
const powers: Readonly<Record<string, readonly [unit: string, alone: string]>> = {
  '²': ['square', 'squared'],
  '³': ['cubic', 'cubed'],
}

/** `5 m²` is five square meters, `x²` x squared. */
function saidPower(_: string, unit: string | undefined, power: string): string {
  const [before, alone] = powers[power] ?? ['', '']
  return unit === undefined ? ` ${alone} ` : ` ${before} ${englishFigures.units[unit]?.[1]} `
}

/** Signs that decompose to letters or other signs, which are said otherwise. */
const saidOfOthers: Readonly<Record<string, string>> = {
  '≠': ` ${border}unequal `,
  '′': "'",
  '″': '"',
  '№': ' number ',
  '™': ' ',
}
const madeOfOthers = new RegExp(`[${Object.keys(saidOfOthers).join('')}]`)
const allMadeOfOthers = new RegExp(madeOfOthers, 'g')

export const readCapitals: Stage = {
  name: 'capitals',
  does: 'What capitals and raised figures say: 10M can be ten million, Chapter IV is chapter 4, Gen. Lee general Lee; ER is no filler.',
  example: ['10M of Gen. Lee, Chapter IV', `10${border}M of general Lee, Chapter 4`],
  settings: [
    titles,
    millions.source,
    numerals.source,
    numbered,
    [...rulers],
    centuries.source,
    capitalFiller.source,
  ],
  apply(text) {
    if (!mayHoldCapitals.test(text)) return text
    let result = /[⁰¹²³⁴-⁹]/.test(text)
      ? text
          .replace(furtherPower, (all) => `^${all.normalize('NFKC').replace('−', '-')}`)
          .replace(areaOrVolume, saidPower)
      : text
    if (/\d[MB]/.test(result)) {
      result = result.replace(millions, border)
    }
    if (longNumeral.test(result) || (result.includes(' I') && numberedOne.test(result)))
      result = result
        .replace(centuries, (numeral) => {
          const value = romanValue(numeral.toLowerCase()) ?? 0
          return value === 0 ? numeral : ordinal(value)
        })
        .replace(numerals, figureOfNumeral)
    if (result.includes('ER')) {
      result = result.replace(/(?<![\p{L}\p{N}'’.-])ER(?![\p{L}\p{N}'’.-])/gu, 'E R')
    }
    if (/ (?:[UH]M|UH|MM)/.test(result))
      result = result.replace(capitalFiller, (letters) => letters.split('').join(' '))
    if (madeOfOthers.test(result))
      result = result.replace(allMadeOfOthers, (sign) => saidOfOthers[sign] ?? sign)
    if (!titleEnd.test(result) || !mayHoldTitle.test(result)) return result
    return result.replace(title, (word) => titles[word.replace('.', '').toLowerCase()] ?? word)
  },
}

const leadingPoint = /(?<![^ $£€+-])\.(?=\d)/g
function markStage(symbols: Stage): Stage {
  const stages = [symbols, joinEndings, partLettersFromDigits, plainNumbers, dropStrayMarks]
  return {
    name: 'marks',
    does: 'Marks go that are no part of a number or a contraction; letters and digits are parted; “1,000” becomes “1000”.',
    example: ["well... it 's -5, 1,000 50 % .5 10km", "well it's -5 1000 50% 0.5 10 km"],
    settings: stages.map(({ name, settings = null }) => [name, settings]),
    apply(text) {
      const plain = dropPlainMarks(text)
      if (plain !== null) return plain
      const dropped = stages.reduce((result, stage) => stage.apply(result), text)
      return dropped.includes('.') ? dropped.replace(leadingPoint, '0.') : dropped
    },
  }
}

export const dropMarks: Stage = markStage(dropSymbols)
export const dropMarks3: Stage = markStage(dropUnspokenSymbols)
