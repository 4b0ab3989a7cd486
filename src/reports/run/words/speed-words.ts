import type { Evaluation, Interval, SpeedDifference } from '#analysis'
import { absent, fixed } from '../../layout/units.ts'

type Speeds = Evaluation['speeds']

/** Why the speeds of a run are not compared, or its one speed is no figure of the contender, as a sentence; null where they are. */
export function withheldSentence({
  speeds: { withheld },
  contenders,
}: Pick<Evaluation, 'speeds' | 'contenders'>): string | null {
  if (withheld === null) return null
  return contenders.length > 1
    ? `Their speeds are not compared: ${withheld}.`
    : `Its latency and speed are not comparable: ${withheld}.`
}

/** Before figures that say nothing about which contender or run is faster; empty where they do. */
export function incomparableMark({ withheld }: Pick<Speeds, 'withheld'>): string {
  return withheld === null ? '' : '~'
}

/** What the mark in front of speeds and latencies means. */
export function incomparableNotes({ withheld }: Pick<Speeds, 'withheld'>): readonly string[] {
  return withheld === null ? [] : [`~ not comparable: ${withheld}`]
}

/** A figure with its mark. */
export function marked(figure: string, mark: string): string {
  return figure === absent ? figure : `${mark}${figure}`
}

/** How the speeds of two contenders are, as a sentence. */
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

/** The same from the view of one of the two, as the rest of a sentence; null where it takes a separate sentence. */
export function speedClause(pair: SpeedDifference, speeds: Speeds, contenderId: string): string | null {
  if (pair.verdict === 'alike') return `was as ${alikeText(pair, speeds)}`
  if (pair.verdict === 'unresolved') return null
  const text = pair.faster === contenderId ? asFast(pair) : `took ${timesText(pair)} as long`
  return `${text}${rangeText(pair)}`
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
  return `${fixed(ratio, decimalsOf(interval))} times`
}

function alikeText(pair: SpeedDifference, { margin }: Speeds): string {
  return `fast within ${fixed(margin * 100, 0)}%${rangeText(pair)}`
}

function rangeText({ interval }: SpeedDifference): string {
  return interval === null ? '' : ` (${boundsText(interval)})`
}

function boundsText(interval: Interval): string {
  const [low, high] = [interval.low, interval.high].map((end) => fixed(end, decimalsOf(interval)))
  return `${confidenceText(interval)} ${low} to ${high}`
}

/** As many as it takes to see that the ends of the interval differ. */
function decimalsOf(interval: Interval | null): number {
  if (interval === null || interval.low < 1.1) return 2
  return fixed(interval.low, 1) === fixed(interval.high, 1) ? 2 : 1
}

/** `95% interval`, `99.17% interval`. */
export function confidenceText({ confidence }: Pick<Interval, 'confidence'>): string {
  return `${Number((confidence * 100).toFixed(2))}% interval`
}
