import type { AttemptLine, PlannedRequest, RunCounts } from '#journal'
import type { MeasurePlan } from '#session/plan'

/** The last request that warmed a contender up, and how far the run was then. */
export interface WarmUp {
  readonly line: AttemptLine
  readonly counts: RunCounts
}

/** In seconds. */
export interface TimeSpan {
  readonly low: number
  readonly high: number
}

export interface KnownTimes {
  /** Of the utterances, by id. */
  readonly audioSeconds: Pick<ReadonlyMap<string, number>, 'get'>
  /** By contender. */
  readonly warmedBy: ReadonlyMap<string, WarmUp>
}

/**
 * How long measuring will take if every contender goes on as it ended its warm-up. One request does not show how much of
 * its time depends on its length and how much is a constant per request:
 *
 *   all of it with every request    requests × time
 *   all of it with the length       audio of the requests × time / audio of the warm-up
 *
 * The truth lies between the two, and, with several in flight, between a server that answers one after the other and
 * one that answers all of them at once.
 *
 * @returns null where the plan itself fixes its duration, and where a contender did not answer
 */
export function expectedTime(
  {
    requests,
    load,
    schedule,
    contenders,
  }: Pick<MeasurePlan, 'requests' | 'load' | 'schedule' | 'contenders'>,
  { audioSeconds: lengths, warmedBy }: KnownTimes,
): TimeSpan | null {
  if (load.kind !== 'closed' || schedule.requestCount() !== null || warmedBy.size === 0) return null
  const measured = requests.filter(({ phase }) => phase === 'measure')
  let [low, high] = [0, 0]
  // Of a run that is resumed, only the rest.
  let share = 1
  for (const own of [...Map.groupBy(measured, (request) => request.contenderId).values()]) {
    const { contenderId = '' } = own.at(0) ?? {}
    const warmUp = warmedBy.get(contenderId)
    // Given up: it is sent nothing more.
    if (warmUp === undefined) continue
    if (!warmUp.line.outcome.ok) return null
    const { sentAtMs, endedAtMs, audioSeconds, outcome } = warmUp.line
    const seconds = Math.max(0, endedAtMs - sentAtMs - (outcome.answer.serverLoadMs ?? 0)) / 1000
    const byRequest = own.length * seconds
    const byLength = audioSeconds === 0 ? byRequest : (audioOf(own, lengths) / audioSeconds) * seconds
    const { concurrency = load.concurrency } = contenders.find(({ id }) => id === contenderId) ?? {}
    low += Math.min(byRequest, byLength) / concurrency
    high += Math.max(byRequest, byLength)
    share = warmUp.counts.notSent / warmUp.counts.planned
  }
  return { low: low * share, high: high * share }
}

function audioOf(
  requests: readonly PlannedRequest[],
  lengths: Pick<ReadonlyMap<string, number>, 'get'>,
): number {
  return requests.reduce((sum, { utteranceId }) => sum + (lengths.get(utteranceId) ?? 0), 0)
}
