import { border, partMark, plainOf, readingsOf, regnalMark, wholeMark } from '../readings.ts'

/* What a figure or a mark may be said as, as one token: `1984|=1984|19_84`. */

export function withReadings(figure: string, readings: readonly string[]): string {
  const distinct = [...new Set(readings)]
  return distinct.length === 0 || (distinct.length === 1 && distinct[0] === figure)
    ? figure
    : [figure, ...distinct].join('|')
}

/** The reading of four digits as hundreds: 1984 is nineteen hundred eighty four. */
export function hundredsReading(figure: string): string {
  const rest = Number(figure.slice(-2))
  return `${figure.slice(0, -2)}_100${rest === 0 ? '' : `_${rest}`}`
}

export const scales = { million: 6, billion: 9, trillion: 12 } as const

/** The reading of a round number as a decimal of a scale: `1.5_million` of 1500000; null where there is none. */
export function scaledReading(figure: string): string | null {
  if (figure.length <= scales.million) return null
  for (const [name, zeros] of Object.entries(scales).reverse()) {
    if (figure.length <= zeros) continue
    const part = figure.slice(-zeros).replace(/0+$/, '')
    return part.length > 0 && part.length < 4 ? `${figure.slice(0, -zeros)}.${part}_${name}` : null
  }
  return null
}

/** All ways to say figures. */
export function writtenReadings(token: string): readonly string[] {
  const isWhole = token.endsWith(border)
  const pieces = token.split(border)
  if (pieces.length > 1 && !isWhole) return [inParts(pieces), ...clockReadings(pieces)]
  const [digits = ''] = pieces
  if (/^[+-]?[£€$¢]?\d+\.\d+%?$/.test(digits)) return decimalReadings(digits)
  if (/^[£€$]1$/.test(digits)) return [digits, `a_${currencyNames[digits.charAt(0)]}`]
  // 1999 dollars and 19.99 dollars are both said as nineteen ninety-nine dollars.
  if (/^[£€$][1-9]\d?[1-9]\d$/.test(digits))
    return [digits, `${digits.slice(1, -2)}_${digits.charAt(0)}${digits.slice(-2)}`]
  if (/^[£€$]\d{7,}$/.test(digits))
    return [digits, ...scaledReadings(digits.slice(1)).map((reading) => digits.charAt(0) + reading)]
  if (/^\+\d\d+$/.test(digits)) return [digits, [...digits].join('_').replace('+_', '+')]
  if (!/^\d{2,}$/.test(digits)) return [digits]
  const hasZero = digits.startsWith('0')
  if (digits.length === 2) return hasZero ? [digits, inParts([...digits])] : [digits]
  const hundreds = digits.length === 4 && !hasZero && digits[1] !== '0' ? [hundredsReading(digits)] : []
  const wholes = hasZero ? [digits] : [wholeMark + digits, ...hundreds, ...scaledReadings(digits)]
  // 0800 is also said as oh eight hundred.
  if (/^0[1-9]00$/.test(digits)) wholes.push(`0_${wholeMark}${digits.slice(1)}`)
  if (isWhole) return wholes
  return [...wholes, ...(digits.length > maxPartedDigits ? [inParts([...digits])] : partings(digits))]
}

/** 10:30 is half past ten too, 4:45 a quarter to five, 10:05 five past ten. */
function clockReadings([hour = '', ...rest]: readonly string[]): readonly string[] {
  const [minutes, hours] = [Number(rest.join('')), Number(hour)]
  if (!/^[0-5]\d$/.test(rest.join('')) || minutes % 5 !== 0 || !/^(?:[1-9]|1[0-2])$/.test(hour)) return []
  const [toGo, next] = [60 - minutes, (hours % 12) + 1]
  switch (minutes) {
    case 0:
      return []
    case 15:
      return [`quarter_past_${hour}`, `quarter_after_${hour}`].flatMap((phrase) => [phrase, `a_${phrase}`])
    case 30:
      return [`half_past_${hour}`]
    case 45:
      return [`quarter_to_${next}`, `a_quarter_to_${next}`]
    default:
      return minutes < 30 ? [`${minutes}_past_${hour}`, `${minutes}_after_${hour}`] : [`${toGo}_to_${next}`]
  }
}

/** Said one after another without an end between them. */
function inParts(figures: readonly string[]): string {
  return figures.map((figure, at) => (at < figures.length - 1 ? partMark + figure : figure)).join('_')
}

/** Longer ones are read digit by digit. */
const maxPartedDigits = 6

