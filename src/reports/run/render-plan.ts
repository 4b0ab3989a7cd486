import type { ErrorLevel } from '#scoring/profiles/profile'
import {
  foreign,
  inSigns,
  labelled,
  measureWidth,
  pad,
  paint,
  paragraph,
  type Terminal,
} from '../layout/terminal.ts'
import {
  counted,
  fixed,
  formatCount,
  formatMilliseconds,
  formatPercent,
  formatSeconds,
  formatTimes,
  rateWords,
} from '../layout/units.ts'
import { type PlannedCostText, plannedCostLines, unnamedLanguage, writtenWords } from '../layout/words.ts'

/** What is decided before the first request. */
export interface PlanText {
  readonly contenderIds: readonly string[]
  /** What contenders set of the API of their provider: `nova-3: smart_format=true`. */
  readonly options: readonly string[]
  /** Left out because the target does not have them. */
  readonly skipped: readonly { readonly id: string; readonly reason: string }[]
  readonly utteranceCount: number
  /** How many there were to draw from, where these are a sample. */
  readonly sampledFrom: number | null
  readonly rounds: number
  /** How often the contenders take turns; 1 where each is measured in one go. */
  readonly turnCount: number
  readonly measuredCount: number
  readonly warmupCount: number
  /** Of how many utterances times are requested and compared: of those whose reference has times. */
  readonly timedCount: number
  /** What transcription servers are asked for with them; null without such a server. */
  readonly timesFormat: string | null
  readonly corpusName: string
  readonly audioSeconds: number
  /** ISO 639 code of what is spoken, where it is the same everywhere; null otherwise. */
  readonly language: string | null
  /** Of references whose manifest names no language; null where all have one, or it is not clear. */
  readonly writtenLanguage: string | null
  /** Id of the profile that answers are scored with. */
  readonly profileId: string
  readonly seed: number
  readonly load: LoadText
  /** Empty before a target has been asked. */
  readonly targets: readonly TargetText[]
  /** Answers of earlier runs; null where none is reused, and before a target has been asked. */
  readonly reused: {
    readonly count: number
    readonly measuredCount: number
    readonly runCount: number
    readonly oldestAt: string
  } | null
  /** Contenders that are sent so many requests in a minute at most; empty before a target has been asked. */
  readonly paces: readonly PaceText[]
  /** What billed contenders may cost; empty where none is billed. */
  readonly costs: readonly PlannedCostText[]
  readonly warnings: readonly string[]
}

interface PaceText {
  readonly contenderId: string
  readonly requestsPerMinute: number
  /** Whose limit it is; null where the config sets it. */
  readonly providerName: string | null
  readonly atLeastSeconds: number
}

interface TargetText {
  readonly description: string
  /** Null where the target does not say. */
  readonly serviceVersion: string | null
  /** Null where texts are sent. */
  readonly transport: string | null
  /** Those that it will be asked for. */
  readonly contenderIds: readonly string[]
  readonly machine: string
  /** Null where it was not measured. */
  readonly roundTripMs: number | null
}

/** What is known of a load before the first request. */
interface LoadText {
  /** In words: `closed, 1 in flight`. */
  readonly schedule: string
  /** Whether it ends by itself, so that its time decides how many requests there are. */
  readonly endsByItself: boolean
  /** What the planned moments really offer; null where none are planned. */
  readonly offered: { readonly requestsPerSecond: number; readonly audioSecondsPerSecond: number } | null
  /** Audio of all requests that are sent. */
  readonly audioSeconds: number
  /** How long measuring takes at least; null where it depends on the server. */
  readonly atLeastSeconds: number | null
  /** The first planned moments, in seconds; empty where none are planned. */
  readonly firstMoments: readonly number[]
  /** How long it would take at the speeds of an earlier run; null where there is none. */
  readonly before: {
    readonly seconds: number
    readonly runId: string
    readonly isSameCorpus: boolean
  } | null
}

