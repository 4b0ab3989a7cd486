import type { ContenderComparison, RateComparison } from '#analysis/documents/contender-comparison'
import type { Evaluation } from '#analysis/documents/evaluation'
import type { MetricUnit } from '#analysis/documents/figure'
import type { Ranking } from '#analysis/documents/ranking'
import type { PathologyKind } from '#scoring/error-analysis/pathologies'
import type { ErrorLevel } from '#scoring/profiles/profile'
import type { Bounds } from '#statistics/bounds'

/**
 * Formats numbers as text. The code keeps every quantity in one unit (rates 0..1, milliseconds, seconds of audio);
 * the units that people see exist only here.
 */

const minus = '−'

/** Shown instead of a missing figure; a remark gives the reason. */
export const absent = '–'

export function orAbsent<Value>(value: Value | null | undefined, format: (value: Value) => string): string {
  return value === null || value === undefined ? absent : format(value)
}

/** Prefix of figures that do not show which contender or run is faster; empty if they do. */
export function incomparableMark({ withheld }: Pick<Evaluation['speeds'], 'withheld'>): string {
  return withheld === null ? '' : '~'
}

export function incomparableNotes({ withheld }: Pick<Evaluation['speeds'], 'withheld'>): readonly string[] {
  return withheld === null ? [] : [`~ not comparable: ${withheld}`]
}

export function marked(figure: string, mark: string): string {
  return figure === absent ? figure : `${mark}${figure}`
}

/** Explanation of the mark in front of a number of utterances. */
export const smallGroups = '~ fewer than 20 utterances: such a rate says little'

/** An interval: `0.7% – 7.0%`. */
export function formatRange({ low, high }: Bounds, format: (value: number) => string): string {
  return `${format(low)} – ${format(high)}`
}

/** `372 ms`, `4.2 ms`, `0.03 ms`, `1.21 s`, `2 min 5 s`. */
export function formatMilliseconds(ms: number): string {
  if (Math.abs(ms) >= 99_950) return formatSeconds(ms / 1000)
  if (Math.abs(ms) >= 999.5) return `${fixed(ms / 1000, Math.abs(ms) < 9995 ? 2 : 1)} s`
  if (Math.abs(ms) >= 9.95) return `${fixed(ms, 0)} ms`
  const isNone = Math.abs(ms) < 0.0005
  return `${fixed(ms, isNone || Math.abs(ms) >= 0.095 ? 1 : Math.abs(ms) >= 0.0095 ? 2 : 3)} ms`
}

/** Lengths of audio: `34 s`, `3 min 8 s`, `1 h 2 min`. */
export function formatSeconds(seconds: number): string {
  const whole = Math.round(seconds)
  if (whole < 60)
    return seconds > 0 && seconds < 9.95 ? `${fixed(seconds, decimalsToDiffer(seconds, 1))} s` : `${whole} s`
  if (whole < 3600) return withRest(Math.floor(whole / 60), 'min', whole % 60, 's')
  const minutes = Math.round(whole / 60)
  return withRest(Math.floor(minutes / 60), 'h', minutes % 60, 'min')
}

/** A rate as percent: `5.1%`. It is `0.0%` or `100.0%` only if it is exactly that; a dash if null. */
export function formatPercent(rate: number | null, decimals = 1): string {
  if (rate === null) return absent
  return `${decimals === 0 ? fixed(rate * 100, 0) : formatHundredths(rate * 100, decimals)}%`
}

/**
 * A percentage with enough decimals to differ from 0 and 100: `0.0056` for one in 18,000.
 *
 * @param value in percent, 0..100 and above
 */
export function formatHundredths(value: number, decimals = 1): string {
  const rest = Math.min(Math.abs(value), Math.abs(100 - value))
  return fixed(value, decimalsToDiffer(rest, decimals))
}

/**
 * Number of decimals with which a size keeps its first figure: as given, or as many as give two significant figures.
 * Rounded up to the last of the given decimals, 0.0055 would be shown as 0.01.
 */
export function decimalsToDiffer(size: number, decimals: number): number {
  if (size === 0 || size >= 0.995 * 10 ** -decimals) return decimals
  return Math.min(8, Math.ceil(-Math.log10(size)) + 1)
}

/** A difference of rates in percentage points: `−0.80 pp`. */
export function formatPoints(difference: number, decimals = 2): string {
  return `${signed(difference * 100, decimals)} pp`
}

/** A relative change: `+10.9%`. */
export function formatChange(change: number): string {
  return `${signed(change * 100, 1)}%`
}

/** A probability of a test: `0.021`, `< 0.0001`. */
export function formatProbability(p: number): string {
  return p < 0.0001 ? '< 0.0001' : fixed(p, p < 0.001 ? 4 : p < 0.0995 ? 3 : 2)
}

