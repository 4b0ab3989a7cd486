import { unspacedCharacter } from '#prelude'

/** Scripts that are written without spaces between words, by their ISO 15924 codes, those of writing systems that mix them included. */
const unspacedScripts: ReadonlySet<string> = /* @__PURE__ */ new Set(
  'Hani Hans Hant Hira Kana Hrkt Jpan Thai Laoo Khmr Mymr'.split(' '),
)

const letter = /\p{L}/gu
const unspacedLetter = /* @__PURE__ */ new RegExp(`(?=\\p{L})${unspacedCharacter}`, 'gu')

/**
 * Whether a language is mostly written without spaces: Chinese, Cantonese, Japanese, Thai, Lao, Khmer, Burmese.
 *
 * @param language BCP 47 tag; `zh-Latn`, which names another script, is not
 * @throws RangeError for what has not the form of a tag: `en_US`
 */
export function isUnspacedLanguage(language: string): boolean {
  return unspacedScripts.has(new Intl.Locale(language).maximize().script ?? '')
}

/** Whether more than half of the letters of some texts are of a script that is written without spaces. */
export function areUnspaced(texts: Iterable<string>): boolean {
  let [letters, unspaced] = [0, 0]
  for (const text of texts) {
    letters += text.match(letter)?.length ?? 0
    unspaced += text.match(unspacedLetter)?.length ?? 0
  }
  return unspaced > letters / 2
}