/** Readings of up to three digits, remembered because longer figures share their ends. */
const knownPartings = new Map<string, readonly string[]>()

/** Every way to read digits one by one or in pairs: nine one one, nine eleven, ninety one one. */
function partings(digits: string): readonly string[] {
  const known = knownPartings.get(digits)
  if (known !== undefined) return known
  const partings = findPartings(digits)
  if (digits.length <= 3) knownPartings.set(digits, partings)
  return partings
}

function findPartings(digits: string): readonly string[] {
  if (digits === '') return ['']
  const [first = ''] = digits
  const after = (part: string, rest: string): string => (rest === '' ? part : `${partMark}${part}_${rest}`)
  const firstAlone = partings(digits.slice(1)).map((rest) => after(first, rest))
  if (digits.length === 1 || first === '0') return firstAlone
  return [...firstAlone, ...partings(digits.slice(2)).map((rest) => after(digits.slice(0, 2), rest))]
}

/** 0.5 is point five, 2.5 two and a half, 3.14 three point fourteen. */
function decimalReadings(figure: string): readonly string[] {
  const [, prefix = '', whole = '', part = '', unit = ''] = /^(.*?)(\d+)\.(\d+)(%?)$/.exec(figure) ?? []
  const readings = [figure]
  if (whole === '0' && !/[£€$¢+]/.test(prefix))
    readings.push(`${prefix === '-' ? 'minus_' : ''}point_${[...part].join('_')}${unit}`)
  const isMoney = /[£€$]/.test(prefix)
  const half = parts.find(({ decimals }) => decimals === (isMoney ? part.replace(/0$/, '') : part))
  // 19.99 dollars are also said as nineteen ninety-nine dollars.
  if (/^[£€$]$/.test(prefix) && /^[1-9]\d?$/.test(whole) && /^[1-9]\d$/.test(part))
    readings.push(`${whole}_${prefix}.${part}`)
  // 1.50 dollars are also said as a dollar fifty.
  if (/^[£€$]$/.test(prefix) && whole === '1' && /^[1-9]\d$/.test(part)) {
    const name = `a_${currencyNames[prefix]}`
    readings.push(`${name}_${part}`, `${name}_and_¢${part}`)
  }
  if (half !== undefined && whole !== '0') readings.push(`${prefix}${whole}_${half.said}${unit}`)
  if (/^[1-9]\d$/.test(part)) readings.push(`${prefix}${whole}_point_${part}${unit}`)
  return readings
}

export const parts = [
  { said: 'and_a_half', decimals: '5' },
  { said: 'and_a_quarter', decimals: '25' },
  { said: 'and_three_quarters', decimals: '75' },
]

/** `1.5_million` of 1500000, and with its halves. */
function scaledReadings(figure: string): readonly string[] {
  const scaled = scaledReading(figure)
  return scaled === null ? [] : [scaled, ...halfReadings(scaled)]
}

/** `1.5_million` is also one and a half million, and a million and a half. */
export function halfReadings(scaled: string): string[] {
  const [, whole = '', part = '', scale = ''] = /^(\d+)\.(\d+)_(\w+)$/.exec(scaled) ?? []
  const half = parts.find(({ decimals }) => decimals === part)
  return half === undefined
    ? []
    : [`${whole}_${half.said}_${scale}`, ...(whole === '1' ? [`1_${scale}_${half.said}`] : [])]
}

/** What is written with a mark or a letter, with what may be said for it; what stands for it alone is first. */
const saidMarks: Readonly<Record<string, string>> = {
  to: 'to|to|',
  dash: '|to|',
  p: 'p|p|pence',
  full: "o'clock|o'clock||100",
  nil: '0|0|nil|nothing|love',
  x: 'x|x|by|times',
  slash: 'divided_by|divided_by|over|slash|out_of',
  over: 'greater_than|greater_than|more_than|over',
  under: 'less_than|less_than|fewer_than|under',
  greater: 'greater_than|greater_than|is_greater_than|more_than|is_more_than',
  less: 'less_than|less_than|is_less_than|fewer_than',
  equals: 'equals|equals|is_equal_to|equal_to',
  unequal: 'not_equal_to|not_equal_to|is_not_equal_to|does_not_equal|unequal_to',
  atleast: 'greater_than_or_equal_to|greater_than_or_equal_to|is_greater_than_or_equal_to|at_least',
  atmost: 'less_than_or_equal_to|less_than_or_equal_to|is_less_than_or_equal_to|at_most|up_to',
  squared: 'squared|squared|to_the_power_of_2|to_the_2nd',
  cubed: 'cubed|cubed|to_the_power_of_3|to_the_3rd',
  root: 'square_root_of|square_root_of|the_square_root_of|root',
  ratio: '|to|by|',
  about: 'about|about|approximately|around|roughly',
}
export const saidScales: Readonly<Record<string, string>> = { k: 'thousand', m: 'million', b: 'billion' }

