import type { PlannedRequest } from '#journal/plan-line'
import type { Clock } from '#load/clock'
import type { Sender } from './senders.ts'

/** Between two due times of a rehearsal. */
const beatMs = 10
/** Later than this, a beat has not kept its time. */
const tolerableMs = 5
/** The rehearsal is over when so many beats in a row have kept their time: 0.2 s. */
const steadyBeats = 20
/** On a machine that stays busy the rehearsal ends without that. */
const maxRehearsalMs = 2000

/**
 * Goes the way of a request that is due, up to its sending, until this process keeps its times. In the first second of a run the
 * engine of JavaScript still compiles what the start has used, in further threads, and files are read for the first time: of a short
 * open load, the first requests would leave 30 to 60 ms late, and the run would be judged by them.
 *
 * @param requests of the plan; what the first measured ones carry is read, and nothing is sent
 */
export async function rehearse({
  requests,
  sender,
  clock,
  stop,
}: {
  readonly requests: readonly PlannedRequest[]
  readonly sender: Pick<Sender, 'rehearse'>
  readonly clock: Clock
  readonly stop: AbortSignal
}): Promise<void> {
  const measured = requests.filter(({ phase }) => phase === 'measure')
  const untilMs = clock.nowMs() + maxRehearsalMs
  let inTime = 0
  for (let beat = 0; inTime < steadyBeats && clock.nowMs() < untilMs && !stop.aborted; beat += 1) {
    const dueAtMs = clock.nowMs() + beatMs
    await clock.sleepUntil(dueAtMs, stop)
    const request = measured[beat % Math.max(1, measured.length)]
    if (request !== undefined) await sender.rehearse?.(request)
    inTime = clock.nowMs() - dueAtMs <= tolerableMs ? inTime + 1 : 0
  }
}
