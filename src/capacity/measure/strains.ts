import { counted } from '#prelude'
import { judgeInterference, judgeOverload } from '../found.ts'
import type { FoundCold, FoundInterference, Overload } from '../found-loads.ts'
import type { LevelSample, LoadedServer } from '../loaded-server.ts'
import { compareTexts, type TextsAlone } from '../sweep.ts'
import type { ContenderInput } from './contender-input.ts'
import type { LoadedTarget } from './loaded-target.ts'
import { crossedAnswers, errorCounter } from './run-sweep.ts'

/** Results of the loads besides the search: two overloads, and dictation during long recordings. */
export type Strains = Awaited<ReturnType<typeof strain>>

/** Overloads as multiples of the capacity, with the recovery time as a share of the overload. */
const overloads = [
  { times: 1.2, watchedShare: 0.8, seed: 500 },
  { times: 2, watchedShare: 1.8, seed: 600 },
] as const
/** Default duration of an overload as a share of the budget. */
const overloadShare = 1 / 60
const maxOverloadSeconds = 20
const interferenceShare = 1 / 20
const maxInterferenceSeconds = 15
/** Minimum number of requests of an overload of default duration, or of the interference measurement. */
const minRequests = 5

/** Duration of each overload in seconds; 0 for none. */
function planOverloadSeconds({ budgetSeconds, overloadSeconds }: ContenderInput['request']): number {
  return overloadSeconds ?? Math.min(maxOverloadSeconds, overloadShare * budgetSeconds)
}

function planInterferenceSeconds({ budgetSeconds }: ContenderInput['request']): number {
  return Math.min(maxInterferenceSeconds, interferenceShare * budgetSeconds)
}

/** Duration of all strains together in seconds. */
export function strainSeconds(request: ContenderInput['request']): number {
  const secondsOfEach = planOverloadSeconds(request)
  return overloads.reduce(
    (sum, { watchedShare }) => sum + secondsOfEach * (1 + watchedShare),
    planInterferenceSeconds(request),
  )
}

/**
 * Applies the strains. An interrupted one is not judged, because its unsent requests are no failures of the server.
 *
 * @param perSecond the capacity
 */
export async function strain(
  input: ContenderInput,
  server: LoadedTarget,
  options: {
    readonly perSecond: number
    readonly alone: TextsAlone
    readonly onStage: (stage: 'overload' | 'interference') => void
  },
) {
  const { perSecond, alone, onStage } = options
  const isStopped = (): boolean => input.stop?.aborted === true
  const forSeconds = planOverloadSeconds(input.request)
  const measured: Overload[] = []
  if (forSeconds > 0 && (input.request.overloadSeconds !== null || forSeconds * perSecond >= minRequests)) {
    onStage('overload')
    for (const planned of overloads) {
      const judged = await overload(input, server, alone, { ...planned, perSecond, forSeconds })
      if (isStopped()) return { overloads: measured, interference: null }
      measured.push(judged)
    }
  }
  onStage('interference')
  const interference = await interfere(input, server, perSecond)
  return { overloads: measured, interference: isStopped() ? null : interference }
}

async function overload(
  input: ContenderInput,
  server: LoadedServer,
  alone: TextsAlone,
  order: (typeof overloads)[number] & { readonly perSecond: number; readonly forSeconds: number },
): Promise<Overload> {
  const { times, watchedShare, seed: ownSeed, perSecond, forSeconds } = order
  const { request, config } = input
  const [objective] = request.objectives
  if (objective === undefined) throw new TypeError('a capacity has an objective')
  const seed = config.seed + ownSeed
  const samples = await server.measure({
    kind: 'open',
    perSecond: times * perSecond,
    forSeconds,
    prefill: 0,
    seed,
    after: { perSecond: perSecond / 2, forSeconds: watchedShare * forSeconds },
  })
  const accuracy = compareTexts(samples, alone, errorCounter(input), seed)
  const crossedCount = crossedAnswers(input, samples)?.answerCount ?? 0
  const offered = { times, perSecond: times * perSecond, forSeconds }
  return judgeOverload(samples, objective, offered, accuracy, crossedCount)
}

