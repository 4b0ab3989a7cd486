import type { Stage } from '../profile.ts'

export const lowerCase: Stage = {
  name: 'lower case',
  does: "Unicode's own lower case.",
  example: ['Mr. PARK', 'mr. park'],
  apply: (text) => text.toLowerCase(),
}

const bracketed = /[<[][^>\]]*[>\]]/g
export const dropBracketed: Stage = {
  name: 'brackets',
  does: 'Removes text in <…> or […]; the two kinds may be mixed.',
  example: ['[laughter] hello <noise>', ' hello '],
  apply: (text) => (text.includes('<') || text.includes('[') ? text.replace(bracketed, '') : text),
}

const parenthesised = /\(([^)]+?)\)/g
export const dropParenthesised: Stage = {
  name: 'parentheses',
  does: 'Removes text in (…).',
  example: ['(coughs) there', ' there'],
  apply: (text) => (text.includes('(') ? text.replace(parenthesised, '') : text),
}
