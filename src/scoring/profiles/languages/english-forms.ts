import type { WrittenForm } from '../language-rules/written-forms.ts'
import type { Stage } from '../profile.ts'
import { numberWords } from '../published/number-words.ts'
import { border, possibleBorder } from '../readings.ts'
import { months as monthNames } from './english-figures.ts'
import { notAfterSign } from './english-marks.ts'
import words from './english-words.json' with { type: 'json' }

/** Parts of a whole by their denominators, from a half on; one of them and several. */
const parts = 'half third quarter fifth sixth seventh eighth ninth tenth'.split(' ')

function fraction(above: string, below: string): string | null {
  const [over, under] = [Number(above), Number(below)]
  const part = parts[under - 2]
  if (part === undefined || over < 1 || over >= under) return null
  return over === 1 ? `1 ${part}` : `${over} ${part.replace(/lf$/, 'lve')}s`
}

/** `2 1/2` is two and a half, `2/3` two thirds; figures with other strokes between them are read one after another. */
function saidStroke(match: string, whole: string | undefined, above: string, below: string): string {
  const said = match.split('/').length === 2 ? fraction(above, below) : null
  if (said === null) return match.replaceAll('/', '')
  if (whole === undefined) return said
  return `${whole}and ${said.startsWith('1 ') ? `a${said.slice(1)}` : said}`
}

/** `10-15` is ten to fifteen where it rises; others are read one after another: 555-1234, 9-1-1, 3-2. */
function saidRange(match: string): string {
  const [from = '', to = '', ...further] = match.split(/[-–—]/)
  const isTelephone = from.length === 3 && to.length === 4
  // 1-800 begins a telephone number.
  const isRising = Number(from) < Number(to) && !to.startsWith('0') && !/^18\d\d$/.test(from + to)
  const isYears = from.length === 4 && to.length === 2
  if (further.length > 0 || isTelephone || !(isRising || isYears)) return match.replace(/[-–—]/g, '')
  return `${from} to ${to}`
}

/** `10:30` is ten thirty, `10:00` ten o'clock, or ten alone before a.m. and p.m. */
function saidTime(
  _: string,
  hours: string,
  minutes: string,
  seconds: string | undefined,
  half: string | undefined,
): string {
  const hour = hours.length === 2 ? hours.replace(/^0/, '') : hours
  const isFull = minutes === '00' && seconds === undefined
  if (!isFull) return `${hour}${minutes}${seconds ?? ''}${half ?? ''}`
  return half === undefined ? `${hour} o'clock` : `${hour}${half}`
}

/** `U.S.A.` is USA. An initialism that would be taken for a filler stays in letters: E.R. */
function saidInitialism(match: string): string {
  const letters = match.replaceAll('.', '')
  return ` ${/^(?:er|um|uh|hm|mm)$/.test(letters) ? Array.from(letters).join(' ') : letters} `
}

const reducedParticiples =
  'anyth|ask|be|call|com|do|driv|drink|eat|even|everyth|feel|fight|gett|giv|go|hang|hav|hop|kidd|kill|leav|liv|look|lov|mak|' +
  'morn|mov|noth|play|runn|say|sitt|sleep|someth|talk|tak|tell|think|try|wait|walk|watch|work'

const suffixedSum = String.raw`(?<![$£€¢\d.,])(\d[\d,]*(?:\.\d+)?) ?`

const digit = { any: 'digit' } as const
const outerApostrophe = { any: 'outer apostrophe' } as const
const innerFullStop = { any: 'inner full stop' } as const