/** Dictation at a third of the capacity, alone and then with the longest recordings sent one after the other. */
async function interfere(
  { config, corpus, request }: ContenderInput,
  server: LoadedTarget,
  capacityPerSecond: number,
): Promise<FoundInterference | null> {
  const sorted = [...corpus.utterances].sort((a, b) => b.durationSeconds - a.durationSeconds)
  const count = Math.max(1, Math.floor(sorted.length / 5))
  const [longIds, shortIds] = [sorted.slice(0, count), sorted.slice(count)].map((part) =>
    part.map(({ id }) => id),
  )
  if (longIds === undefined || shortIds === undefined || shortIds.length === 0) return null
  const forSeconds = planInterferenceSeconds(request) / 2
  const seed = config.seed + 700
  const perSecond = capacityPerSecond / 3
  if (forSeconds * perSecond < minRequests) return null
  const dictation = { kind: 'open', perSecond, forSeconds, prefill: 0, seed } as const
  const alone = await server.measureAmong(dictation, shortIds)
  const [withLong, long] = await Promise.all([
    server.measureAmong(dictation, shortIds),
    server.measureAmong({ kind: 'closed', inFlight: 1, forSeconds, seed: seed + 1 }, longIds),
  ])
  return judgeInterference(perSecond, { alone, withLong, long })
}

/** Maximum time in seconds for the first answer after an idle time, and a few others. */
const maxWatchSeconds = 4
/** Maximum time in seconds until the steady speed, and its maximum share of the budget. */
const maxWaySeconds = 10
const wayShare = 1 / 12
/** Assumed maximum loading time of a model in seconds. */
const loadingSeconds = 1
/** Maximum idle time in seconds. */
const maxIdleSeconds = 5
/** Share of the budget for each of these measurements. */
const shareOfBudget = 1 / 60
/** Number of consecutive requests that define the speed at a time. */
const window = 5
/** Minimum number of answers, whose second half gives the steady speed. */
const minAnswers = 2 * window
/** Duration in seconds in which a busy machine sends both requests, and shorter than loading a model. */
const bothSentSeconds = 0.25
/** Share of the steady speed that counts as reached. */
const steadyShare = 0.95
const interrupted = 'interrupted'

/** Starts a separate service without a loaded model, and passes it on with its start time. */
export type FreshServers = <Value>(
  work: (server: LoadedServer, startMs: number) => Promise<Value>,
) => Promise<Value>

/**
 * Cold start until the steady state: start, first answer, two first requests at once, time to the steady speed, and
 * the first answer after idling. It is never averaged into warm figures. Refusals do not count as answers.
 *
 * @param budgetSeconds total time of the contender, of which this takes a small part
 * @param warm the measured server, warmed up
 * @param withFresh null if the target cannot be started from here
 */
