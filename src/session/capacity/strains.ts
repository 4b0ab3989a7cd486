import {
  compareTexts,
  type FoundInterference,
  judgeInterference,
  judgeOverload,
  type LoadedServer,
  type Overload,
  type TextsAlone,
} from '#capacity'
import type { ContenderInput } from './contender-input.ts'
import { errorCounter } from './count-errors.ts'
import type { LoadedTarget } from './loaded-target.ts'

/** What a server is put under beyond the search: two overloads, and dictation next to long recordings. */
export interface Strains {
  readonly overloads: readonly Overload[]
  readonly interference: FoundInterference | null
}

/** Times the capacity, and how long it is watched afterwards, as a share of the overload. */
const overloads = [
  { times: 1.2, watchedShare: 0.8, seed: 500 },
  { times: 2, watchedShare: 1.8, seed: 600 },
] as const
/** An overload takes this part of the time, where no length was given. */
const overloadShare = 1 / 60
const maxOverloadSeconds = 20
const interferenceShare = 1 / 20
const maxInterferenceSeconds = 15
/** An overload without a given length, or dictation next to long recordings, of fewer requests shows nothing. */
const minRequests = 5

/** How long each overload lasts, in seconds; 0 for none. */
function overloadSecondsOf({ budgetSeconds, overloadSeconds }: ContenderInput['request']): number {
  return overloadSeconds ?? Math.min(maxOverloadSeconds, overloadShare * budgetSeconds)
}

function interferenceSecondsOf({ budgetSeconds }: ContenderInput['request']): number {
  return Math.min(maxInterferenceSeconds, interferenceShare * budgetSeconds)
}

/** What the strains take together. */
export function strainSeconds(request: ContenderInput['request']): number {
  const each = overloadSecondsOf(request)
  return overloads.reduce(
    (sum, { watchedShare }) => sum + each * (1 + watchedShare),
    interferenceSecondsOf(request),
  )
}

/**
 * A strain that was stopped is not judged: what was not sent is not what the server failed to answer.
 *
 * @param perSecond the capacity
 */
export async function strain(
  input: ContenderInput,
  server: LoadedTarget,
  {
    perSecond,
    alone,
    onStage,
  }: {
    readonly perSecond: number
    readonly alone: TextsAlone
    readonly onStage: (stage: 'overload' | 'interference') => void
  },
): Promise<Strains> {
  const isStopped = (): boolean => input.stop?.aborted === true
  const forSeconds = overloadSecondsOf(input.request)
  const made: Overload[] = []
  if (forSeconds > 0 && (input.request.overloadSeconds !== null || forSeconds * perSecond >= minRequests)) {
    onStage('overload')
    for (const each of overloads) {
      const judged = await overload(input, server, { ...each, perSecond, forSeconds, alone })
      if (isStopped()) return { overloads: made, interference: null }
      made.push(judged)
    }
  }
  onStage('interference')
  const interference = await interfere(input, server, perSecond)
  return { overloads: made, interference: isStopped() ? null : interference }
}

async function overload(
  { request, config, corpus }: ContenderInput,
  server: LoadedServer,
  {
    times,
    watchedShare,
    seed: ownSeed,
    perSecond,
    forSeconds,
    alone,
  }: (typeof overloads)[number] & {
    readonly perSecond: number
    readonly forSeconds: number
    readonly alone: TextsAlone
  },
): Promise<Overload> {
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
  return judgeOverload(samples, {
    objective,
    times,
    perSecond: times * perSecond,
    forSeconds,
    accuracy: compareTexts(samples, alone, errorCounter(corpus, config), seed),
  })
}

/** Dictation at a third of the capacity, alone and then next to the longest recordings, sent one after the other. */
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
  const forSeconds = interferenceSecondsOf(request) / 2
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