/** What will happen, before it happens. */
export function renderPlan(plan: PlanText, terminal: Terminal): string {
  const line = (label: string, text: string): string => labelled(label, text, 8, terminal)
  const { contenderIds, targets, load } = plan
  const lines = [
    line('plan', planned(plan)),
    line('', contenderIds.join(' · ')),
    ...plan.options.map((text, index) => line(index === 0 ? 'options' : '', text)),
    ...expectLines(load).map((text) => line('expect', text)),
    ...reusedLines(plan.reused).map((text) => line('reuse', text)),
    ...plannedCostLines(plan.costs).map((text, index) => line(index === 0 ? 'cost' : '', text)),
    line('corpus', corpusWords(plan)),
    line('load', loadWords(plan)),
    ...offeredLine(load).map((text) => line('', text)),
    line('scoring', `${plan.profileId} (see \`transcribench explain ${plan.profileId}\`)`),
    ...(plan.writtenLanguage === null ? [] : [line('', writtenWords(plan.writtenLanguage))]),
    ...(plan.language === null && plan.writtenLanguage === null && plan.profileId === 'basic'
      ? [line('', unnamedLanguage)]
      : []),
    ...targetLines(targets).map((text, index) => line(index > 0 ? '' : 'target', text)),
    ...plan.paces.map((pace, index) => line(index === 0 ? 'pace' : '', paceWords(pace))),
    ...plan.skipped.map(({ id, reason }) => line('skipped', `${id}: ${reason}`)),
  ]
  const warnings = plan.warnings.map((warning) =>
    labelled(paint(inSigns('~', terminal), 'caution', terminal), warning, 1, terminal),
  )
  return [...lines, ...warnings].join('\n')
}

/** Local engines transcribe at 10 to 30 times real time. */
const assumedSpeed = 10

/** How long it takes, before anything was sent. */
function expectLines({ before, atLeastSeconds, audioSeconds }: LoadText): readonly string[] {
  if (atLeastSeconds !== null) return [`${formatSeconds(atLeastSeconds)} or more`]
  if (before !== null) {
    const where = before.isSameCorpus
      ? `as in ${before.runId}`
      : `at the speeds of ${before.runId}, on another corpus`
    return [`about ${formatSeconds(before.seconds)}, ${where}`]
  }
  if (audioSeconds === 0) return []
  return [
    `${formatSeconds(audioSeconds / assumedSpeed)} at ${assumedSpeed} times real time, which the warm-up corrects; all requests hold ${formatSeconds(audioSeconds)} of audio`,
  ]
}

function paceWords({ contenderId, requestsPerMinute, providerName, atLeastSeconds }: PaceText): string {
  const limit =
    providerName === null ? '' : `, the limit of ${providerName} (requestsPerMinute sets another one)`
  return `${contenderId}: ${counted(requestsPerMinute, 'request')} a minute at most${limit}: ${formatSeconds(atLeastSeconds)} or more`
}

function reusedLines(reused: PlanText['reused']): readonly string[] {
  if (reused === null) return []
  const { count, measuredCount, runCount, oldestAt } = reused
  return [
    `${formatCount(count)} of ${counted(measuredCount, 'answer')} from ${counted(runCount, 'earlier run')}, ` +
      `the oldest of ${oldestAt.slice(0, 10)}: for accuracy alone`,
  ]
}

function corpusWords({ corpusName, utteranceCount, sampledFrom, ...plan }: PlanText): string {
  const unit = plan.audioSeconds === 0 ? 'text' : 'utterance'
  const all = sampledFrom ?? utteranceCount
  const taken =
    sampledFrom === null
      ? counted(all, unit)
      : `a sample of ${formatCount(utteranceCount)} of ${counted(all, unit)}, balanced by length`
  const audio =
    plan.audioSeconds === 0
      ? []
      : [`${formatSeconds(plan.audioSeconds)} of ${spoken(plan.language)}`, 'verified']
  const format = plan.timesFormat === null ? '' : `, which asks servers for ${plan.timesFormat}`
  const timed =
    plan.timedCount === 0 ? [] : [`times requested for ${counted(plan.timedCount, unit)}${format}`]
  return [corpusName, taken, ...audio, ...timed].join(' · ')
}

/** `English`; `audio` where it is not known, or not one language. */
function spoken(language: string | null): string {
  return language === null
    ? 'audio'
    : (new Intl.DisplayNames('en', { type: 'language' }).of(language) ?? 'audio')
}

