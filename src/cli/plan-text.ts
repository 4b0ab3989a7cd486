import type { ContenderConfig } from '#config/bench-config'
import { spokenLanguage } from '#corpus/words'
import type { PlannedRequest } from '#journal/plan-line'
import { settingsInWords, sumOf } from '#prelude'
import { foreign, inSigns, labelled, paint, type Terminal } from '#reports/layout/terminal'
import {
  counted,
  decimalsToDiffer,
  fixed,
  formatCount,
  formatDollars,
  formatMilliseconds,
  formatSeconds,
} from '#reports/layout/units'
import { audioADay } from '#reports/run/costs'
import { unnamedLanguage, writtenWords } from '#reports/run/provenance'
import type { MeasurePlan } from '#run/plan/measure-plan'
import type { expectLoad, TimeBefore } from '#run/plan/preview-run'
import type { PlannedCost, PlannedPace } from '#run/plan/provider-terms'

/** The part of a plan that can be shown before the target is queried. */
export function plannedText(
  plan: Pick<MeasurePlan, 'corpus' | 'requests' | 'profile' | 'seed'> & {
    /** Whether a transcription server is among the targets. */
    readonly asksServers: boolean
    readonly contenders: readonly Pick<ContenderConfig, 'id' | 'options' | 'defaultOptions'>[]
  },
) {
  const { corpus, requests, contenders, profile, seed, asksServers } = plan
  const maxOf = (of: (request: PlannedRequest) => number): number =>
    requests.reduce((highest, request) => Math.max(highest, of(request)), 0)
  return {
    contenderIds: contenders.map(({ id }) => id),
    /** Options that contenders set in the API of their provider: `nova-3: smart_format=true`. */
    options: contenders.flatMap(({ id, options = {}, defaultOptions = {} }) => {
      const settings = settingsInWords(options)
      const words = [
        ...(id.endsWith(settings) ? [] : [settings]),
        ...Object.entries(defaultOptions).map(
          (one) => `${settingsInWords(Object.fromEntries([one]))} by default`,
        ),
      ]
      return words.length === 0 ? [] : [`${id}: ${words.join(', ')}`]
    }),
    utteranceCount: corpus.utterances.length,
    sampledFrom: corpus.sampledFrom,
    rounds: maxOf(({ round }) => round),
    /** Number of turns in which the contenders are interleaved; 1 if each is measured in one go. */
    turnCount: (maxOf(({ block }) => block) + 1) / contenders.length,
    measuredCount: requests.filter(({ phase }) => phase === 'measure').length,
    warmupCount: requests.filter(({ phase }) => phase === 'warmup').length,
    /** Number of utterances whose reference has times, so that times are requested and compared. */
    timedCount: corpus.utterances.filter(({ times }) => times.length > 0).length,
    /** Response format requested from transcription servers for times; null without such a server. */
    timesFormat: asksServers ? ('verbose_json' as const) : null,
    corpusName: corpus.name,
    audioSeconds: corpus.audioSeconds,
    language: spokenLanguage(corpus.utterances),
    writtenLanguage: corpus.writtenLanguage,
    profileId: profile.id,
    seed,
  }
}

/** Requests of a plan that are not sent, because earlier runs have their answers. */
export function reusedText(plan: Pick<MeasurePlan, 'reused' | 'requests'>) {
  const { reused, requests } = plan
  const [first] = reused
  if (first === undefined) return null
  return {
    count: reused.length,
    measuredCount: requests.filter(({ phase }) => phase === 'measure').length,
    runCount: new Set(reused.map(({ run }) => run)).size,
    oldestAt: reused.reduce(
      (oldest, { answeredAt }) => (answeredAt < oldest ? answeredAt : oldest),
      first.answeredAt,
    ),
  }
}

