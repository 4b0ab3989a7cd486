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
import { type PlannedCostText, plannedCostLines } from './costs.ts'
import { unnamedLanguage, writtenWords } from './provenance.ts'

/** The plan of a run, decided before the first request. */
export interface PlanText {
  readonly contenderIds: readonly string[]
  /** Options that contenders set in the API of their provider: `nova-3: smart_format=true`. */
  readonly options: readonly string[]
  /** Contenders that are skipped because the target does not have them. */
  readonly skipped: readonly { readonly id: string; readonly reason: string }[]
  readonly utteranceCount: number
  /** Size of the corpus that the utterances are a sample of; null without a sample. */
  readonly sampledFrom: number | null
  readonly rounds: number
  /** Number of turns in which the contenders are interleaved; 1 if each is measured in one go. */
  readonly turnCount: number
  readonly measuredCount: number
  readonly warmupCount: number
  /** Number of utterances whose reference has times, so that times are requested and compared. */
  readonly timedCount: number
  /** Response format requested from transcription servers for times; null without such a server. */
  readonly timesFormat: string | null
  readonly corpusName: string
  readonly audioSeconds: number
  /** ISO 639 code of the spoken language, if all utterances have the same; null otherwise. */
  readonly language: string | null
  /** Language detected in references whose manifest names none; null if all name one, or it is unclear. */
  readonly writtenLanguage: string | null
  /** Id of the profile that answers are scored with. */
  readonly profileId: string
  readonly seed: number
  readonly load: LoadText
  /** Targets; empty before they have been queried. */
  readonly targets: readonly TargetText[]
  /** Answers of earlier runs; null if none is reused, and before a target has been queried. */
  readonly reused: {
    readonly count: number
    readonly measuredCount: number
    readonly runCount: number
    readonly oldestAt: string
  } | null
  /** Contenders with a limit of requests per minute; empty before a target has been queried. */
  readonly paces: readonly PaceText[]
  /** Maximum costs of billed contenders; empty if none is billed. */
  readonly costs: readonly PlannedCostText[]
  readonly warnings: readonly string[]
}

interface PaceText {
  readonly contenderId: string
  readonly requestsPerMinute: number
  /** Provider that sets the limit; null if the config sets it. */
  readonly providerName: string | null
  readonly atLeastSeconds: number
}

interface TargetText {
  readonly description: string
  /** Null if the target does not report it. */
  readonly serviceVersion: string | null
  /** Null if texts are sent. */
  readonly transport: string | null
  /** Contenders that this target will serve. */
  readonly contenderIds: readonly string[]
  readonly machine: string
  /** Null if it was not measured. */
  readonly roundTripMs: number | null
}

/** The properties of a load that are known before the first request. */
interface LoadText {
  /** The schedule in words: `closed, 1 in flight`. */
  readonly schedule: string
  /** Whether the load has a fixed duration, which determines the number of requests. */
  readonly endsByItself: boolean
  /** The rates that the planned send times amount to; null if none are planned. */
  readonly offered: { readonly requestsPerSecond: number; readonly audioSecondsPerSecond: number } | null
  /** Audio of all requests that are sent. */
  readonly audioSeconds: number
  /** Minimum duration of the measurement in seconds; null if it depends on the server. */
  readonly atLeastSeconds: number | null
  /** The first planned send times in seconds; empty if none are planned. */
  readonly firstMoments: readonly number[]
  /** Estimated duration at the speeds of an earlier run; null if there is none. */
  readonly before: {
    readonly seconds: number
    readonly runId: string
    readonly isSameCorpus: boolean
  } | null
}

/** The plan as text, shown before anything is sent. */
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

/** Multiple of real time assumed for an estimate; local engines transcribe at 10 to 30 times real time. */
const assumedSpeed = 10

/** Estimates of the duration, before anything was sent. */
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

/** `English`; `audio` if the language is unknown or not the same everywhere. */
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