/** A speed as a multiple of real time: `19.6×`; it is `0.0×` only if it is exactly that. */
export function formatTimes(times: number): string {
  const size = Math.abs(times)
  return `${size < 99.95 ? fixed(times, decimalsToDiffer(size, 1)) : formatCount(Math.round(times))}×`
}

/** A real-time factor: `0.051`; it is `0.000` only if it is exactly that. */
export function formatFactor(factor: number): string {
  const size = Math.abs(factor)
  return fixed(factor, size < 0.9995 ? decimalsToDiffer(size, 3) : 2)
}

/** An amount in USD: `0.36`; below a cent in two significant figures: `0.0043`. */
export function formatDollars(usd: number): string {
  return usd === 0 || usd >= 0.01 ? fixed(usd, 2) : usd.toPrecision(2)
}

/** `840 J`, `12.3 kJ`, `1.24 MJ`. */
export function formatJoules(joules: number): string {
  const size = Math.abs(joules)
  if (size >= 999_500) return `${fixed(joules / 1e6, 2)} MJ`
  if (size >= 999.5) return `${fixed(joules / 1000, 1)} kJ`
  return `${fixed(joules, 0)} J`
}

/** `251 W`, `12.3 W`. */
export function formatWatts(watts: number): string {
  return `${fixed(watts, Math.abs(watts) < 99.95 ? 1 : 0)} W`
}

/** Formats a moment in ISO 8601, UTC, to the minute: `2026-11-21 07:31 UTC`. */
export function formatMinute(moment: string): string {
  return `${moment.slice(0, 16).replace('T', ' ')} UTC`
}

/** `5,098`. */
export function formatCount(count: number): string {
  return fixed(count, Number.isInteger(count) ? 0 : 1).replace(/\B(?=(\d{3})+(?!\d))/g, ',')
}

/** `24 utterances`, `1 utterance`. */
export function counted(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`
}

/** A text of at most so many characters, of which a longer one has the beginning. */
export function shortened(text: string, length: number): string {
  const letters = text.length > length ? [...text] : []
  return letters.length > length ? `${letters.slice(0, length - 1).join('')}…` : text
}

export function capitalised(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}

/** The advice of a finding as text: a command is unchanged after `Try:`, a sentence gets a capital. */
export function adviceText(advice: string): string {
  return advice.startsWith('transcribench ') ? `Try: ${advice}` : capitalised(advice)
}

/** A number with its sign, also if positive; zero has none. */
export function signed(value: number, decimals: number): string {
  const text = fixed(value, decimals)
  return Number(text) > 0 ? `+${text}` : text
}

/** Fixed decimals with a real minus sign, and never a negative zero. */
export function fixed(value: number, decimals: number): string {
  const text = Math.abs(value).toFixed(decimals)
  return value < 0 && Number(text) !== 0 ? `${minus}${text}` : text
}

function withRest(amount: number, unit: string, rest: number, restUnit: string): string {
  return rest === 0 ? `${amount} ${unit}` : `${amount} ${unit} ${rest} ${restUnit}`
}

/** A value in a metric's own unit, formatted for people. */
export function formatMeasured(value: number, unit: MetricUnit): string {
  switch (unit) {
    case 'rate':
      return formatPercent(value, 2)
    case 'rateDifference':
      return formatPoints(value)
    case 'relativeDifference':
      return formatChange(value)
    case 'ms':
      return formatMilliseconds(value)
    case 'times':
      return formatTimes(value)
    case 'ratio':
      return formatFactor(value)
    case 'megabytesPerHour':
      return `${fixed(value, 1)} MB/h`
    case 'joulesPerHour':
      return `${formatJoules(value)}/h`
  }
}

export interface RateWords {
  /** Name in a column heading. */
  readonly short: 'WER' | 'CER'
  readonly long: string
  /** The unit in which errors are counted; its plural adds an s. */
  readonly unit: 'word' | 'character'
}

export const rateWords: Readonly<Record<ErrorLevel, RateWords>> = {
  words: { short: 'WER', long: 'word error rate', unit: 'word' },
  characters: { short: 'CER', long: 'character error rate', unit: 'character' },
}

export function wordsOfMetric(metric: RateComparison['metric'] | Ranking['metric']): RateWords {
  return rateWords[metric.startsWith('wer') ? 'words' : 'characters']
}

/** Name of the leading rate of two contenders: it is the first of their rates. */
export function leadingWords({ rates: [first] }: Pick<ContenderComparison, 'rates'>): RateWords {
  return wordsOfMetric(first?.metric ?? 'wer')
}

export const pathologyNames: Readonly<Record<PathologyKind, string>> = {
  hallucination: 'hallucination',
  loop: 'loop',
  emptyOutput: 'nothing at all',
  missingStart: 'start missing',
  missingMiddle: 'middle missing',
  missingEnd: 'end missing',
  wrongScript: 'wrong script',
}