/** How English is written with figures and marks, in the order in which the forms are read: what all versions know. */
export const englishForms: readonly WrittenForm[] = [
  // Yes and no, which would be fillers with something left over.
  { needs: 'uh-huh', pattern: /\buh-huh\b/g, said: 'uhhuh' },
  { needs: 'uh-uh', pattern: /\buh-uh\b/g, said: 'uhuh' },
  // They come before the initialisms, which would take the a.m. of 10.30am.
  {
    needs: innerFullStop,
    pattern: /(?<![\d.,$£€¢])(\d{1,2})\.([0-5]\d)(?=[ap]\.?m(?![a-z]))/g,
    said: '$1$2',
  },
  // Initialisms with full stops: a.m., U.S.A., e.g.
  {
    needs: innerFullStop,
    pattern: /(?<![\p{L}\p{N}])(?:[a-z]\.){2,}(?:[a-z](?![\p{L}\p{N}]))?\.?/gu,
    said: saidInitialism,
  },
  { needs: 'ph.', pattern: /\bph\. ?d\b\.?/g, said: 'phd ' },
  {
    needs: ':',
    pattern: /(?<![\d.:])(\d{1,2}):([0-5]\d)(?::([0-5]\d))?(?![\d:])( *(?:am|pm|a m|p m)(?![a-z]))?/g,
    said: saidTime,
  },
  { needs: '&', pattern: /&/g, said: ' and ' },
  { needs: '@', pattern: /(?<=[\p{L}\p{N}])@(?=[a-z\d-]+\.[a-z])/gu, said: ' at ' },
  {
    needs: innerFullStop,
    pattern: /(?<=[a-z\d])\.(?=(?:com|org|net|edu|gov|io|co\.uk|uk)(?![a-z\d]))/g,
    said: ' dot ',
  },
  {
    needs: { any: 'inner full stop', with: 'www.' },
    pattern: /(?<![a-z\d])www\.(?=[a-z\d])/g,
    said: 'www dot ',
  },
  { needs: 'on-line', pattern: /\bon-line\b/g, said: 'online' },
  { needs: '#', pattern: /#(?=\d)/g, said: ' number ' },
  { needs: 'no.', pattern: /(?<![\p{L}\p{N}])no\. ?(?=\d)/gu, said: 'number ' },
  {
    needs: '°',
    pattern: /° ?(?:([cf])(?![a-z]))?/g,
    said: (_, scale) => ` degrees${scale === 'c' ? ' celsius' : scale === 'f' ? ' fahrenheit' : ''} `,
  },
  { needs: '$', pattern: /(?<![\p{L}\p{N}])us\$(?=\d)/gu, said: '$' },
  { needs: '$', pattern: new RegExp(String.raw`${suffixedSum}\$(?!\d)`, 'g'), said: '$$$1' },
  { needs: '€', pattern: new RegExp(`${suffixedSum}€(?!\\d)`, 'g'), said: '€$1' },
  { needs: '£', pattern: new RegExp(`${suffixedSum}£(?!\\d)`, 'g'), said: '£$1' },
  { needs: '¢', pattern: new RegExp(`${suffixedSum}¢(?!\\d)`, 'g'), said: '¢$1' },
  { needs: '¥', pattern: /¥ ?(\d[\d,]*(?:\.\d+)?)/g, said: '$1 yen' },
  { needs: '₹', pattern: /₹ ?(\d[\d,]*(?:\.\d+)?)/g, said: '$1 rupees' },
  { needs: '+', pattern: /(?<=\d) ?\+ ?(?=\d)/g, said: ' +' },
  {
    needs: { any: 'digit', with: "'" },
    pattern: /(?<!\d\.?)(\d)'(\d{1,2})(?:''|"|”)?(?![\d'])/g,
    said: '$1 ft $2',
  },
  {
    needs: '/',
    pattern: /(?<![\d.,/])(?:(\d+ )(?=\d+\/\d+(?![\d/])))?(\d+)\/(\d+)(?:\/\d+)*(?!\d)/g,
    said: saidStroke,
  },
  {
    needs: digit,
    pattern: /(?<![\d.,-])\(?(\d{3})\)?[-. ]{1,2}(\d{3})[-.](\d{4})(?![\w-])/g,
    said: '$1$2$3',
  },
  { needs: digit, pattern: /(?<![\p{L}\d.,$£€¢-])\d+(?:[-–—]\d+)+(?![.,]?\d)/gu, said: saidRange },
  {
    needs: outerApostrophe,
    pattern: /(?<![\p{L}\p{N}])'(?:cause|cuz|cos|coz)(?![\p{L}\p{N}'])/gu,
    said: 'because',
  },
  { needs: outerApostrophe, pattern: /(?<![\p{L}\p{N}])'em(?![\p{L}\p{N}'])/gu, said: 'them' },
  {
    needs: outerApostrophe,
    pattern: /(?<![\p{L}\p{N}])'(ti|twa)s(?![\p{L}\p{N}'])/gu,
    said: (_, verb) => (verb === 'ti' ? 'it is' : 'it was'),
  },
  { needs: outerApostrophe, pattern: /(?<![\p{L}\p{N}])'til(?![\p{L}\p{N}'])/gu, said: 'till' },
  { needs: outerApostrophe, pattern: /(?<![\p{L}\p{N}])'bout(?![\p{L}\p{N}'])/gu, said: 'about' },
  { needs: "'n", pattern: /(?<=[a-z])(?: ?'n' ?| 'n )(?=[a-z])/g, said: ' and ' },
  {
    needs: outerApostrophe,
    pattern: new RegExp(String.raw`(?<![\p{L}\p{N}])(${reducedParticiples})in'(?![\p{L}\p{N}'])`, 'gu'),
    said: '$1ing',
  },
]

const heard = [...numberWords()]
  .filter(([word, { kind }]) => /^(?:zero|one|ten|multiplier)$/.test(kind) && word.length > 2)
  .map(([word]) => word)
const anyNumber = heard.join('|')
const ones = 'one|two|three|four|five|six|seven|eight|nine'
const tens = 'twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety'
const hyphen = '[-–—‐‑]'

/** A mark between numbers ends the first one. */
function betweenNumbers(mark: string, flags = 'g'): RegExp {
  const before = `(?<=(?:[\\d%]|(?<![a-z])(?:${anyNumber}))(?:${mark}))`
  // What comes after it is looked at first, because that is mostly no number.
  const after = `(?=(?:and )?["“‘'($£€+-]*(?:\\d|(?:${anyNumber})(?![a-z])))`
  return new RegExp(`(?:${mark})${after}${before}`, flags)
}

const beginnings = Map.groupBy(new Set(heard.map((word) => word.slice(0, 3))), (letters) => letters.charAt(0))
const beginning = [...beginnings].map(
  ([first, all]) => `${first}(?:${all.map((letters) => letters.slice(1)).join('|')})`,
)
/** Most marks are before other words. The last of several is enough, so that a long row of marks is read once. */
const markBeforeNumber = new RegExp(
  `[.,;:!?…–—][^a-z\\d.,;:!?…–—]*(?:and [^a-z\\d]*)?(?:\\d|${beginning.join('|')})`,
)

/** `10:30` is ten and thirty, `10:05` ten oh five; the full hour is left to the form of all versions. */
function chainedTime(match: string, hours: string, minutes: string, seconds: string | undefined): string {
  if (minutes === '00' && seconds === undefined) return match
  const two = (figures: string): string =>
    figures.startsWith('0') ? figures.split('').join(border) : figures
  return [hours.replace(/^0(?=\d)/, ''), two(minutes), ...(seconds === undefined ? [] : [two(seconds)])].join(
    border,
  )
}

/**
 * `10-15` is ten to fifteen. What does not rise, and single digits, may be said without the “to”, as scores are: 3-2, 50-50. More
 * than two figures are said one after another.
 */
function chainedRange(match: string, currency: string): string {
  const figures = match
    .replace(currency, '')
    .replaceAll(',', '')
    .split(/[-–—‐‑]/)
  const [from = '', to = ''] = figures
  if (figures.length > 2)
    return figures.every((each) => each.length < 3) ? figures.join(border) : figures.join(' ')
  const isTelephone = to.length > 2 && (from.length === 3 ? to.length === 4 : from === '1')
  if (currency === '' && isTelephone) return `${from} ${to}`
  const isScore = Number(from) >= Number(to) || (from.length === 1 && to.length === 1)
  if (currency === '' && isScore) return `${from} ${border}to ${to === '0' ? `${border}nil` : to}`
  return `${from} to ${currency}${to}`
}

const domains =
  'com|org|net|edu|gov|io|co|uk|ai|app|dev|de|fr|eu|ca|tv|me|info|js|ts|py|html?|json|pdf|txt|csv|md|exe|zip'

/** Signs that are rarely said; those of currencies before or after a sum. */
const currencySigns: Readonly<Record<string, string>> = {
  '₩': 'won',
  '₽': 'rubles',
  '₿': 'bitcoin',
  '₺': 'lira',
  '₫': 'dong',
  '฿': 'baht',
  '₪': 'shekels',
  '₦': 'naira',
  '₴': 'hryvnia',
  '₱': 'pesos',
  '₸': 'tenge',
}
const spokenSigns: Readonly<Record<string, string>> = {
  '≥': `${border}atleast`,
  '≤': `${border}atmost`,
  '≈': `${border}about`,
  '√': `${border}root`,
  '∞': 'infinity',
  '∑': 'sum',
  π: 'pi',
  '‰': 'per mille',
}
const rareCurrencies = Object.keys(currencySigns).join('')
const rareSigns = Object.keys(spokenSigns).join('')

const numberedThings: Readonly<Record<string, string>> = {
  fig: 'figure',
  figs: 'figures',
  vol: 'volume',
  ch: 'chapter',
  p: 'page',
  pp: 'pages',
}

const shortMonths = Object.entries(words.beforeNumbers).flatMap(([short, month]) =>
  monthNames.has(month) ? [`${short}\\.?`] : [],
)
const months = `(?:${[...monthNames, ...shortMonths].join('|')})`
const dayOfMonth = "(?<![\\d.,$£€-])(?:[1-9]|[12]\\d|3[01])(?:st|nd|rd|th)?(?![\\p{L}\\d%°ꞏ’'-]|[.,:/]\\d)"
const unitOrScale = ` ?(?:${Object.keys(words.units).join('|')}|hundred|thousand|million|billion|percent|per|dollars?|euros?|pounds?|cents?|point|and a (?:half|quarter)|a m|p m|am|pm|a\\.m|p\\.m|o'clock)(?![a-z])`

/** What the third version reads otherwise, before the forms of all versions. */
const furtherForms: readonly WrittenForm[] = [
  { needs: { oneOf: '·⋅' }, pattern: /(?<=\d) ?[·⋅] ?(?=\d)/g, said: ' times ' },
  {
    needs: { oneOf: `${rareCurrencies}${rareSigns}` },
    pattern: new RegExp(
      `([${rareCurrencies}]) ?(\\d[\\d,]*(?:\\.\\d+)?)|(?<=\\d) ?[${rareCurrencies}](?!\\d)|[${rareSigns}]`,
      'gu',
    ),
    said(match, sign = '', sum = '') {
      if (sum === '') return ` ${currencySigns[match.trim()] ?? spokenSigns[match.trim()]} `
      return `${sum} ${sum === '1' ? currencySigns[sign]?.replace(/s$/, '') : currencySigns[sign]}`
    },
  },
  { needs: '://', pattern: /(?<=(?<![a-z\d])https?):\/\/(?=[a-z\d])/g, said: ' colon slash slash ' },
  {
    needs: '/',
    mayHold: /\.[a-z]+\//,
    pattern: new RegExp(`(?<=[a-z\\d]\\.(?:${domains})(?:/[\\w.~-]+)*)/(?=[a-z\\d])`, 'g'),
    said: ' slash ',
  },
  {
    needs: '/',
    pattern: /(?<=\d)\/(?=(?:hour|hr|day|week|month|year|person|night|minute|second)s?(?![a-z]))/g,
    said: ' per ',
  },
  { needs: '/', pattern: /(?<=\d ?(?:k?m|ft|mi))\/(?:s|sec)(?![a-z])/g, said: ' per second' },
  { needs: '%', pattern: /(?<=\d\/\d{1,2}) ?%/g, said: ' percent' },
  { needs: '/', pattern: /(?<=\d\/\d{1,2})(?:nd|rd|th)s?(?![a-z])/g, said: '' },
  { needs: { any: 'currency' }, pattern: /(?<=[$£€]) (?=\d)/g, said: '' },
  { needs: { any: 'currency' }, pattern: /(?<=[a-z])(?<!(?<![a-z])us)(?=[$£€]\d)/g, said: ' ' },
  // Half a cup, a third; with a whole number before it the form of all versions reads it.
  {
    needs: '/',
    pattern: new RegExp(`(?<![\\d.,/])(?<!\\d )${notAfterSign}1/([2-9]|10)(?![\\d/])`, 'g'),
    said: (_, below) => `1${border}${parts[Number(below) - 2]}`,
  },
  // 24/7; fractions are left to the form of all versions.
  {
    needs: '/',
    pattern: /(?<![\d.,/])(?<!\d )(\d{1,2})\/(\d{1,2})(?![\d/])/g,
    said: (match, above = '', below = '') =>
      fraction(above, below) === null ? above + border + below : match,
  },
  { needs: '/', pattern: /(?<![\d.,/])(\d{1,4})\/(\d{1,2})\/(\d{1,4})(?![\d/])/g, said: '$1 $2 $3' },
  {
    needs: '. ',
    pattern: new RegExp(`(?<![\\p{L}\\d.])(${Object.keys(numberedThings).join('|')})\\. (?=\\d)`, 'gu'),
    said: (_, thing = '') => `${numberedThings[thing]} `,
  },
  // The dash between two times is said as “to”: 10:30-11:30.
  { needs: ':', mayHold: /\d:\d\d ?[-–—]/, pattern: /(?<=\d:\d\d)(?:[-–—]| [-–—] )(?=\d)/g, said: ' to ' },
  // O'Brien is also written OBrien, so the apostrophe goes.
  { needs: "o'", pattern: /(?<![\p{L}'])o'(?!clock|er(?![a-z]))(?=[a-z]{3})/gu, said: 'o' },
  {
    needs: { any: 'joined digit', with: ':' },
    pattern: /(?<![\d.:])(\d{1,2}):00(?![\d:]| *[ap][. ]?m(?![a-z]))/g,
    said: (_, hours = '') => `${hours.replace(/^0(?=\d)/, '')} ${border}full `,
  },
  {
    needs: { any: 'joined digit', with: ':' },
    pattern: /(?<![\d.:])(\d{1,2}):([0-5]\d)(?::([0-5]\d))?(?![\d:])/g,
    said: chainedTime,
  },
  {
    needs: { any: 'dash' },
    pattern: /(?:[-–—]| [-–—] )(?<=\d ?(?:%|[ap]\.?m\.?)(?:[-–—]| [-–—] ))(?=\d)/g,
    said: ' to ',
  },
  // Two figures of a telephone number are one number, or two digits.
  {
    needs: digit,
    mayHold: /\d[ .-]\d{2}[ .-]\d/,
    pattern: /(?<![\p{L}\d.,$£€-])\+?\d{1,4}(?:([ .-])\d{2,4})(?:\1\d{2,4})+(?![\p{L}\d-]|[.,]\d)/gu,
    said: (match) =>
      match.replace(/\D/g, '').length < 9
        ? match
        : match
            .split(/[ .-]/)
            .map((group) => (/^[1-9]\d$/.test(group) ? `${group}${border}d` : group))
            .join(' '),
  },
  { needs: '=', pattern: /(?<=\d)(?: - |-)(?=\d+ ?=)/g, said: ' minus ' },
  { needs: { any: 'dash' }, pattern: /(?<=\d) [-–—] (?=\d)/g, said: ` ${border}dash ` },
  {
    needs: { any: 'currency' },
    pattern: /([$£€]\d+)([-–—] ?| [-–—] | (?:to|and|or) )(?=[$£€]\d)/g,
    said: (_, sum = '', link = '') => `${sum}${border}sum${/[-–—]/.test(link) ? ' to ' : link}`,
  },
  {
    needs: { any: 'joined digit', with: 'k' },
    mayHold: /\dk/,
    pattern: new RegExp(
      `(?<![\\p{L}\\d.,$£€¢-])${notAfterSign}(\\d{1,3}(?:\\.\\d+)?)(?=k(?![a-z\\d]))`,
      'gu',
    ),
    said: `$1${border}`,
  },
  { needs: { any: 'joined digit', with: 'p' }, pattern: /(?<=\d)p(?![a-z\d.])/g, said: ` ${border}p` },
  { needs: { any: 'digit', with: 'x' }, pattern: /(?<=\d) ?x ?(?=\d)/g, said: ` ${border}x ` },
  { needs: '/', pattern: /(?<=\d) \/ (?=\d)/g, said: ` ${border}slash ` },
  { needs: { any: 'joined digit', with: 'x' }, pattern: /(?<=\d)x(?![a-z\d])/g, said: ` ${border}x ` },
  // A colon between other numbers is a ratio, as in 16:9: times were read before.
  {
    needs: ':',
    pattern: /(?<=(?<![\d.:ꞏ])\d{1,4}):(?!00(?!\d))(?=\d{1,4}(?![\d:]|\.\d))/g,
    said: ` ${border}ratio `,
  },
  // Ten thousand as it is written outside of English.
  {
    needs: { any: 'digit', with: ' 000' },
    pattern: /(?<![\p{L}\d.,$£€¢+-])(?<!\d )[1-9]\d{0,2}(?: 000)+(?![\d.,]*\d)/gu,
    said: (figure) => figure.replaceAll(' ', border),
  },
  {
    needs: { any: 'digit', with: 'ft' },
    pattern: /(\d) ?ft\.? (\d{1,2}) ?in(?![a-z])\.?/g,
    said: '$1 feet $2 inches',
  },
  {
    needs: { any: 'joined digit', with: "'" },
    pattern: /(?<!\d\.?)(\d)' (\d{1,2}) ?(?:''|"|”)(?![\d'])/g,
    said: '$1 ft $2',
  },
  { needs: 'ph.', pattern: /\bph\. ?d\.?'?s(?![a-z])/g, said: 'phds' },
  {
    needs: innerFullStop,
    pattern: /(?<![\d.,$£€¢])(\d{1,2})\.([0-5]\d)(?= ?[ap]\.?m(?![a-z]))/g,
    said: (match, hours = '', minutes = '') => chainedTime(match, hours, minutes, undefined),
  },
  // 1,984 is said as a whole.
  {
    needs: { any: 'joined digit', with: ',' },
    pattern:
      /(?<![\p{L}\d.,$£€¢+-])\d{1,3}(?:,\d{3})+(?![\d.,]*\d)(?! ?[%$£€¢°]|(?:st|nd|rd|th)s?(?![a-z]))/gu,
    said: (figure) => figure.replaceAll(',', '') + border,
  },
  {
    needs: { any: 'joined digit' },
    pattern: /(?<![\d.,-])\(?(\d{3})\)?[-. ]{1,2}(\d{3})[-.](\d{4})(?![\w-])/g,
    said: '$1 $2 $3',
  },
  {
    needs: { any: 'dash' },
    pattern: new RegExp(
      `(?<![\\p{L}\\d.,$£€¢-])([$£€]?)\\d+(?:,\\d{3})*(?:${hyphen}[$£€]?\\d+(?:,\\d{3})*)+(?![.,]?\\d|[a-z])`,
      'gu',
    ),
    said: (match, currency = '') =>
      currency !== '' && match.lastIndexOf(currency) > 0
        ? match.replace(/[-–—‐‑]/, ' to ')
        : chainedRange(match, currency),
  },
  // A comma after thousand does not always end a number: four thousand, three hundred.
  {
    needs: { any: 'inner mark', with: ', ' },
    mayHold: /(?:and|ion), /,
    pattern: new RegExp(
      `(?<=(?<![a-z])(?:thousand|million|billion|trillion)), (?=(?:(?:${anyNumber})[ -]){1,2}?(?:hundred|thousand|million)(?![a-z]))`,
      'g',
    ),
    said: ` ${possibleBorder} `,
  },
  {
    needs: { any: 'inner mark' },
    mayHold: markBeforeNumber,
    pattern: betweenNumbers(String.raw`[.,;:!?…]["”’')]*\s+| ?[–—] ?`),
    said: ` ${border} `,
  },
  {
    needs: '-',
    // Whole rows of dashes are looked at first: each part of a row of a thousand takes seconds.
    mayHold: betweenNumbers(' +-+ +|(?<!-)--+(?!-)', ''),
    pattern: betweenNumbers(' +-+ +|--+'),
    said: ` ${border} `,
  },
  // The numbers of twenty two-year-olds are two: a border keeps them from becoming 22.
  {
    needs: '-',
    mayHold: /[enorxt]-[a-z]/,
    pattern: new RegExp(
      ` (?=(?:${ones})-(?!(?:${anyNumber})(?![a-z]))[a-z])(?<=(?<![a-z])(?:${anyNumber}) )`,
      'g',
    ),
    said: ` ${border} `,
  },
  // A day beside its month. May and march are verbs: a number before them is a day only at the end, or where a year follows.
  {
    needs: digit,
    mayHold: new RegExp(`${months} \\d`),
    pattern: new RegExp(`(?<=(?<![a-z])${months} )${dayOfMonth}(?!${unitOrScale})`, 'gu'),
    said: `$&${border}day`,
  },
  {
    needs: digit,
    mayHold: new RegExp(`\\d(?:st|nd|rd|th)? ${months}`),
    pattern: new RegExp(
      `${dayOfMonth}(?= ${months}(?![a-z]))(?! (?:may|march)(?! ?(?:[.,;:!?]|$| \\d{4})))`,
      'gu',
    ),
    said: `$&${border}dayof`,
  },
  // The second number of a span or a list of days is a day too: May 5-7, 5 and 6 May.
  {
    needs: digit,
    mayHold: /ꞏday (?:ꞏ?to|and|or) \d/,
    pattern: new RegExp(`(?<=ꞏday (?:ꞏ?to|and|or) )${dayOfMonth}(?!${unitOrScale})`, 'gu'),
    said: `$&${border}day`,
  },
  {
    needs: digit,
    mayHold: / (?:ꞏ?to|and|or) \d+(?:st|nd|rd|th)?ꞏdayof/,
    pattern: new RegExp(`${dayOfMonth}(?= (?:ꞏ?to|and|or) \\d+(?:st|nd|rd|th)?ꞏdayof)`, 'gu'),
    said: `$&${border}dayof`,
  },
  // A unit directly after a figure; “10, um, people” has a filler.
  { needs: { any: 'digit', with: 'm' }, pattern: /(?<=\d) ?[uμ]m(?! ?['’]|[\p{L}\p{M}\d])/gu, said: ' μm' },
  { needs: '×', pattern: / ?× ?/g, said: ' times ' },
  { needs: '*', pattern: /(?<=\d) ?\* ?(?=\d)/g, said: ' times ' },
  { needs: '÷', pattern: / ?÷ ?/g, said: ' divided by ' },
  { needs: '±', pattern: / ?± ?/g, said: ' plus or minus ' },
  { needs: '§', pattern: / ?§ ?/g, said: ' section ' },
  { needs: '>', pattern: /(?<=[a-z\d]) ?> ?(?=[a-z\d$£€+-])/g, said: ` ${border}greater ` },
  { needs: '<', pattern: /(?<=[a-z\d]) ?< ?(?=[a-z\d$£€+-])/g, said: ` ${border}less ` },
  { needs: '>', pattern: /(?<![<>=-])> ?(?=[$£€]?\d)/g, said: ` ${border}over ` },
  { needs: '<', pattern: /(?<![<>=-])< ?(?=[$£€]?\d)/g, said: ` ${border}under ` },
  { needs: '~', pattern: /(?<![\d~] ?)~ ?(?=[$£€]?\d)/g, said: ` ${border}about ` },
  {
    needs: '^',
    pattern: /(?<=[a-z\d)])\^(-?)(\d+)/g,
    said: (_, minus = '', power = '') =>
      minus === '' && (power === '2' || power === '3')
        ? ` ${border}${power === '2' ? 'squared' : 'cubed'} `
        : ` to the power of ${minus && 'minus '}${power} `,
  },
  { needs: '=', pattern: /(?<=[a-z\d]) ?= ?(?=[a-z\d$£€+-])/g, said: ` ${border}equals ` },
  { needs: '+', pattern: /(?<![a-z])([a-z])\+\+/g, said: '$1 plus plus ' },
  { needs: '+', pattern: /(?<=\d|(?<![\p{L}\d])[a-d])\+(?![\p{L}\d+])/gu, said: ' plus ' },
  { needs: '+', pattern: /(?<=[a-z\d])(?:\+| \+ )(?=[a-z\d])/g, said: ' plus ' },
  { needs: '#', pattern: /(?<![a-z])([a-z])#(?![a-z\d])/g, said: '$1 sharp ' },
  { needs: '_', pattern: /(?<=[a-z\d])_(?=[a-z\d])/g, said: ' underscore ' },
  // An address of mail is said with its marks: john dot smith at example dot co dot uk.
  {
    needs: '@',
    pattern: /(?<![\w.-])[\w.-]+@[a-z\d-]+(?:\.[a-z\d-]+)+/g,
    said: (address) =>
      address
        .replaceAll('.', ' dot ')
        .replace('@', ' at ')
        .replaceAll('-', ' dash ')
        .replaceAll('_', ' underscore '),
  },
  { needs: '@', pattern: /(?<![\w.])@(?=[a-z])/g, said: ' at ' },
  {
    needs: innerFullStop,
    pattern: new RegExp(
      `(?<=[a-z\\d]|(?<![\\w.]))\\.(?=(?:${domains.replace('|co|', '|co(?=\\.uk)|')})(?![a-z\\d]))`,
      'g',
    ),
    said: ' dot ',
  },
]

const measuredUm = new RegExp(
  `(?<=(?<![a-z])(?:${anyNumber}) )um(?= (?:thick|wide|deep|long|tall|high|across|layers?|films?)(?![a-z]))`,
  'g',
)

/** After a number word um is mostly a filler, ten um people; between one and its measure it is the unit. */
export const keepFromFillers: Stage = {
  name: 'no fillers',
  does: '“Um” between a number and a measure without marks is the unit: ten um thick; “uh huh” is yes.',
  example: ['ten um thick, ten um people, uh huh', 'ten μm thick, ten um people, uhhuh'],
  settings: measuredUm.source,
  apply(text) {
    const yes = text.includes('uh huh') ? text.replace(/(?<![a-z])uh huh(?![a-z])/g, 'uhhuh') : text
    return yes.includes(' um ') ? yes.replace(measuredUm, 'μm') : yes
  },
}

const anyMark = /[.,;:!?–—-]/
const partible = new RegExp(
  `(?<![a-z])(?:(?:${tens}) (?=(?:${ones})(?![a-z]))|(?:hundred|thousand|million) (?=(?:${anyNumber})(?![a-z])))`,
  'g',
)
const manyNumbers = new RegExp(`(?:${tens}|hundred|thousand|million) [a-z]`)

/** A number may have ended wherever another one can begin, if a text has no marks: twenty, five. */
export const markPossibleBorders: Stage = {
  name: 'numbers without marks',
  does: 'In a text without any marks, a number may have ended between twenty and five; the other text decides.',
  example: ['twenty five', `twenty ${possibleBorder} five`],
  settings: partible.source,
  apply: (text) =>
    !anyMark.test(text) && !text.includes(possibleBorder) && manyNumbers.test(text)
      ? text.replace(partible, (before) => `${before}${possibleBorder} `)
      : text,
}

export const englishForms3: readonly WrittenForm[] = [...furtherForms, ...englishForms]
