import type { ContenderEvaluation } from '#analysis/documents/contender-evaluation'
import type { LocalBreakEven, ProviderRunCost, RunCosts } from '#analysis/documents/costs'
import type { Evaluation } from '#analysis/documents/evaluation'
import type { Ranking } from '#analysis/documents/ranking'
import type { EnergyPartName } from '#analysis/documents/resources'
import type { SpeedDifference } from '#analysis/documents/speed'
import { settingsInWords, sumOf } from '#prelude'
import type { Interval } from '#rates/documents'
import type { PathologyKind } from '#scoring/error-analysis/pathologies'
import {
  absent,
  counted,
  fixed,
  formatCount,
  formatDollars,
  formatMilliseconds,
  formatRange,
  wordsOfMetric,
} from './units.ts'

type Speeds = Evaluation['speeds']

type FittedLatency = Extract<ContenderEvaluation['latencyModel'], { readonly value: number }>

/** A sentence that explains why the speeds of a run are not comparable; null if they are. */
export function withheldSentence({
  speeds: { withheld },
  contenders,
}: Pick<Evaluation, 'speeds' | 'contenders'>): string | null {
  if (withheld === null) return null
  return contenders.length > 1
    ? `Their speeds are not compared: ${withheld}.`
    : `Its latency and speed are not comparable: ${withheld}.`
}

/** The parts of an evaluation or a comparison that describe its score. */
export interface Scored extends Pick<Evaluation, 'profile'> {
  readonly scoring: Pick<Evaluation['scoring'], 'fingerprint' | 'corrections'>
}

/** The score of figures: its rules by name, its fingerprint, and the number of corrected references. */
export function describeScore({ profile, scoring }: Scored): readonly string[] {
  return scoreWords(
    profile.id,
    scoring.fingerprint.slice(0, 8),
    scoring.corrections?.correctedIds.length ?? 0,
  )
}

/** @param fingerprint its first characters */
export function scoreWords(
  profileId: string,
  fingerprint: string,
  correctedCount: number,
): readonly string[] {
  return [
    `${profileId}, score file ${fingerprint}`,
    ...(correctedCount === 0 ? [] : [counted(correctedCount, 'corrected reference')]),
  ]
}

/** Prefix of figures that do not show which contender or run is faster; empty if they do. */
export function incomparableMark({ withheld }: Pick<Speeds, 'withheld'>): string {
  return withheld === null ? '' : '~'
}

/** Explanation of the mark in front of speeds and latencies. */
export function incomparableNotes({ withheld }: Pick<Speeds, 'withheld'>): readonly string[] {
  return withheld === null ? [] : [`~ not comparable: ${withheld}`]
}

export function marked(figure: string, mark: string): string {
  return figure === absent ? figure : `${mark}${figure}`
}

/** The difference between the speeds of two contenders, as a sentence. */
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

/** If no position is certain, a ranking of more contenders than this is not listed. */
const maxListed = 4

/**
 * Ranges of ranks: `1 base · 1–2 tiny · 3 slow`. Two contenders need none, because the answer names the better one.
 *
 * @returns null if there is nothing to rank
 */
export function placesText(ranking: Ranking | null): string | null {
  if (ranking === null || ranking.bands.length < 3) return null
  const count = ranking.bands.length
  const isOpen = ranking.bands.every(({ firstPlace, lastPlace }) => firstPlace === 1 && lastPlace === count)
  if (isOpen && count > maxListed) return `no order among the ${count} contenders`
  return ranking.bands.map((band) => `${placeText(band)} ${band.contenderId}`).join(' · ')
}

/** `1`, or `1–2` if the difference between ranks is not certain. */
export function placeText({ firstPlace, lastPlace }: Ranking['bands'][number]): string {
  return firstPlace === lastPlace ? String(firstPlace) : `${firstPlace}–${lastPlace}`
}

/** Explains what a rank means. */
export function placesMeaning({ metric, confidence, comparisonCount }: Ranking): string {
  const { long } = wordsOfMetric(metric)
  return `by ${long}, failures as empty transcripts; sure together at ${Math.round(confidence * 100)}% over ${comparisonCount} pairs`
}

/** The contenders in the order of the ranking, the best first; unranked contenders last. */
export function inRankOrder(
  evaluation: Pick<Evaluation, 'contenders' | 'ranking'>,
): readonly ContenderEvaluation[] {
  const { contenders, ranking } = evaluation
  const places = new Map(ranking?.bands.map(({ contenderId }, place) => [contenderId, place]))
  const placeOf = ({ contender }: ContenderEvaluation): number =>
    places.get(contender.id) ?? contenders.length
  return contenders.toSorted((a, b) => placeOf(a) - placeOf(b))
}

/** The maximum cost of one contender, before anything is sent. */
export interface PlannedCostText {
  readonly contenderId: string
  readonly minutes: number
  readonly usd: number | null
  readonly usdPerAudioHour: number | null
  readonly source: string | null
  readonly date: string | null
  readonly own: { readonly usdPerDay: number; readonly cheaperFromAudioHoursPerDay: number } | null
}

