import type { Stage } from '../profile.ts'

export const lowerCase: Stage = {
  name: 'lower case',
  does: "Unicode's own lower case.",
  example: ['Mr. PARK', 'mr. park'],
  apply: (text) => text.toLowerCase(),
}

// What is never closed is matched to its end and kept. Without that match, the rest of the text would be read again for
// each further opening.
const keepUnclosed = (all: string, closing: string): string => (closing === '' ? all : '')

const bracketed = /[<[][^>\]]*([>\]]?)/g
export const dropBracketed: Stage = {
  name: 'brackets',
  does: 'Removes text in <…> or […]; the two kinds may be mixed.',
  example: ['[laughter] hello <noise>', ' hello '],
  apply: (text) => (text.includes('<') || text.includes('[') ? text.replace(bracketed, keepUnclosed) : text),
}

const parenthesised = /\([^)]+(\)?)/g
export const dropParenthesised: Stage = {
  name: 'parentheses',
  does: 'Removes text in (…).',
  example: ['(coughs) there', ' there'],
  apply: (text) => (text.includes('(') ? text.replace(parenthesised, keepUnclosed) : text),
}