export async function coldPath(
  settings: Pick<ContenderInput, 'clock'> & {
    readonly stop: AbortSignal | undefined
    readonly budgetSeconds: number
  },
  warm: LoadedServer,
  withFresh: FreshServers | null,
  seed: number,
): Promise<FoundCold> {
  const { clock, stop, budgetSeconds } = settings
  const idleSeconds = Math.min(maxIdleSeconds, shareOfBudget * budgetSeconds)
  const watchedSeconds = Math.min(maxWatchSeconds, shareOfBudget * budgetSeconds)
  const isStopped = (): boolean => stop?.aborted === true
  await clock.sleepUntil(clock.nowMs() + 1000 * idleSeconds, stop)
  const afterIdle = await warm.measure({ kind: 'closed', inFlight: 1, forSeconds: watchedSeconds, seed })
  const [first, ...later] = afterIdle
  const steady = keepAnswers(later)
  const isFirstAnswered = first?.isAnswered === true
  const seen = {
    afterIdleMs: isFirstAnswered ? serviceMs(first) * lengthRatio(first, steady) : null,
    steadyAnswerMs: meanServiceMs(steady),
    idleSeconds: isFirstAnswered ? idleSeconds : null,
  }
  if (withFresh === null || isStopped()) {
    const unseen = { startMs: null, firstAnswerMs: null, twoWhileLoadingMs: null, untilSteadyMs: null }
    return { ...unseen, untilSteadyReason: withFresh === null ? 'it ran already' : interrupted, ...seen }
  }
  // The time is extended for a slow model if the budget allows it.
  const neededSeconds = loadingSeconds + (1.5 * minAnswers * (seen.steadyAnswerMs ?? 0)) / 1000
  const waySeconds = Math.min(
    maxWaySeconds,
    Math.max(watchedSeconds, Math.min(neededSeconds, wayShare * budgetSeconds)),
  )
  const alone = await withFresh(async (server, startMs) => {
    const samples = await server.measure({ kind: 'closed', inFlight: 1, forSeconds: waySeconds, seed })
    return { startMs, samples }
  })
  const answers = keepAnswers(alone.samples)
  const [[firstSent], [firstAnswer]] = [alone.samples, answers]
  const found = {
    ...seen,
    startMs: alone.startMs,
    // The time counts from the first sending, because a refused user also waits while the model loads.
    firstAnswerMs:
      firstSent === undefined || firstAnswer === undefined
        ? null
        : firstAnswer.endedAtMs - firstSent.sentAtMs,
  }
  if (isStopped())
    return { ...found, twoWhileLoadingMs: null, untilSteadyMs: null, untilSteadyReason: interrupted }
  const both = await withFresh((server) =>
    server.measure({ kind: 'closed', inFlight: 2, forSeconds: bothSentSeconds, seed: seed + 1 }),
  )
  const [one, two] = keepAnswers(both.toSorted((a, b) => a.sentAtMs - b.sentAtMs).slice(0, 2)).map(serviceMs)
  return {
    ...found,
    twoWhileLoadingMs: one === undefined || two === undefined ? null : [one, two],
    ...untilSteady(answers, waySeconds),
  }
}

function keepAnswers(samples: readonly LevelSample[]): readonly LevelSample[] {
  return samples.filter(({ isAnswered }) => isAnswered)
}

function serviceMs({ sentAtMs, endedAtMs }: LevelSample): number {
  return endedAtMs - sentAtMs
}

function meanServiceMs(samples: readonly LevelSample[]): number | null {
  if (samples.length === 0) return null
  return samples.reduce((sum, sample) => sum + serviceMs(sample), 0) / samples.length
}

/** Ratio of the others' mean audio length to that of this sample, which makes their times comparable. */
function lengthRatio({ audioSeconds }: LevelSample, others: readonly LevelSample[]): number {
  if (others.length === 0 || audioSeconds === 0) return 1
  return others.reduce((sum, other) => sum + other.audioSeconds, 0) / others.length / audioSeconds
}

/**
 * Time from the first sending until consecutive requests are as fast as the second half; or the reason if unknown.
 *
 * @param answers of one request at a time, from the start
 */
function untilSteady(
  answers: readonly LevelSample[],
  watchedSeconds: number,
): Pick<FoundCold, 'untilSteadyMs' | 'untilSteadyReason'> {
  const unseen = (untilSteadyReason: string): ReturnType<typeof untilSteady> => ({
    untilSteadyMs: null,
    untilSteadyReason,
  })
  const speedOf = (part: readonly LevelSample[]): number => {
    const spent = part.reduce((sum, sample) => sum + serviceMs(sample), 0)
    return spent === 0 ? 0 : part.reduce((sum, { audioSeconds }) => sum + audioSeconds, 0) / spent
  }
  if (answers.length < minAnswers)
    return unseen(
      `${counted(answers.length, 'answer')} in ${Number(watchedSeconds.toPrecision(2))} s, and it takes ${minAnswers}; more time: --budget`,
    )
  const steady = speedOf(answers.slice(Math.floor(answers.length / 2)))
  if (steady === 0) return unseen('nothing was transcribed')
  for (let from = 0; from + window <= answers.length; from += 1) {
    const part = answers.slice(from, from + window)
    if (speedOf(part) >= steadyShare * steady)
      return { untilSteadyMs: part[0]?.sentAtMs ?? null, untilSteadyReason: null }
  }
  return unseen('it never was as fast as it became')
}