/** A line or two for each contender that is billed, and the total of several. */
export function plannedCostLines(costs: readonly PlannedCostText[]): readonly string[] {
  const known = costs.flatMap(({ usd }) => (usd === null ? [] : [usd]))
  const sum = sumOf(known, (usd) => usd)
  return [
    ...costs.flatMap(plannedLines),
    ...(costs.length > 1 && known.length > 0
      ? [
          `together about ${formatDollars(sum)} USD${known.length < costs.length ? ', without the unknown prices' : ''}`,
        ]
      : []),
  ]
}

function plannedLines(cost: PlannedCostText): readonly string[] {
  const { contenderId, minutes, usd, usdPerAudioHour, source, date, own } = cost
  const sent = `${contenderId}: ${fixed(minutes, 1)} minutes of audio`
  if (usd === null || usdPerAudioHour === null)
    return [`${sent}, billed at an unknown price: usdPerMinute in the config, or --prices`]
  const from = [source, date].filter((part) => part !== null).join(', ')
  return [
    `${sent}, about ${formatDollars(usd)} USD (${formatDollars(usdPerAudioHour)} USD an hour of audio${from === '' ? '' : `; ${from}`})`,
    ...(own === null
      ? []
      : [
          `a machine of your own at ${formatDollars(own.usdPerDay)} USD a day is cheaper from ` +
            `${audioADay(own.cheaperFromAudioHoursPerDay)}, not counting its energy for decoding`,
        ]),
  ]
}

/** The price of each provider, and the audio per day from which an own machine is cheaper: a sentence each. */
export function runCostLines({ machine, providers }: RunCosts): readonly string[] {
  const perDay = formatDollars(machine.usdPerDay + machine.idleEnergyUsdPerDay)
  return providers.flatMap((provider) => [
    `${provider.contenderId}: ${formatDollars(provider.usdPerAudioHour)} USD an hour of audio (${nameSource(provider)})`,
    ...provider.breakEven.map(
      (even) => `a machine of your own at ${perDay} USD a day ${breakEvenWords(even)}`,
    ),
  ])
}

export function nameSource({ source, date }: Pick<ProviderRunCost, 'source' | 'date'>): string {
  return [source, date].filter((part) => part !== '').join(', ')
}

/** A predicate for the subject "a machine of your own". */
export function breakEvenWords(even: LocalBreakEven): string {
  const running = even.contenderId === null ? '' : ` with ${even.contenderId}`
  const energy = even.contenderId === null ? ', not counting its energy for decoding' : ''
  switch (even.kind) {
    case 'at':
      return `is cheaper${running} from ${audioADay(even.audioHoursPerDay)}${energy}`
    case 'never':
      return `is never cheaper${running}: its energy alone costs more`
    case 'beyondOneMachine':
      return `is cheaper${running} from ${audioADay(even.audioHoursPerDay)}, more than one can do`
  }
}

/** Audio per day; below 0.1 hours in minutes, because `0.0 hours` would be meaningless. */
function audioADay(hours: number): string {
  const text = hours < 0.1 ? `${fixed(60 * hours, 1)} minutes` : `${fixed(hours, 1)} hours`
  return `${text} of audio a day`
}

type Counted = Pick<Evaluation['corpus'], 'utteranceCount' | 'sampledFrom'>

/** `18 utterances`; `20 of 436 utterances` for a sample. */
export function countUtterances({ utteranceCount, sampledFrom }: Counted): string {
  return sampledFrom == null
    ? counted(utteranceCount, 'utterance')
    : `${formatCount(utteranceCount)} of ${counted(sampledFrom, 'utterance')}`
}

/** The language detected in references whose manifest names none, and how to change it. */
export function writtenWords(language: string): string {
  const name = new Intl.DisplayNames('en', { type: 'language' }).of(language) ?? language
  return `references read as ${name}; --profile sets another one`
}

/** Text for references without a language in which no single language was detected. */
export const unnamedLanguage =
  'the corpus names no language; for English: --profile english, or "language": "en" in its manifest'

/** Explanation of the mark in front of a number of utterances. */
export const smallGroups = '~ fewer than 20 utterances: such a rate says little'

/** Names of the kinds of degenerate output. */
export const pathologyNames: Readonly<Record<PathologyKind, string>> = {
  hallucination: 'hallucination',
  loop: 'loop',
  emptyOutput: 'nothing at all',
  missingStart: 'start missing',
  missingMiddle: 'middle missing',
  missingEnd: 'end missing',
  wrongScript: 'wrong script',
}

/** `10 dB`; `none` for the version without the step. */
export function conditionText(value: number | null, unit: string): string {
  if (value === null) return 'none'
  const number = Number(value.toPrecision(3)).toString().replace('-', '−')
  return unit === '' ? number : `${number} ${unit}`
}

export const energyPartNames: Readonly<Record<EnergyPartName, string>> = {
  package: 'processors',
  dram: 'memory',
  gpu: 'graphics processors',
  battery: 'whole machine (battery)',
  psys: 'platform',
}

