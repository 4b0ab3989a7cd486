import { allowance, isMiss, type Objective } from '../objective.ts'
import type { LevelSample } from '../simulation/loaded-server.ts'
import type { LevelAccuracy } from './sweep.ts'

/** What an overload did, and how long it was felt. */
export interface Overload {
  /** Offered over the capacity: 2 for twice as much. */
  readonly times: number
  readonly perSecond: number
  readonly forSeconds: number
  readonly requests: number
  readonly answered: number
  /** Refused because the queue was full. */
  readonly turnedAway: number
  /** Failed in any other way. */
  readonly failed: number
  /** Requests in the system when the overload ended. */
  readonly backlogAtEnd: number
  /** Growth of the backlog, requests per second. */
  readonly backlogPerSecond: number
  /**
   * From the end of the overload until the objective is met again: until a request that meets it was due, after which no
   * more of the next twenty miss it than may. Null where that was not seen.
   */
  readonly recoverySeconds: number | null
  /** What was due after the overload, where that were too few requests to show a recovery; else null. */
  readonly tooFewAfterwards: { readonly requests: number; readonly misses: number } | null
  /** Whether the last request that was sent, with the overload long over, was answered. */
  readonly isAlive: boolean
  /** Texts that are not those of the recording alone. */
  readonly differing: number
  /** Of those, the texts of other recordings: crossed between clients. */
  readonly crossed: number
  /** Of those, texts without a word. */
  readonly emptied: number
  readonly compared: number
}

/** So many requests in a row show that the objective is met again. */
const requestsInARow = 20

/** How a stretch of overload went, followed by a stretch of half the capacity that shows when it was over. */
export function judgeOverload(
  samples: readonly LevelSample[],
  {
    objective,
    times,
    perSecond,
    forSeconds,
    accuracy,
  }: {
    readonly objective: Objective
    readonly times: number
    readonly perSecond: number
    /** Of overload; the rest was watched. */
    readonly forSeconds: number
    /** Of all the texts, against those of the recordings alone. */
    readonly accuracy: Pick<LevelAccuracy, 'differing' | 'crossed' | 'emptied' | 'compared'>
  },
): Overload {
  const endMs = 1000 * forSeconds
  const during = samples.filter(({ dueAtMs }) => dueAtMs < endMs)
  const after = samples
    .filter(({ dueAtMs }) => dueAtMs >= endMs)
    .toSorted((one, other) => one.dueAtMs - other.dueAtMs)
  const backlogAt = (atMs: number): number =>
    samples.filter(({ dueAtMs, endedAtMs }) => dueAtMs <= atMs && endedAtMs > atMs).length
  const isInTime = ({ dueAtMs, endedAtMs, audioSeconds, isAnswered }: LevelSample): boolean =>
    !isMiss(objective, { responseMs: endedAtMs - dueAtMs, audioSeconds, isAnswered })
  const mayMiss = Math.floor(allowance(objective) * requestsInARow)
  const missesOf = (part: readonly LevelSample[]): number => part.filter((each) => !isInTime(each)).length
  const held = after.findIndex((sample, index) => {
    const next = after.slice(index, index + requestsInARow)
    return isInTime(sample) && next.length === requestsInARow && missesOf(next) <= mayMiss
  })
  const heldSinceMs = after[held]?.dueAtMs
  const half = backlogAt(endMs / 2)
  const backlogAtEnd = backlogAt(endMs)
  return {
    times,
    perSecond,
    forSeconds,
    requests: during.length,
    answered: samples.filter(({ isAnswered }) => isAnswered).length,
    turnedAway: samples.filter(({ isTurnedAway }) => isTurnedAway === true).length,
    failed: samples.filter(({ isAnswered, isTurnedAway }) => !isAnswered && isTurnedAway !== true).length,
    backlogAtEnd,
    backlogPerSecond: (backlogAtEnd - half) / (forSeconds / 2),
    // Nobody waits where the first one after the end is in time.
    recoverySeconds: heldSinceMs === undefined ? null : held === 0 ? 0 : (heldSinceMs - endMs) / 1000,
    tooFewAfterwards:
      after.length < requestsInARow ? { requests: after.length, misses: missesOf(after) } : null,
    isAlive: after.at(-1)?.isAnswered ?? samples.at(-1)?.isAnswered ?? false,
    differing: accuracy.differing,
    crossed: accuracy.crossed,
    emptied: accuracy.emptied,
    compared: accuracy.compared,
  }
}
