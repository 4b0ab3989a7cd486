import {
  dropStrayMarks,
  dropSymbols,
  joinEndings,
  partLettersFromDigits,
  plainCharacters,
  plainNumbers,
} from '../english/characters.ts'
import { dropPlainMarks } from '../language-rules/plain-marks.ts'
import type { Stage } from '../profile.ts'

const beyondAscii = /[\u0080-\uffff]/
const fractionAfterDigit = /(?<=\d)(?=[¼-¾⅐-⅞])/g
export const characters: Stage = {
  ...plainCharacters,
  does: 'Unicode NFKD in lower case; accents go; fractions, digits, apostrophes and minus signs get their ASCII form.',
  example: ['Café ’n’ 2½…', "cafe 'n' 2 1/2..."],
  apply(text) {
    // An emergency room is no filler.
    const spelt = text.includes('ER') && /[a-z]/.test(text) ? text.replace(/\bER\b/g, 'E R') : text
    if (!beyondAscii.test(spelt)) return spelt.toLowerCase()
    return plainCharacters.apply(spelt.replace(fractionAfterDigit, ' ')).replaceAll('⁄', '/')
  },
}

const bracketed = /[<[][^>\]]*[>\]]|\((?!\d{3}\) ?\d{3})[^)]+\)/g
export const dropBracketed: Stage = {
  name: 'brackets',
  does: 'What is in <…>, […] or (…) goes, but for the area code of a telephone number.',
  example: ['[laughter] hello (coughs)', '  hello  '],
  settings: bracketed.source,
  apply: (text) => (/[>\])]/.test(text) ? text.replace(bracketed, ' ') : text),
}

const leadingPoint = /(?<![^ $£€+-])\.(?=\d)/g
const markedStages = [dropSymbols, joinEndings, partLettersFromDigits, plainNumbers, dropStrayMarks]
export const dropMarks: Stage = {
  name: 'marks',
  does: 'Marks go that are no part of a number or a contraction; letters and digits are parted; “1,000” becomes “1000”.',
  example: ["well... it 's -5, 1,000 50 % .5 10km", "well it's -5 1000 50% 0.5 10 km"],
  settings: markedStages.map(({ name, settings }) => [name, settings]),
  apply(text) {
    const plain = dropPlainMarks(text)
    if (plain !== null) return plain
    const dropped = markedStages.reduce((result, stage) => stage.apply(result), text)
    return dropped.includes('.') ? dropped.replace(leadingPoint, '0.') : dropped
  },
}