/** The parts of the machine that the energy of a run covers, and those that it does not. */
export function energyNote({
  contenders,
  resources: { gpu },
  speeds,
}: Pick<Evaluation, 'contenders' | 'resources' | 'speeds'>): string {
  const covers = new Set(
    contenders.flatMap(({ energy }) => (energy === undefined || energy.value === null ? [] : energy.covers)),
  )
  const parts = [...covers].map((part) => energyPartNames[part])
  const rest = covers.has('battery')
    ? ''
    : ' Disks, fans, displays and losses of the power supply are not in it.'
  const silent = covers.has('gpu')
    ? (gpu?.devices ?? []).flatMap(({ id, powerWatts }) => (powerWatts === null ? [id] : []))
    : []
  const without = silent.length === 0 ? '' : ` No power is reported by ${silent.join(', ')}.`
  const withheld = speeds.withheld === null ? '' : ` As the speeds, it is not compared: ${speeds.withheld}.`
  return `It covers: ${parts.join(', ')}.${without}${rest} The power of the idle machine is included.${withheld}`
}

/** The figures of a machine that could not be read, each with its reason. */
export function unreadEntries({
  resources: { unread },
}: Pick<Evaluation, 'resources'>): readonly (readonly [what: string, reason: string])[] {
  if (unread === undefined) return []
  const all: readonly (readonly [string, string | null])[] = [
    ['server process', unread.server],
    ['graphics processors', unread.gpu],
    ['energy of the processor', unread.rapl],
    ['energy from a battery', unread.battery],
  ]
  return all.flatMap(([what, reason]) => (reason === null ? [] : [[what, `not read: ${reason}`] as const]))
}

/** A dimension that a matrix varies. */
export type DimensionName = 'model' | 'options' | 'threads' | 'concurrency' | 'transport'

type Contender = ContenderEvaluation['contender']

interface DimensionWords {
  readonly title: string
  /** The value of this dimension, as an axis and a table name it. */
  valueOf(contender: Contender): string
  /** The value in a list of several dimensions: `2 threads`. */
  partOf(value: string): string
}

const dimensionWords: Readonly<Record<DimensionName, DimensionWords>> = {
  model: {
    title: 'model',
    valueOf: ({ id, model, patchedMode }) => model ?? patchedMode ?? id,
    partOf: (value) => value,
  },
  options: {
    title: 'options',
    valueOf: ({ options }) => settingsInWords(options ?? {}) || 'default',
    partOf: (value) => (value === 'default' ? 'default options' : value),
  },
  threads: {
    title: 'threads',
    valueOf: ({ threads }) => String(threads ?? 'default'),
    partOf: (value) => `${value} ${value === '1' ? 'thread' : 'threads'}`,
  },
  concurrency: {
    title: 'requests in flight',
    valueOf: ({ concurrency }) => String(concurrency ?? 'default'),
    partOf: (value) => `${value} in flight`,
  },
  transport: {
    title: 'transport',
    valueOf: ({ transport }) => transport ?? 'default',
    partOf: (value) => value,
  },
}

const dimensionNames = Object.keys(dimensionWords) as readonly DimensionName[]

/** One dimension of a matrix: a line for each combination of the values of the others. */
export interface Dimension {
  readonly name: DimensionName
  readonly title: string
  /** Values in the order of the config. */
  readonly values: readonly string[]
  readonly lines: readonly {
    /** The other values: `moonshine-tiny, 2 threads`; empty if there is no other dimension. */
    readonly label: string
    readonly contenders: readonly ContenderEvaluation[]
  }[]
}

/** The dimensions of a run whose contenders are the cells of a matrix; empty for any other. */
export function listDimensions(contenders: readonly ContenderEvaluation[]): readonly Dimension[] {
  const isSwept = contenders.some(
    ({ contender: { options, threads, concurrency, transport } }) =>
      (options ?? threads ?? concurrency ?? transport) !== undefined,
  )
  const valuesOf = (name: DimensionName): readonly string[] => [
    ...new Set(contenders.map(({ contender }) => dimensionWords[name].valueOf(contender))),
  ]
  const varied = dimensionNames.filter((name) => valuesOf(name).length > 1)
  const cellCount = varied.reduce((product, name) => product * valuesOf(name).length, 1)
  // If contenders were skipped or have equal values, they form no grid.
  const cells = new Map(contenders.map((one) => [labelText(one.contender, varied), one]))
  if (!isSwept || cells.size !== contenders.length || cellCount !== contenders.length) return []
  return varied.map((name): Dimension => {
    const others = varied.filter((other) => other !== name)
    const values = valuesOf(name)
    const nameOf = ({ contender }: ContenderEvaluation): string => dimensionWords[name].valueOf(contender)
    const lines = Map.groupBy(contenders, ({ contender }) => labelText(contender, others))
    return {
      name,
      title: dimensionWords[name].title,
      values,
      lines: [...lines].map(([label, own]) => ({
        label,
        // A config may list them in any order.
        contenders: own.toSorted((a, b) => values.indexOf(nameOf(a)) - values.indexOf(nameOf(b))),
      })),
    }
  })
}

function labelText(contender: Contender, dimensions: readonly DimensionName[]): string {
  return dimensions
    .map((name) => dimensionWords[name].partOf(dimensionWords[name].valueOf(contender)))
    .join(', ')
}
