import type { Overload } from '../document/found-strains.ts'
import { allowance, isMiss, type Objective } from '../objective.ts'
import type { LevelSample } from '../simulation/loaded-server.ts'
import type { LevelAccuracy } from './sweep.ts'

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
    // No backlog if the first request after the end is in time.
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