/** One line for each target, with its contenders if there are several. */
function targetLines(targets: readonly TargetText[]): readonly string[] {
  return targets.map(({ description, serviceVersion, contenderIds, machine, roundTripMs }) =>
    [
      ...(targets.length > 1 ? [`${contenderIds.join(', ')}: ${description}`, machine] : [description]),
      ...(serviceVersion === null ? [] : [`service ${serviceVersion}`]),
      ...(roundTripMs === null ? [] : [`round trip ${formatMilliseconds(roundTripMs)}`]),
    ].join(' · '),
  )
}

/** The number of requests, as a product if it is one: a load with a fixed duration sends as many as fit. */
function planned(plan: PlanText): string {
  const { contenderIds, utteranceCount, rounds, measuredCount, warmupCount, load } = plan
  const contenders = counted(contenderIds.length, 'contender')
  const warmup = warmupCount === 0 ? '' : `, after at least ${formatCount(warmupCount)} to warm up`
  const sum = counted(measuredCount, 'request')
  return !load.endsByItself
    ? `${contenders} × ${counted(utteranceCount, 'utterance')} × ${counted(rounds, 'round')} = ${sum}${warmup}`
    : `${contenders} × ${counted(measuredCount / contenderIds.length, 'request')} = ${sum}${warmup}`
}

/** Maximum number of send times that are shown of a block; fewer are all shown. */
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

/** Progress of a run for the user. */
export interface ProgressText {
  readonly contenderId: string
  readonly doneCount: number
  readonly plannedCount: number
  readonly failedCount: number
  /** Requests that wait for the end of a rate limit. */
  readonly pausedCount: number
  readonly inFlight: number
  /** Requests that were sent noticeably after they were due. */
  readonly lateCount: number
  /** Results by contender, in the order of the config. Scoring is slow, so this is called only for display. */
  readonly soFar: () => readonly SoFarText[]
  /** Elapsed seconds from the due time of the first request to the last answer. */
  readonly elapsedSeconds: number
  /** Null until an estimate is possible. */
  readonly remainingSeconds: number | null
}

/** Intermediate results of a contender while it is measured. */
interface SoFarText {
  readonly contenderId: string
  /** Audio seconds per second; null before the first answer. */
  readonly speed: number | null
  /** Null before the first answer, and if scoring could disturb the timing. */
  readonly errorRate: number | null
  /** The unit that the error rate counts. */
  readonly level: ErrorLevel
}

const barWidth = 40
/** Minimum width of a progress bar; a narrower one shows no more than the counts. */
const leastBarWidth = 8

/** An event during a run, as one paragraph after a sign: `✗ whisper-1 is given up in its warm-up: …` */
export function renderNotice(sign: '✓' | '✗' | '~', text: string, terminal: Terminal): string {
  const indent = '    '
  return `  ${inSigns(sign, terminal)} ${paragraph(foreign(text), indent, terminal).slice(indent.length)}`
}

/** Three lines for a terminal, to be rewritten in place; none is wider than the terminal, unless a name is. */
export function renderProgress(progress: ProgressText, terminal: Terminal): string {
  const { doneCount, plannedCount, failedCount, inFlight, remainingSeconds } = progress
  const left = remainingSeconds === null ? '' : `about ${formatSeconds(Math.ceil(remainingSeconds))} left`
  const counts = `${doneCount} of ${plannedCount}   in flight ${inFlight}   failed ${failedCount}${pausedWords(progress)}${lateWords(progress)}`
  const room = Math.min(barWidth, terminal.width - 6 - measureWidth(counts))
  const width = room < leastBarWidth ? 0 : room
  const filled = plannedCount === 0 ? 0 : Math.round((doneCount / plannedCount) * width)
  const [full, empty] = terminal.unicode ? ['█', '░'] : ['#', '.']
  const bar = full.repeat(filled) + empty.repeat(width - filled)
  // The remaining time is aligned to the end of the bar's line.
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
 * One line for a pipe or a log, without terminal control sequences.
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