/** `50k` is fifty k or fifty thousand, `4B` four b or four billion. */
export function withLetter(figure: string, letter: string, scaled: string): string {
  const letters = writtenReadings(figure).map((reading) => `${reading}_${letter}`)
  const plain = letter === 'm' ? plainOf(scaled) : `${figure}_${letter}`
  return [plain, ...readingsOf(scaled), ...letters].join('|')
}

/** `10 000` is ten thousand, or ten and three noughts. */
export function withSpaces(token: string): string {
  const groups = token.replaceAll(border, '_')
  return [groups, groups, wholeMark + token.replaceAll(border, ''), groups.replaceAll('000', '0_0_0')].join(
    '|',
  )
}

/** `1 third` of a written fraction is also a third, and `1 half` half. */
function withoutOne(part: string): string {
  const article =
    part === 'half' ? ['a_half', 'half', 'half_a'] : part === 'quarter' ? ['a_quarter', 'quarter'] : []
  const ordinalPart = {
    third: '3rd',
    fifth: '5th',
    sixth: '6th',
    seventh: '7th',
    eighth: '8th',
    ninth: '9th',
    tenth: '10th',
  }[part]
  return [
    `1_${part}`,
    `1_${part}`,
    ...article,
    ...(ordinalPart === undefined ? [] : [`a_${ordinalPart}`]),
  ].join('|')
}

const currencyNames: Readonly<Record<string, string>> = { $: 'dollar', '£': 'pound', '€': 'euro' }

/** Figures that begin no number: `2.5%`, `1990s`. */
export function readOther(token: string): string {
  const at = token.indexOf(border)
  if (at >= 0) {
    const [figure, after] = [token.slice(0, at), token.slice(at + 1)]
    if (figure === '') return saidMarks[after] ?? after
    if (after === 'sum') return `${figure}|${figure}|${figure.slice(1)}`
    if (after === 'day') return `${figure}|${waysOfDay(figure)}`
    if (after === 'dayof')
      return `${figure}|${waysOfDay(figure)}|the_${ordinalOf(figure)}_of|${ordinalOf(figure)}_of`
    if (after === 'd') return `${figure}|${figure}|${[...figure].join('_')}`
    if (figure === '1' && !/\d/.test(after)) return withoutOne(after)
  }
  if (/^\d+(?:\.\d+){2,}$/.test(token)) {
    const [first = '', second = '', ...others] = token.split('.')
    const points = [[`${first}.${second}`, ...others].join('_point_'), token.replaceAll('.', '_point_')]
    // An address: one ninety-two dot one sixty-eight.
    const dots = token.replaceAll('.', '_dot_')
    const inParts = [dots.replace(/(?<!\d)(\d)(?=\d\d(?!\d))/g, '$1_'), dots.replace(/\d(?=\d)/g, '$&_')]
    return [token, token, ...points, dots, ...inParts].join('|')
  }
  if (token.endsWith(regnalMark)) {
    const [figure = ''] = token.split(regnalMark)
    return `${figure}|${figure}|the_${ordinal(Number(figure))}`
  }
  if (/^[+-]?\d+\.\d+%$/.test(token)) return withReadings(token, writtenReadings(token))
  if (/^\d\d[1-9]0s$/.test(token)) return `${token}|${token.slice(0, 2)}_${token.slice(2)}`
  return token
}

/** A day that was written beside its month: `May 5` is May five, May fifth and May the fifth, `May 5th` only the latter. */
function waysOfDay(figure: string): string {
  const day = ordinalOf(figure)
  return [...(day === figure ? [] : [figure]), day, `the_${day}`].join('|')
}

function ordinalOf(figure: string): string {
  return /^\d+$/.test(figure) ? ordinal(Number(figure)) : figure
}

/** A positive number below a hundred with its ending: 1st. */
export function ordinal(value: number): string {
  const isTeen = value > 10 && value < 14
  return value + ((isTeen ? undefined : ['th', 'st', 'nd', 'rd'][value % 10]) ?? 'th')
}