/** The plan of a run, decided before the first request. */
interface PlanText extends ReturnType<typeof plannedText> {
  /** Contenders that are skipped because the target does not have them. */
  readonly skipped: MeasurePlan['skipped']
  readonly load: LoadText
  /** Targets; empty before they have been queried. */
  readonly targets: readonly TargetText[]
  /** Answers of earlier runs; null if none is reused, and before a target has been queried. */
  readonly reused: ReturnType<typeof reusedText>
  /** Contenders with a limit of requests per minute; empty before a target has been queried. */
  readonly paces: readonly PlannedPace[]
  /** Maximum costs of billed contenders; empty if none is billed. */
  readonly costs: readonly PlannedCost[]
  readonly warnings: readonly string[]
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
interface LoadText extends ReturnType<typeof expectLoad> {
  /** The schedule in words: `closed, 1 in flight`. */
  readonly schedule: string
  /** Whether the load has a fixed duration, which determines the number of requests. */
  readonly endsByItself: boolean
  /** Estimated duration at the speeds of an earlier run; null if there is none. */
  readonly before: TimeBefore | null
}

/** The plan as text, shown before anything is sent. */
export function renderPlan(plan: PlanText, terminal: Terminal): string {
  const line = (label: string, text: string): string => labelled(label, text, 8, terminal)
  const { contenderIds, targets, load } = plan
  const lines = [
    line('plan', planned(plan)),
    line('', contenderIds.join(' · ')),
    ...plan.options.map((text, index) => line(index === 0 ? 'options' : '', text)),
    ...expectLines(load, plan.warmupCount).map((text) => line('expect', text)),
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
function expectLines(
  { before, atLeastSeconds, audioSeconds }: LoadText,
  warmupCount: number,
): readonly string[] {
  if (atLeastSeconds !== null) return [`${formatSeconds(atLeastSeconds)} or more`]
  if (before !== null) {
    const where = before.isSameCorpus
      ? `as in ${before.runId}`
      : `at the speeds of ${before.runId}, on another corpus`
    return [`about ${formatSeconds(before.seconds)}, ${where}`]
  }
  if (audioSeconds === 0) return []
  const correction = warmupCount === 0 ? '' : ', which the warm-up corrects'
  return [
    `${formatSeconds(audioSeconds / assumedSpeed)} at ${assumedSpeed} times real time${correction}; all requests hold ${formatSeconds(audioSeconds)} of audio`,
  ]
}

function paceWords({ contenderId, requestsPerMinute, providerName, atLeastSeconds }: PlannedPace): string {
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
  const corpusCount = sampledFrom ?? utteranceCount
  const sizeText =
    sampledFrom === null
      ? counted(corpusCount, unit)
      : `a sample of ${formatCount(utteranceCount)} of ${counted(corpusCount, unit)}, balanced by length`
  const audio =
    plan.audioSeconds === 0
      ? []
      : [`${formatSeconds(plan.audioSeconds)} of ${spoken(plan.language)}`, 'verified']
  const format = plan.timesFormat === null ? '' : `, which asks servers for ${plan.timesFormat}`
  const timed =
    plan.timedCount === 0 ? [] : [`times requested for ${counted(plan.timedCount, unit)}${format}`]
  return [corpusName, sizeText, ...audio, ...timed].join(' · ')
}

/** `English`; `audio` if the language is unknown or not the same everywhere. */
function spoken(language: string | null): string {
  if (language === null) return 'audio'
  // Private subtags and extensions, as in de-x-formal, have no name, and `of` would throw for them.
  const { baseName } = new Intl.Locale(language)
  return new Intl.DisplayNames('en', { type: 'language' }).of(baseName) ?? 'audio'
}

function loadWords({ load, seed, targets, ...plan }: PlanText): string {
  const transports = [...new Set(targets.flatMap(({ transport }) => transport ?? []))]
  const transport = transports.length === 0 ? [] : [`audio sent as ${transports.join(' or ')}`]
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
  // A tenth of the mean interval is still shown.
  const decimals = Math.max(2, Math.ceil(Math.log10(requestsPerSecond)) + 1)
  const moments = firstMoments.map((seconds) => fixed(seconds, decimals)).join(', ')
  const more = firstMoments.length < shownMoments ? '' : ' …'
  return [
    `planned moments (s): ${moments}${more}, which offer ${fixed(requestsPerSecond, decimalsToDiffer(requestsPerSecond, 2))} requests/s and ` +
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

/** A line or two for each contender that is billed, and the total of several. */
export function plannedCostLines(costs: readonly PlannedCost[]): readonly string[] {
  const prices = costs.flatMap(({ usd }) => (usd === null ? [] : [usd]))
  const sum = sumOf(prices, (usd) => usd)
  return [
    ...costs.flatMap(plannedLines),
    ...(costs.length > 1 && prices.length > 0
      ? [
          `together about ${formatDollars(sum)} USD${prices.length < costs.length ? ', without the unknown prices' : ''}`,
        ]
      : []),
  ]
}

function plannedLines(cost: PlannedCost): readonly string[] {
  const { contenderId, minutes, usd, usdPerAudioHour, source, date, ownMachine: machine } = cost
  const sent = `${contenderId}: ${fixed(minutes, 1)} minutes of audio`
  if (usd === null || usdPerAudioHour === null)
    return [`${sent}, billed at an unknown price: usdPerMinute in the config, or --prices`]
  const from = [source, date].filter((part) => part !== null).join(', ')
  return [
    `${sent}, about ${formatDollars(usd)} USD (${formatDollars(usdPerAudioHour)} USD an hour of audio${from === '' ? '' : `; ${from}`})`,
    ...(machine === null
      ? []
      : [
          `a machine of your own at ${formatDollars(machine.usdPerDay)} USD a day is cheaper from ` +
            `${audioADay(machine.cheaperFromAudioHoursPerDay)}, not counting its energy for decoding`,
        ]),
  ]
}
