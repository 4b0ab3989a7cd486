import { billedSeconds } from '#capacity/cost'
import type { BillingRules } from '#capacity/prices'
import { unsentTimes } from '#client/exchange'
import { isBillable } from '#contract/failures'
import type { ModelEntry } from '#contract/resources'
import type { AttemptLine } from '#journal/attempt-line'
import type { PlannedRequest } from '#journal/plan-line'
import type { RecordedRun } from '#journal/run-reader'
import type { Clock } from '#load/clock'
import { failed, formatAbove, type Problem } from '#prelude'
import { runErrors } from './errors.ts'
import { waitingOut } from './pace.ts'
import { readProgress } from './progress.ts'
import { findModel, type NamedModel } from './readiness.ts'
import type { Sender } from './senders.ts'

/** A contender with its price per minute of audio. */
export interface Priced extends NamedModel {
  readonly id: string
  /** Price from the config or the price list; null if neither has one. */
  readonly usdPerMinute: number | null
  /** Rules for rounding lengths before they are billed; null if unknown, then exact lengths are used. */
  readonly billing?: BillingRules | null | undefined
}

/** Audio and cost of a plan for one billed contender, warm-up included. */
export type Bill = ReturnType<typeof billPlan>[number]

/** Whether a contender is billed: its model is a provider's, or the config gives it a price. */
export function isBilled(contender: Priced, models: readonly ModelEntry[]): boolean {
  if (contender.usdPerMinute !== null) return contender.usdPerMinute > 0
  const entry = findModel(contender, models)
  return entry !== undefined && entry.provider !== 'local'
}

/**
 * Adds up the bills of the plan.
 *
 * @param maxMinutes of all billed contenders together
 * @throws BenchError BILLED_MINUTES_EXCEEDED before anything is sent
 */
export function billPlan(
  billed: readonly Priced[],
  requests: readonly PlannedRequest[],
  audioSeconds: Pick<ReadonlyMap<string, number>, 'get'>,
  maxMinutes: number,
) {
  const bills = billed.map(({ id, usdPerMinute, billing }) => {
    const lengths = requests
      .filter(({ contenderId }) => contenderId === id)
      .map(({ utteranceId }) => audioSeconds.get(utteranceId) ?? 0)
    const billedLengths =
      billing == null ? lengths : lengths.map((seconds) => billedSeconds(billing, seconds))
    return {
      contenderId: id,
      /** Minutes of audio before rounding. */
      minutes: addUp(lengths) / 60,
      /** Null if no price is known. */
      usd: usdPerMinute === null ? null : (addUp(billedLengths) / 60) * usdPerMinute,
    }
  })
  const minutes = bills.reduce((sum, bill) => sum + bill.minutes, 0)
  if (minutes <= maxMinutes) return bills
  const problems = bills.map(
    (bill): Problem => ({
      where: bill.contenderId,
      what: `${bill.minutes.toFixed(1)} minutes${bill.usd === null ? '' : `, about ${bill.usd.toFixed(2)} USD`}`,
    }),
  )
  throw runErrors.make('BILLED_MINUTES_EXCEEDED', {
    message: `the plan would send ${formatAbove(minutes, maxMinutes)} minutes of audio to providers that bill it; at most ${maxMinutes} are allowed`,
    hint: `measure fewer rounds or utterances, or allow more: --max-billed-minutes ${Math.ceil(minutes)}`,
    problems,
  })
}

/**
 * Checks that the rest of a resumed run fits under its cap together with what was sent before. The warm-up is sent again,
 * so it may not.
 *
 * @param resume command that resumes the run
 * @throws BenchError BILLED_MINUTES_EXCEEDED before anything is sent
 */
export function checkRest(
  { requests, bills }: Readonly<{ requests: readonly PlannedRequest[]; bills: readonly Bill[] }>,
  { attempts, reused }: Pick<RecordedRun, 'attempts' | 'reused'>,
  audioSeconds: ReadonlyMap<string, number>,
  cap: {
    readonly maxMinutes: number
    readonly waitedOutIds: ReadonlySet<string>
    readonly resume: string
  },
): void {
  const { maxMinutes, waitedOutIds, resume } = cap
  const billedIds = new Set(bills.map(({ contenderId }) => contenderId))
  const answered = new Set(reused.map(({ index }) => index))
  // Retries are not part of the plan, so they are cut off at the cap in this segment as in the first.
  const waitsOut = waitingOut(waitedOutIds)
  const progress = { earlier: attempts, answered }
  const { isDone } = readProgress(requests, progress, { mayFollow: waitsOut, waitsOut })
  const rest = requests.filter((request) => billedIds.has(request.contenderId) && !isDone(request))
  const before = sentSeconds(attempts, billedIds) / 60
  const left = addUp(rest.map(({ utteranceId }) => audioSeconds.get(utteranceId) ?? 0)) / 60
  if (before + left <= maxMinutes) return
  throw runErrors.make('BILLED_MINUTES_EXCEEDED', {
    message:
      `${before.toFixed(1)} minutes of audio were sent to providers that bill it, and the rest, with another warm-up, ` +
      `has ${left.toFixed(1)}: ${formatAbove(before + left, maxMinutes)} in all; at most ${maxMinutes} are allowed`,
    hint: `allow more: ${resume} --max-billed-minutes ${Math.ceil(before + left)}`,
  })
}

/** Seconds of audio that was sent to billed contenders, according to the journal. */
export function sentSeconds(attempts: readonly AttemptLine[], billedIds: ReadonlySet<string>): number {
  const billed = attempts.filter(
    ({ contenderId, outcome }) => billedIds.has(contenderId) && (outcome.ok || isBillable(outcome.failure)),
  )
  return addUp(billed.map(({ audioSeconds }) => audioSeconds))
}

function addUp(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0)
}

/**
 * A sender that never sends more audio to billed contenders than allowed, repeats included. A request beyond the
 * limit is not sent and fails as `unsendable`.
 *
 * @param cap the contenders whose audio counts, and what earlier segments of the run have sent to them
 */
export function cappedSender(
  sender: Sender,
  cap: {
    readonly billedIds: ReadonlySet<string>
    readonly maxMinutes: number
    readonly sentSeconds: number
    readonly clock: Clock
  },
): Sender {
  const { billedIds, maxMinutes, clock } = cap
  let { sentSeconds } = cap
  return {
    get baseUrl() {
      return sender.baseUrl
    },
    audioSeconds: sender.audioSeconds,
    modeId: sender.modeId,
    isAlive: sender.isAlive,
    rehearse: async (request) => sender.rehearse?.(request),
    parts: sender.parts,
    async send(request, call) {
      if (!billedIds.has(request.contenderId)) return sender.send(request, call)
      const seconds = sender.audioSeconds(request)
      if (sentSeconds + seconds > maxMinutes * 60) {
        const reason = `${maxMinutes} minutes of audio, which is all that may be billed, have been sent`
        return {
          outcome: failed({ kind: 'unsendable', reason } as const),
          times: unsentTimes(clock),
          bodyBytes: 0,
          transport: 'base64',
        }
      }
      sentSeconds += seconds
      const sent = await sender.send(request, call)
      if (!sent.outcome.ok && !isBillable(sent.outcome.failure)) sentSeconds -= seconds
      return sent
    },
  }
}