function loadWords({ load, seed, targets, ...plan }: PlanText): string {
  const used = [...new Set(targets.flatMap(({ transport }) => transport ?? []))]
  const transport = used.length === 0 ? [] : [`audio sent as ${used.join(' or ')}`]
  return [load.schedule, ...orderWords(plan), `seed ${seed}`, ...transport].join(' · ')
}

function orderWords(text: Pick<PlanText, 'contenderIds' | 'turnCount'>): readonly string[] {
  const { contenderIds, turnCount } = text
  if (contenderIds.length === 1) return []
  return [turnCount > 1 ? `interleaved in ${turnCount} turns` : 'one contender after the other']
}

/** One line for each target, with its contenders where there are several. */
function targetLines(targets: readonly TargetText[]): readonly string[] {
  return targets.map(({ description, serviceVersion, contenderIds, machine, roundTripMs }) =>
    [
      ...(targets.length > 1 ? [`${contenderIds.join(', ')}: ${description}`, machine] : [description]),
      ...(serviceVersion === null ? [] : [`service ${serviceVersion}`]),
      ...(roundTripMs === null ? [] : [`round trip ${formatMilliseconds(roundTripMs)}`]),
    ].join(' · '),
  )
}

/** As a product where it is one: a load that ends by itself has as many requests as its time holds. */
function planned(plan: PlanText): string {
  const { contenderIds, utteranceCount, rounds, measuredCount, warmupCount, load } = plan
  const contenders = counted(contenderIds.length, 'contender')
  const warmup = warmupCount === 0 ? '' : `, after at least ${formatCount(warmupCount)} to warm up`
  const sum = counted(measuredCount, 'request')
  return !load.endsByItself
    ? `${contenders} × ${counted(utteranceCount, 'utterance')} × ${counted(rounds, 'round')} = ${sum}${warmup}`
    : `${contenders} × ${counted(measuredCount / contenderIds.length, 'request')} = ${sum}${warmup}`
}

/** A block with fewer moments is shown whole. */
const shownMoments = 5

function offeredLine({ offered, firstMoments }: LoadText): readonly string[] {
  if (offered === null) return []
  const { requestsPerSecond, audioSecondsPerSecond } = offered
  const moments = firstMoments.map((seconds) => fixed(seconds, 2)).join(', ')
  const more = firstMoments.length < shownMoments ? '' : ' …'
  return [
    `planned moments (s): ${moments}${more}, which offer ${fixed(requestsPerSecond, 2)} requests/s and ` +
      `${Number(audioSecondsPerSecond.toPrecision(3))} s of speech per second`,
  ]
}

/**
 * Every setting with its value and its origin: what `--dry-run` shows.
 *
 * @param values by key path, as in the file: `load.concurrency`
 * @param sources `default`, `file`, `environment` or `flag`; a default is not shown
 */
export function renderDryRun(
  { values, sources }: Readonly<Record<'values' | 'sources', Readonly<Record<string, unknown>>>>,
  terminal: Terminal,
): string {
  const width = Math.max(...Object.keys(values).map((key) => key.length))
  return Object.entries(values)
    .map(([key, value]) => {
      const { [key]: from = 'default' } = sources
      const text = typeof value === 'string' ? value : JSON.stringify(value)
      const origin = from === 'default' ? '' : `   (${from})`
      return labelled(key, `${foreign(text ?? '')}${foreign(origin)}`, width, terminal)
    })
    .join('\n')
}

/** What a person wants to know while a run goes on. */
export interface ProgressText {
  readonly contenderId: string
  readonly doneCount: number
  readonly plannedCount: number
  readonly failedCount: number
  /** Requests that wait for the end of a rate limit. */
  readonly pausedCount: number
  readonly inFlight: number
  /** Requests that left noticeably after they were due. */
  readonly lateCount: number
  /** By contender, in the order of the config. A function, because scoring takes a moment: asked only to be shown. */
  readonly soFar: () => readonly SoFarText[]
  /** Of measuring: from the first moment that a request was due to the last answer. */
  readonly elapsedSeconds: number
  /** Null until there is something to go by. */
  readonly remainingSeconds: number | null
}

