import { rewriteOf } from '../needed-texts.ts'
import type { Stage } from '../profile.ts'
import { border, halfMark, possibleBorder } from '../readings.ts'
import { type CountedForms, formChooser, listForms, patternOf } from './language-file.ts'
import type { FigureSigns } from './language-schema.ts'

type Rewrite = (text: string) => string

/** A stage that says what figures with marks mean, so that afterwards they are numbers and words. */
export function writtenFigureStage(language: string, signs: FigureSigns, example: Stage['example']): Stage {
  const steps = [
    ...(signs.forms ?? []).map(({ pattern, to }) => rewriteOf(patternOf(pattern), to)),
    ...numberSteps(language, signs),
  ]
  return {
    name: 'written figures',
    does: 'Thousands, times, dates, ordinals, currencies, per cent, degrees and ranges become numbers and words.',
    example,
    settings: JSON.stringify(signs),
    apply: (text) => (holdsFigures(text) ? steps.reduce((result, step) => step(result), text) : text),
  }
}

/** Whether a text has a digit, a sign or an initialism: without any of them there are no written figures. */
export function holdsFigures(text: string): boolean {
  return mayHoldFigures.test(text) && figures.test(text)
}

const figures = /[\d&%@+#\p{Sc}]|\.(?<=\p{L}\.)\p{L}/u
/** The same without classes of Unicode, which take several times as long: Latin and Cyrillic texts have few of these. */
const mayHoldFigures = /[\d&%@+#$¢-¥\u0500-\uffff]|\.\S/

const capitalNumeral = /(?=[IVXІХ])(?<!\p{L})[IVXІХ]+(?!\p{Lu})/u

/** A stage for texts with their capitals: small letters are words, as in “Pawła i Gawła”. In a text of capitals alone, none is read. */
export function romanStage(romans: NonNullable<FigureSigns['romans']>, example: Stage['example']): Stage {
  const places = romans.map(
    ({ pattern, ordinalsTo = '0' }) => [new RegExp(patternOf(pattern), 'giu'), Number(ordinalsTo)] as const,
  )
  return {
    name: 'Roman numerals',
    does: 'Roman numerals in capitals become figures after the names of rulers and next to centuries.',
    example,
    settings: places.map(([{ source }, ordinalsTo]) => [source, ordinalsTo]),
    apply(text) {
      if (!capitalNumeral.test(text) || text === text.toUpperCase()) return text
      return places.reduce(
        (result, [pattern, ordinalsTo]) => withoutRomans(result, pattern, ordinalsTo),
        text.normalize(),
      )
    },
  }
}

function withoutRomans(text: string, pattern: RegExp, ordinalsTo: number): string {
  return text.replace(pattern, (all: string, numeral: string) => {
    const value = numeral === numeral.toUpperCase() ? romanValue(numeral.toLowerCase()) : null
    if (value === null) return all
    const at = all.lastIndexOf(numeral)
    return `${all.slice(0, at)}${value}${value <= ordinalsTo ? 'º' : ''}${all.slice(at + numeral.length)}`
  })
}

const tens = ['', 'x', 'xx', 'xxx', 'xl', 'l', 'lx', 'lxx', 'lxxx', 'xc']
const ones = ['', 'i', 'ii', 'iii', 'iv', 'v', 'vi', 'vii', 'viii', 'ix']
const romanValues: ReadonlyMap<string, number> = new Map(
  tens.flatMap((ten, at) => ones.map((one, value): [string, number] => [ten + one, 10 * at + value])),
)

/** The value of a Roman numeral from 1 to 99 in lower case, with Cyrillic letters too; null for letters that are none. */
export function romanValue(numeral: string): number | null {
  return romanValues.get(numeral.replaceAll('і', 'i').replaceAll('х', 'x')) ?? null
}

/** A rewrite for texts that hold one of some characters: most texts hold none, and looking is faster. */
export function where(characters: RegExp, rewrite: Rewrite): Rewrite {
  return (text) => (characters.test(text) ? rewrite(text) : text)
}

function numberSteps(language: string, signs: FigureSigns): Rewrite[] {
  const { decimal, group, halves, dot = 'dot', plus = 'plus', fractions = {} } = signs
  const half = new RegExp(`(?<![\\d.,]|${halfMark} )\\d+[${decimal}]5(?![\\d.,])`, 'g')
  const number = `\\d+(?:[${decimal}]\\d+)?`
  return [
    groups(group, decimal),
    where(/\d[./]/, dates(signs)),
    where(new RegExp(`\\d ?[:${signs.timeMarks ?? ''}]`), times(language, signs)),
    // Figures with several such marks are no decimals: 192.168.1.1, or 1,2,3.
    where(/\d[.,]\d/, (text) =>
      text.replace(/\d+(?:[.,]\d+){2,}/g, (all) => all.replace(/[.,]/g, ` ${border} `)),
    ),
    // 2½ was 2 1⁄2 by then: a fraction of one character has another stroke than 1/2.
    where(/\d \d⁄/, (text) =>
      text.replace(
        /(?<![\d.,/⁄])(\d+) ([13]⁄[24])(?!\d)/g,
        (all, whole: string, part: string) => whole + decimal + (decimals[part] ?? all),
      ),
    ),
    where(/[/⁄]/, (text) =>
      text.replace(
        /(?<![\d/.,])(\d+)[/⁄](\d+)(?![\d/])/g,
        (all) => fractions[all.replace('⁄', '/')]?.replaceAll('/', border) ?? all,
      ),
    ),
    ...(signs.said?.['x'] === undefined ? [] : [where(/\d ?x ?\d/, saidSigns(signs))]),
    ordinals(signs),
    money(language, signs),
    where(/[%°]/, percent(language, signs, number)),
    where(mayHoldAddress, addresses(signs)),
    where(/\d ?[-–—] ?\d/, ranges(signs)),
    ...(decimal === ',' ? [where(/\d\.\d/, (text) => text.replace(/(?<=\d)\.(?=\d)/g, ` ${dot} `))] : []),
    where(/[-−–]\d/, (text) => text.replace(/(?<![\p{L}\p{N}.,])[-−–](?=\d)/gu, ` ${signs.minus} `)),
    where(/\+/, (text) =>
      text.replace(/(?<=[\p{L}\d]) ?\+ ?(?=[\p{L}\d])|(?<![^\s(])\+ ?(?=\d)/gu, ` ${plus} `),
    ),
    where(/c#/, (text) => text.replace(/(?<!\p{L})c#/gu, 'c sharp')),
    where(/\.\p{L}\./u, initialisms),
    ...(halves === undefined
      ? []
      : [where(new RegExp(`[${decimal}]5`), (text: string) => text.replace(half, `${halfMark} $&`))]),
    where(/\d[^\0-@ªºꞏꞎꞌ]|[^\0-@ªºꞏꞎꞌ]\d/, (text) =>
      text.replace(/\d(?=\p{L})(?![ºªꞏꞎꞌ])/gu, '$& ').replace(/\d(?<=(?![ºªꞏꞎꞌ])[\p{L}\p{M}]\d)/gu, ' $&'),
    ),
  ]
}

const decimals: Readonly<Record<string, string>> = { '1⁄2': '5', '1⁄4': '25', '3⁄4': '75' }

function groups(mark: FigureSigns['group'], decimal: FigureSigns['decimal']): Rewrite {
  const other = decimal === ',' ? '.' : ','
  if (mark === undefined) return (text) => text
  const grouped = new RegExp(
    `(?<![\\d${decimal}${other}])[1-9]\\d{0,2}(?:[${mark}]\\d{3})+(?!\\d)(?![${mark}]\\d)`,
    'g',
  )
  return (text) => (text.includes(mark) ? text.replace(grouped, (all) => all.replaceAll(mark, '')) : text)
}

export const mayHoldAddress = /@|www\.|\.(?:com|org|net)/
/** anna@example.com, www.example.com/a, example.com. */
export function addresses({
  at = 'at',
  dot = 'dot',
  addressMarks = { '/': ['slash'] },
}: Pick<FigureSigns, 'at' | 'dot' | 'addressMarks'>): Rewrite {
  const address =
    /(?<![\p{L}\d])(?:(?:[\p{L}\d][\p{L}\d._+-]*@|www\.)[\p{L}\d-]+(?:\.[\p{L}\d-]+)*|[\p{L}\d-]+\.(?:com|org|net)(?![\p{L}\d]))(?:\/[\p{L}\d_-]+)*/gu
  const marks = Object.entries(addressMarks).map(
    ([mark, readings]) => [mark, ` ${inOneToken(readings)} `] as const,
  )
  return (text) =>
    text.replace(address, (all) =>
      [...marks, ['@', ` ${at} `] as const, ['.', ` ${dot} `] as const].reduce(
        (result, [mark, said]) => result.replaceAll(mark, said),
        all,
      ),
    )
}

/** Ways to say the same, as one token. */
function inOneToken(readings: readonly string[]): string {
  const [only = '', ...others] = readings
  return others.length === 0
    ? only
    : readings.map((reading) => reading.replaceAll(' ', possibleBorder)).join(border)
}

/** A sign without a word in a language keeps one that no text has, because it was said. */
const otherSigns: Readonly<Record<string, readonly string[]>> = {
  '=': ['equals'],
  '×': ['times'],
  '÷': ['divided'],
  '<': ['less'],
  '>': ['greater'],
  '±': ['plusminus'],
  '§': ['section'],
  '#': ['hash'],
  '~': ['about'],
  '²': ['squared'],
  '³': ['cubed'],
  '^': ['power'],
  '/': ['slash'],
  _: ['underscore'],
}

/** The signs of mathematics but for − ∗ ∙ ∶ ∼, which other signs are written as. A sign without a word stays as it is. */
export const mathSigns = '∀-∑∓√-∢∧-∵∷-∻∽-⋄⋆-⋬⋰-⋿‰‱'

/** Where these are signs that are said: #5, ~5, my_file, 2^4, 10 / 2; an x or asterisk between figures is ×. */
const placesOfSigns: Readonly<Record<string, string>> = {
  '#': '(?<=[\\p{L}\\p{M}])#|#(?=[\\p{L}\\d])',
  '~': '~(?=\\d)',
  _: '(?<=[\\p{L}\\p{M}\\d])_(?=[\\p{L}\\d])',
  '^': '(?<=[\\p{L}\\p{M}\\d)])\\^[23](?!\\d)|(?<=[\\p{L}\\p{M}\\d)])\\^(?=-?[\\p{L}\\d])',
  '/': '(?<=\\d) \\/ (?=\\d)',
  ':': '(?<=\\d):(?=\\d)|(?<=\\d) : (?=\\d)',
  x: '(?<=\\d) ?x ?(?=\\d)',
}

/** Signs that are read out: 5 × 3, x > 5, 2². */
export function saidSigns({ said, and, plus }: Partial<FigureSigns>): Rewrite {
  const readings = { ...otherSigns, '&': [and ?? 'and'], '+': [plus ?? 'plus'], ...said }
  const signs = Object.keys(readings)
  const words = new Map(Object.entries(readings).map(([sign, all]) => [sign, ` ${inOneToken(all)} `]))
  const canonicalSigns: Readonly<Record<string, string>> = { x: '×', '*': '×', '^2': '²', '^3': '³' }
  const anywhere = signs.filter((sign) => placesOfSigns[sign] === undefined).join('')
  const pattern = new RegExp(
    [
      `[${anywhere}${mathSigns}]`,
      '(?<=\\d) ?\\* ?(?=\\d)',
      ...signs.flatMap((sign) => placesOfSigns[sign] ?? []),
    ].join('|'),
    'gu',
  )
  const may = new RegExp(
    `[${anywhere}${mathSigns}*~#_^]${signs.includes('x') ? '|\\dx| x \\d' : ''}| \\/ ${signs.includes(':') ? '|\\d ?:' : ''}`,
  )
  return where(may, (text) =>
    text.replace(pattern, (found) => {
      const sign = found.trim()
      return words.get(sign) ?? words.get(canonicalSigns[sign] ?? sign) ?? ` ${found} `
    }),
  )
}

/** 3.5.2020 and 03/05/2020: day, month and year are said as numbers, 2020-05-03 too; 3.5 where days are ordinals. */
function dates({ datesAreOrdinal, monthNames = [] }: FigureSigns): Rewrite {
  const mark = datesAreOrdinal === 'true' ? 'º' : ''
  const said = (day: string, month: string): string => {
    const name = monthNames[Number(month) - 1]
    const nought = mark === '' && month.startsWith('0') ? `${border}0 ` : ''
    return `${Number(day)}${mark} ${nought}${Number(month)}${mark}${name === undefined ? '' : border + name}`
  }
  return (text) =>
    text.replace(
      /(?<![\d.,/])(\d{1,2})([./])\s?(\d{1,2})\2\s?(\d{4}|\d{2})?(?![\d]|[.,/]\d)/g,
      (all, day: string, sign: string, month: string, year: string | undefined) =>
        (year === undefined && (sign === '/' || datesAreOrdinal !== 'true')) ||
        !isDate(Number(day), Number(month))
          ? all
          : `${said(day, month)} ${year ?? ''}`,
    )
}

/** Words of which any or none may be said. */
function optional(words: readonly string[] = []): string {
  return words.length === 0 ? '' : ` ${border}${words.join(border)}`
}

function isDate(day: number, month: number): boolean {
  return day > 0 && day <= 31 && month > 0 && month <= 12
}

function times(
  language: string,
  { hour, hourIsOptional, timeMarks = '', partAnd = [], quarterHours = {}, clock = {} }: FigureSigns,
): Rewrite {
  const choose = formChooser(language)
  const words = hour === undefined ? [] : listForms(hour)
  const suffix = words.length === 0 ? '' : `(?: ?(?:${words.join('|')})(?!\\p{L}))?`
  const time = new RegExp(
    `(?<![\\d.,:])([01]?\\d|2[0-4]) ?[:${timeMarks}] ?([0-5]\\d)(?::([0-5]\\d))?(?![\\d:]|[.,]\\d)${suffix}`,
    'gu',
  )
  const quarters: Readonly<Record<string, readonly string[] | undefined>> = quarterHours
  return (text) =>
    text.replace(time, (_, hours: string, minutes: string, seconds: string | undefined) => {
      const word =
        hour === undefined
          ? ''
          : ` ${hourIsOptional === undefined ? '' : border}${choose(hour, String(Number(hours)))}`
      const onClock = [...(clock[minutes] ?? []), ...(clock['any'] ?? [])]
      if (onClock.length > 0 && seconds === undefined) {
        const hourWays = [
          ...(hourIsOptional !== undefined || hour === undefined ? [''] : []),
          word.replace(border, ''),
        ]
        const parts =
          minutes === '00'
            ? ['']
            : [
                String(Number(minutes)),
                ...(minutes.startsWith('0') ? [`0 ${Number(minutes)}`] : []),
                ...(quarters[minutes] ?? []),
              ]
        // Eleven to twenty are read with their minutes as years are.
        const asYear = /^(?:1[1-9]|20)[1-9]/.test(hours + minutes) ? [hours + minutes] : []
        const whole = [...new Set(hourWays)].flatMap((said) =>
          ['', ...partAnd].flatMap((and) =>
            parts.map((part) =>
              [`${Number(hours)}${said}`, and, part].filter((reading) => reading !== '').join(' '),
            ),
          ),
        )
        const [ofTwelve, next] = [Number(hours), Number(hours) + 1].map((value) => String(value % 12 || 12))
        const said = onClock.flatMap((reading) =>
          reading.includes('*')
            ? parts.map((part) =>
                reading
                  .replace('#', String(Number(hours)))
                  .replace('*', part)
                  .trim(),
              )
            : [reading.replaceAll('#', ofTwelve ?? '').replaceAll('+', next ?? '')],
        )
        return inOneToken([...new Set([...whole, ...(hour === undefined ? asYear : []), ...said])])
      }
      const nought = minutes.startsWith('0') ? ` ${border}0` : ''
      const quarter = (quarters[minutes] ?? []).map((reading) => border + reading).join('')
      const rest =
        minutes === '00' && seconds === undefined
          ? ''
          : `${optional(partAnd)}${nought} ${Number(minutes)}${quarter}`
      return `${Number(hours)}${word}${rest}${seconds === undefined ? '' : ` ${Number(seconds)}`}`
    })
}

function ordinals({ ordinals: patterns = [], feminineOrdinals = [] }: FigureSigns): Rewrite {
  const rewrites = [
    ...feminineOrdinals.map((pattern) => rewriteOf(patternOf(pattern), '$1ª ')),
    ...patterns.map((pattern) => rewriteOf(patternOf(pattern), '$1º ')),
  ]
  return (text) => {
    const marked = /[ºª]/.test(text) ? text.replace(/(?<=\d)\.?([ºª])/g, '$1') : text
    return rewrites.reduce((result, rewrite) => rewrite(result), marked)
  }
}

/**
 * `5,50 €` and `5,50 Euro` are five euros fifty, `€5 Mio.` five million euros. With one decimal it is read as a decimal:
 * `2,5 €`.
 */
function money(language: string, written: FigureSigns): Rewrite {
  const { currencies, decimal, metre, partAnd } = written
  const forms = new Map(Object.entries(currencies))
  const counted = metre === undefined ? forms.values() : [...forms.values(), metre]
  const words = new Map([...counted].flatMap((all) => listForms(all).map((word) => [word, all])))
  const choose = formChooser(language)
  const oneOf = (keys: Iterable<string>): string =>
    [...keys]
      .sort((a, b) => b.length - a.length)
      .map((key) => key.replace(/[$.]/g, '\\$&'))
      .join('|')
  const signs = oneOf(forms.keys())
  const amount = `(\\d+)(?:[${decimal}](\\d{1,2})(?!\\d))?`
  const before = new RegExp(`(?<!\\p{L})(${signs}) ?${amount}`, 'gu')
  const after = new RegExp(`${amount} ?(${signs})(?!\\p{L})`, 'gu')
  const afterCents = new RegExp(centsBeforeWords(written), 'gu')
  const said = (all: CountedForms, whole: string, part = ''): string => {
    if (part.length === 1 && part !== '0')
      return `${whole}${decimal}${part} ${choose(all, `${whole}.${part}`)} `
    // The end of 2 000 counts none or one no more.
    const count = /^0\d\d$/.test(whole) ? '5' : whole
    return `${whole} ${choose(all, count)}${Number(part) === 0 ? '' : `${optional(partAnd)} ${Number(part)}`} `
  }
  const ofSign = (sign: string): CountedForms => forms.get(sign) ?? sign
  const inFigures = where(new RegExp(signs), (text) =>
    text
      .replace(
        after,
        (_, whole: string, part: string | undefined, sign: string) => ` ${said(ofSign(sign), whole, part)}`,
      )
      .replace(
        before,
        (_, sign: string, whole: string, part: string | undefined) => ` ${said(ofSign(sign), whole, part)}`,
      ),
  )
  const inWords = where(new RegExp(`\\d[${decimal}]\\d\\d`), (text) =>
    text.replace(afterCents, (_, whole: string, part: string, word: string) =>
      said(words.get(word) ?? word, whole, part),
    ),
  )
  const alone = where(/\p{Sc}/u, (text) =>
    text.replace(/\p{Sc}/gu, (sign) => {
      const all = forms.get(sign)
      return all === undefined ? sign : ` ${choose(all, '5')} `
    }),
  )
  return (text) => inWords(alone(inFigures(text)))
}

/** The source of a pattern for an amount with cents before the word of a currency, or metres: whole, cents, word. */
export function centsBeforeWords({ currencies, decimal, metre }: FigureSigns): string {
  const words = [...Object.values(currencies), metre ?? []].flatMap(listForms)
  const longestFirst = words.sort((a, b) => b.length - a.length)
  return `(\\d+)(?<![\\d.,]\\1)[${decimal}](\\d\\d) ?(${longestFirst.join('|')})(?![\\p{L}\\p{M}])`
}

function percent(language: string, signs: FigureSigns, number: string): Rewrite {
  const choose = formChooser(language)
  const pattern = new RegExp(`(${number}) ?(%|°c|°)(?!\\p{L})`, 'gu')
  const words = { '%': signs.percent, '°': signs.degrees, '°c': signs.celsius }
  return (text) =>
    text.replace(
      pattern,
      (_, figure: string, sign: keyof typeof words) => `${figure} ${choose(words[sign], figure)} `,
    )
}

/** `10-15` is ten to fifteen where it rises; `2-3` and `3-2` two three, or two to three; others are read one after another. */
function ranges({ to: written }: FigureSigns): Rewrite {
  const to = written.replace('/', '')
  return (text) =>
    text.replace(
      /(?<![\p{L}\d.,-])(\d+) ?[-–—] ?(\d+)(?![-–—\d]|[.,]\d)/gu,
      (all, from: string, until: string) => {
        const isTelephone = from.startsWith('0') && until.length > 2
        const isRising =
          Number(from) < Number(until) && !until.startsWith('0') && from.length <= 4 && !isTelephone
        const isScore = isRising ? until.length === 1 : from.length <= 2 && until.length <= 2
        if (isScore || (isRising && written !== to)) return `${from} ${border}${to} ${until}`
        return isRising ? `${from} ${to} ${until}` : all
      },
    )
}

/** u.s.a. is one word. */
function initialisms(text: string): string {
  return text.replace(/(?<![\p{L}\p{N}])(?:\p{L}\.){2,}(?:\p{L}(?![\p{L}\p{N}]))?/gu, (all) =>
    all.replaceAll('.', ''),
  )
}
