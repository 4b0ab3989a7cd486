import { pythonSpace } from '../tokens.ts'
import { defineProfile, type Profile, type Stage } from './profile.ts'

// Looking behind finds the last run at once: a run inside is tried from its start alone.
const ends = /* @__PURE__ */ new RegExp(`^[${pythonSpace}]+|(?<![${pythonSpace}])[${pythonSpace}]+$`, 'g')

const strip: Stage = {
  name: 'strip',
  does: 'White space at the ends goes; inside, only two or more characters of it become one space.',
  example: [' two\twords  here ', 'two\twords  here'],
  apply: (text) => text.replace(ends, ''),
}

/** The text as jiwer takes it by default, for counts that equal its own. */
export const jiwer: Profile = defineProfile({
  id: 'jiwer',
  version: 2,
  purpose: 'The text as the Python scorer jiwer takes it by default: nothing but spaces is changed.',
  stages: [strip],
  words: 'single-spaces',
  quirks: ['A single tab or no-break space does not part words: “a\\tb” is one word.'],
})

const asciiLowerCase: Stage = {
  name: 'ASCII lower case',
  does: 'The letters A to Z become lower case, others stay.',
  example: ['THE ÉTÉ', 'the ÉtÉ'],
  apply: (text) => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()),
}

const trailingStar: Stage = {
  name: 'trailing star',
  does: 'A star at the end of a word goes, one of several.',
  example: ['the word* goes* *', 'the word goes *'],
  apply: (text) => text.replace(/(?<=[^\t-\r ])\*(?=[\t-\r ]|$)/g, ''),
}

const asciiSpaces: Stage = {
  name: 'ASCII white space',
  does: 'Runs of spaces, tabs and line ends become one space, and none remains at the ends; other white space stays.',
  example: ['  two\twords ', 'two words'],
  apply: (text) => text.replace(/[\t-\r ]+/g, ' ').replace(/^ | $/g, ''),
}

/**
 * The text as sclite takes it by default, for counts that equal its own.
 *
 * @see SCTK, word.c (new_WORD) for the star
 */
export const sclite: Profile = defineProfile({
  id: 'sclite',
  version: 3,
  purpose:
    "The text as NIST's sclite takes it by default: words at white space, ASCII letters in lower case.",
  stages: [asciiLowerCase, trailingStar, asciiSpaces],
  words: 'ascii-spaces',
  quirks: [
    'Letters outside of ASCII keep their case.',
    'A no-break or ideographic space is a letter: “a\u00a0b” is one word.',
  ],
})