/** What is known of a contender while it is measured. */
interface SoFarText {
  readonly contenderId: string
  /** Audio seconds a second; null before the first answer. */
  readonly speed: number | null
  /** Null before the first answer, and where scoring might disturb the timing. */
  readonly errorRate: number | null
  /** What the rate counts. */
  readonly level: ErrorLevel
}

const barWidth = 40
/** Below this a bar shows nothing that the counts do not. */
const leastBarWidth = 8

/** What happened while a run goes on, in one paragraph behind a sign: `✗ whisper-1 is given up in its warm-up: …` */
export function renderNotice(sign: '✓' | '✗' | '~', text: string, terminal: Terminal): string {
  const indent = '    '
  return `  ${inSigns(sign, terminal)} ${paragraph(foreign(text), indent, terminal).slice(indent.length)}`
}

/** Three lines for a terminal, to be rewritten in place; none is wider than it, but for names that are. */
export function renderProgress(progress: ProgressText, terminal: Terminal): string {
  const { doneCount, plannedCount, failedCount, inFlight, remainingSeconds } = progress
  const left = remainingSeconds === null ? '' : `about ${formatSeconds(Math.ceil(remainingSeconds))} left`
  const counts = `${doneCount} of ${plannedCount}   in flight ${inFlight}   failed ${failedCount}${pausedWords(progress)}${lateWords(progress)}`
  const room = Math.min(barWidth, terminal.width - 6 - measureWidth(counts))
  const width = room < leastBarWidth ? 0 : room
  const filled = plannedCount === 0 ? 0 : Math.round((doneCount / plannedCount) * width)
  const [full, empty] = terminal.unicode ? ['█', '░'] : ['#', '.']
  const bar = full.repeat(filled) + empty.repeat(width - filled)
  // The time that is left ends where the line of the bar ends.
  const name = pad(
    foreign(progress.contenderId),
    width + measureWidth(counts) - 12 + (width === 0 ? 0 : 2) - measureWidth(left),
  )
  return [
    `  measuring   ${name}${name.endsWith(' ') ? '' : '  '}${left}`,
    `  ${bar}${width === 0 ? '' : '  '}${counts}`,
    labelled('so far', factsSoFar(progress, terminal).join('   '), 10, terminal),
  ].join('\n')
}

/**
 * One line for a pipe or a log, without anything that only a terminal understands.
 *
 * @param time `07:31:11`
 */
export function renderProgressLine(
  stage: 'measuring' | 'done',
  time: string,
  progress: ProgressText,
  terminal: Terminal,
): string {
  const { doneCount, plannedCount, failedCount, remainingSeconds, elapsedSeconds } = progress
  const share = `${Math.floor((100 * doneCount) / Math.max(1, plannedCount))}%`
  const length =
    stage === 'done'
      ? [formatSeconds(elapsedSeconds)]
      : remainingSeconds === null
        ? []
        : [`${formatSeconds(Math.ceil(remainingSeconds))} left`]
  return [
    `${time} ${stage.padEnd(10)} ${`${doneCount}/${plannedCount}`.padStart(9)} ${share.padStart(4)}`,
    `failed ${failedCount}${pausedWords(progress)}${lateWords(progress)}`,
    ...length,
    ...factsSoFar(progress, terminal),
  ].join('  ')
}

function pausedWords({ pausedCount }: ProgressText): string {
  return pausedCount === 0 ? '' : `   rate-limited ${pausedCount}`
}

function lateWords({ lateCount }: ProgressText): string {
  return lateCount === 0 ? '' : `   sent late ${lateCount}`
}

/** `moonshine-tiny 31.2×, WER 7.6%`, for each contender that has answered. */
function factsSoFar({ soFar }: ProgressText, terminal: Terminal): readonly string[] {
  return soFar().flatMap(({ contenderId, speed, errorRate, level }) => {
    const facts = [
      ...(speed === null ? [] : [formatTimes(speed)]),
      ...(errorRate === null ? [] : [`${rateWords[level].short} ${formatPercent(errorRate)}`]),
    ]
    return facts.length === 0 ? [] : [inSigns(`${foreign(contenderId)} ${facts.join(', ')}`, terminal)]
  })
}
