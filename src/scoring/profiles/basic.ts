import { defineProfile, type Profile, type ProfileDefinition, type Stage } from './profile.ts'
import { collapseWhitespace } from './shared-stages.ts'

const compatibility: Stage = {
  name: 'compatibility forms',
  does: 'Unicode NFKC: ligatures, full-width letters, superscripts and composed accents get one spelling.',
  example: ['ﬁve １２ cafe\u0301', 'five 12 café'],
  settings: 'NFKC',
  apply: (text) => text.normalize('NFKC'),
  ascii: unchanged,
}

function unchanged(text: string): string {
  return text
}

const lowerCase: Stage = {
  name: 'lower case',
  does: "Unicode's own lower case, the same under every locale; İ becomes i.",
  example: ['STRAẞE Ελλάς İzmir', 'straße ελλάς izmir'],
  // Lower case can decompose, so the composed form is made again; İ becomes an i with a second dot, which
  // is never written.
  apply: (text) => text.toLowerCase().replaceAll('i\u0307', 'i').normalize('NFKC'),
  ascii: (text) => text.toLowerCase(),
}

// Zero-width space parts words (Khmer, Thai); every other format character only shapes or orders letters.
const invisible = /[\p{Cf}\p{Variation_Selector}\p{Me}]/gu
const invisibleCharacters: Stage = {
  name: 'invisible characters',
  does: 'A zero-width space becomes a space; joiners, soft hyphens, direction marks, variation selectors and enclosing marks go.',
  example: ['co\u00adoperate \u200fשלום', 'cooperate שלום'],
  apply: (text) => text.replaceAll('\u200b', ' ').replace(invisible, ''),
  ascii: unchanged,
}

const apostrophes = /(?<=[\p{L}\p{M}\p{N}])['‘’‛ʼ](?=[\p{L}\p{M}\p{N}])/gu
const separators =
  /(?!')[\p{P}\p{S}\p{Cc}\p{Cs}\p{Co}\p{Cn}]|'(?<![\p{L}\p{M}\p{N}]')|'(?![\p{L}\p{M}\p{N}])/gu
// [^a-zA-Z0-9 ], in the form that is found fastest.
const asciiMark = /[^\w ]|_/
const asciiSeparators = /[^a-zA-Z0-9 ']|'(?<![a-zA-Z0-9]')|'(?![a-zA-Z0-9])/g
const punctuation: Stage = {
  name: 'punctuation',
  does: 'Punctuation and symbols become spaces; an apostrophe between letters stays, as a straight one.',
  example: ['“Don’t stop—AT&T!”', " Don't stop AT T  "],
  apply: (text) => text.replace(apostrophes, "'").replace(separators, ' '),
  ascii: (text) => (asciiMark.test(text) ? text.replace(asciiSeparators, ' ') : text),
}

const loneMark = /(?<![\p{L}\p{M}\p{N}])\p{M}+/gu
const loneMarks: Stage = {
  name: 'lone marks',
  does: 'A combining mark without a letter under it goes; vowel signs and accents on letters stay.',
  example: ['नमस्ते ◌\u0301', 'नमस्ते ◌'],
  apply: (text) => text.replace(loneMark, ''),
  ascii: unchanged,
}

const rules: Pick<ProfileDefinition, 'version' | 'stages' | 'words' | 'quirks'> = {
  version: 1,
  stages: [compatibility, lowerCase, invisibleCharacters, loneMarks, punctuation, collapseWhitespace],
  words: 'spaces-and-dictionary',
  quirks: [],
}

/**
 * For any language: equal sounds have equal spellings, and no script is decomposed. Numbers,
 * contractions and spellings stay as they are.
 */
export const basic: Profile = defineProfile({
  ...rules,
  id: 'basic',
  purpose: 'Any language: case, punctuation and invisible characters do not count; every script stays whole.',
})

/** `basic` for texts that are written without spaces between words. */
export const unspaced: Profile = defineProfile({
  ...rules,
  id: 'unspaced',
  version: 2,
  words: 'dictionary',
  purpose:
    'Chinese, Japanese, Thai, Lao, Khmer, Burmese: as basic, but spaces are no characters and part no words, and CER comes first.',
  characters: 'no-spaces',
  leads: 'characters',
})
