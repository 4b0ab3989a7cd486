import type { ContenderEvaluation } from '#analysis/documents/contender-evaluation'
import type { Evaluation } from '#analysis/documents/evaluation'
import type { SpeedDifference } from '#analysis/documents/speed'
import type { Interval } from '#rates/documents'
import { fixed, formatMilliseconds, formatRange } from '../layout/units.ts'

type Speeds = Evaluation['speeds']

type FittedLatency = Extract<ContenderEvaluation['latencyModel'], { readonly value: number }>

export function withheldSentence({
  speeds: { withheld },
  contenders,
}: Pick<Evaluation, 'speeds' | 'contenders'>): string | null {
  if (withheld === null) return null
  return contenders.length > 1
    ? `Their speeds are not compared: ${withheld}.`
    : `Its latency and speed are not comparable: ${withheld}.`
}

export function speedSentence(pair: SpeedDifference, speeds: Speeds): string {
  switch (pair.verdict) {
    case 'faster':
      return `${pair.faster} ${asFast(pair)} as ${pair.slower}${rangeText(pair)}.`
    case 'alike':
      return `They were equally ${alikeText(pair, speeds)}.`
    case 'unresolved':
      return `Which of the two is faster is unresolved${openText(pair, speeds)}.`
  }
}

/** The speed difference from the view of one contender, as a clause; null if it needs a separate sentence. */
export function speedClause(pair: SpeedDifference, speeds: Speeds, contenderId: string): string | null {
  if (pair.verdict === 'alike') return `was as ${alikeText(pair, speeds)}`
  if (pair.verdict === 'unresolved') return null
  const text = pair.faster === contenderId ? asFast(pair) : `took ${timesText(pair)} as long`
  return `${text}${rangeText(pair)}`
}

/**
 * The fitted latency: the fixed time of a request, and the time for each second of audio. Both are shown as at least
 * zero, although the fitted line and its bounds may be negative.
 */
export function fittedParts({ fixedMs, perSecondMs, perWindowMs }: FittedLatency): string {
  const asTime = (milliseconds: number): string => formatMilliseconds(Math.max(0, milliseconds))
  const withInterval = ({ value, interval }: FittedLatency['fixedMs']): string =>
    interval === null ? asTime(value) : `${asTime(value)} (${formatRange(interval, asTime)})`
  const step =
    perWindowMs === null ? '' : `, and ${formatMilliseconds(perWindowMs)} for every further 30 s of it`
  return `${withInterval(fixedMs)} and ${withInterval(perSecondMs)} for every second of audio${step}`
}

function openText(pair: SpeedDifference, { roundsNeeded }: Speeds): string {
  if (pair.interval !== null && pair.reason === null)
    return ` (${timesText(pair)}, ${boundsText(pair.interval)})`
  return `: ${pair.reason ?? 'there is no interval'}${roundsNeeded === null ? '' : ` (--rounds ${roundsNeeded})`}`
}

function asFast(pair: SpeedDifference): string {
  return `${pair.basis === 'latency' ? 'answered' : 'was'} ${timesText(pair)} as fast`
}

function timesText({ ratio, interval }: SpeedDifference): string {
  return `${fixed(ratio, chooseDecimals(interval))} times`
}

function alikeText(pair: SpeedDifference, { margin }: Speeds): string {
  return `fast within ${fixed(margin * 100, 0)}%${rangeText(pair)}`
}

function rangeText({ interval }: SpeedDifference): string {
  return interval === null ? '' : ` (${boundsText(interval)})`
}

function boundsText(interval: Interval): string {
  const [low, high] = [interval.low, interval.high].map((end) => fixed(end, chooseDecimals(interval)))
  return `${confidenceText(interval)} ${low} to ${high}`
}

/** Number of decimals at which the ends of the interval differ, 1 or 2. */
function chooseDecimals(interval: Interval | null): number {
  if (interval === null || interval.low < 1.1) return 2
  return fixed(interval.low, 1) === fixed(interval.high, 1) ? 2 : 1
}

/** `95% interval`, `99.17% interval`. */
export function confidenceText({ confidence }: Pick<Interval, 'confidence'>): string {
  return `${Number((confidence * 100).toFixed(2))}% interval`
}
