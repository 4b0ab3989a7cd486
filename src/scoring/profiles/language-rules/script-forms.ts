import { lazily } from '#prelude'
import { rewriteOf } from '../needed-texts.ts'
import type { Stage } from '../profile.ts'
import { simplifiedCharacters } from './chinese-characters.generated.ts'
import { patternOf } from './language-file.ts'
import type { LetterForms } from './language-schema.ts'

const quotes = /[‘’‛ʼ＇`´׳]/g
// A zero-width space parts words; other format characters only shape letters.
const invisible = /[\p{Cf}\p{Variation_Selector}\p{Me}]/gu
const otherDigit = /(?![0-9])\p{Nd}/gu
const beyondAscii = /[\u0080-\uffff]/

/** A stage that makes letters comparable: one form of each, small, with figures 0 to 9. */
export function letterFormStage(forms: LetterForms, example: Stage['example']): Stage {
  const { locale } = forms
  const [folds, joined] = [Object.entries(forms.folds ?? {}), Object.entries(forms.joined ?? {})]
  const drops = forms.drops === undefined ? null : patternOf(forms.drops)
  const rewrites = (forms.rewrites ?? []).map(({ pattern, to }) => [patternOf(pattern), to] as const)
  const characters = forms.characters === undefined ? null : characterRules[forms.characters]
  const lower = (text: string): string =>
    locale === undefined ? text.toLowerCase().replaceAll('i\u0307', 'i') : text.toLocaleLowerCase(locale)
  const rewriteAll = rewrites.map(([pattern, to]) => rewriteOf(pattern, to))
  const foldByLetter = new Map(folds)
  const fold = folds.length === 0 ? null : new RegExp([...foldByLetter.keys()].join('|'), 'gu')
  const isForAscii =
    folds.some(([from]) => !beyondAscii.test(from)) ||
    rewrites.some(([{ source }]) => looksForLetters(source))
  return {
    name: 'letters',
    does: 'Unicode NFKC in lower case; one form of each letter, apostrophe and dash; figures become 0 to 9.',
    example,
    settings: [
      locale ?? null,
      folds,
      drops?.source ?? null,
      rewrites.map(([{ source }, to]) => [source, to]),
      characters === null ? null : 'characters',
      ...(joined.length === 0 ? [] : [joined]),
    ],
    apply(text) {
      if (!isForAscii && !beyondAscii.test(text)) return lower(text)
      const written = joined.reduce((result, [from, to]) => result.replaceAll(from, to), text)
      const isComposed = composedLetters.test(text)
      const small = isComposed ? lower(text) : shaped(lower(composed(written)))
      let result = small
      if (drops !== null) result = result.replace(drops, '')
      for (const rewrite of rewriteAll) result = rewrite(result)
      if (fold !== null) result = result.replace(fold, (from) => foldByLetter.get(from) ?? from)
      if (characters !== null) result = mapped(result, characters())
      return isComposed && result === small ? small : result.normalize('NFC')
    },
  }
}

/** Whether a pattern has letters of ASCII, besides those of its classes. */
function looksForLetters(source: string): boolean {
  return /[a-z]/.test(source.replace(/\\(?:p\{\w+\}|u\w{4}|\w)/g, ''))
}

// ASCII, and letters of Latin, Cyrillic and Arabic that are one code point in every form.
const composedLetters =
  /^[ -_a-~\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u0131\u0134-\u013e\u0141-\u0148\u014a-\u017e\u01a0\u01a1\u01af\u01b0\u0400-\u045f\u0490\u0491\u060c\u061b\u061f\u0621-\u063a\u0641-\u064a\u1ea0-\u1ef9]*$/

function shaped(text: string): string {
  return text
    .replace(quotes, "'")
    .replaceAll('\u200b', ' ')
    .replace(invisible, '')
    .replace(otherDigit, asciiDigit)
}

/** NFKC, but for the marks of ordinals, which it makes to letters, and for powers: 2² is no 22, and 10⁶ is 10^6. */
function composed(text: string): string {
  return /[ºª¼½¾⁰¹²³⁴-⁹]/.test(text)
    ? text
        .replace(/\d(?=[¼½¾])/g, '$& ')
        .replace(power, (all) => (/^[²³]$/.test(all) ? all : `^${all.normalize('NFKC').replace('−', '-')}`))
        .replace(raised, (all) => all.normalize('NFKC'))
        .replace(/[^ºª²³]+/g, (part) => part.normalize('NFKC'))
    : text.normalize('NFKC')
}

/** A figure, or a letter alone but that of a unit: m². */
const beforePower = '\\d|(?<![\\p{L}\\p{M}])(?![mмم])\\p{L}'
const power = new RegExp(`(?<=${beforePower})⁻?[⁰¹²³⁴-⁹]+`, 'gu')
const raised = new RegExp(`(?<!${beforePower})[²³]`, 'gu')

/** Figures of every script are ten in a row, from nought on. */
function asciiDigit(digit: string): string {
  let zero = digit.codePointAt(0) as number
  while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1)) && (digit.codePointAt(0) as number) - zero < 9)
    zero -= 1
  return String((digit.codePointAt(0) as number) - zero)
}

function mapped(text: string, table: ReadonlyMap<string, string>): string {
  let result = ''
  for (const character of text) result += table.get(character) ?? character
  return result
}

const looseSpace = /(?<![\p{Script=Latin}\d]) +| +(?![\p{Script=Latin}\d])/gu

/** Takes the spaces out of a script that writes none: they part something only between words of Latin letters and figures. */
export function withoutLooseSpaces(text: string): string {
  return text.replace(looseSpace, '')
}

/** What is too large for a file of rules, or shorter as a rule. */
const characterRules: Readonly<Record<'simplified' | 'hiragana', () => ReadonlyMap<string, string>>> = {
  simplified: lazily(() => {
    const characters = Array.from(simplifiedCharacters)
    const pairs = characters
      .filter((_, at) => at % 2 === 0)
      .map((from, at) => [from, characters[2 * at + 1] ?? from] as const)
    return new Map(pairs)
  }),
  hiragana: lazily(
    () =>
      new Map(
        Array.from({ length: 0x30f6 - 0x30a1 + 1 }, (_, at) => [
          String.fromCharCode(0x30a1 + at),
          String.fromCharCode(0x3041 + at),
        ]),
      ),
  ),
}
