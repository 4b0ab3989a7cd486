import { isBillable, type ModelEntry } from '#contract'
import type { PlannedRequest } from '#journal'
import type { Clock } from '#load'
import { failed, type Problem } from '#prelude'
import { runErrors } from './errors.ts'
import { findModel, type NamedModel } from './find-model.ts'
import type { Sender } from './sender.ts'

/** A contender whose provider may ask money for each minute of audio. */
export interface Priced extends NamedModel {
  readonly id: string
  /** As the config says; null where it does not. */
  readonly usdPerMinute: number | null
}

/** What a plan may cost: audio of the requests to billed contenders, warm-up included. */
export interface Bill {
  readonly contenderId: string
  readonly minutes: number
  /** Null where the config names no price. */
  readonly usd: number | null
}

/** A contender is billed when its model is a provider's, or when the config gives it a price. */
export function isBilled(contender: Priced, models: readonly ModelEntry[]): boolean {
  if (contender.usdPerMinute !== null) return contender.usdPerMinute > 0
  const entry = findModel(contender, models)
  return entry !== undefined && entry.provider !== 'local'
}

/**
 * Adds up what the plan would be billed.
 *
 * @param maxMinutes of all billed contenders together
 * @throws BenchError BILLED_MINUTES_EXCEEDED before anything is sent
 */
export function billPlan(
  billed: readonly Priced[],
  requests: readonly PlannedRequest[],
  audioSeconds: ReadonlyMap<string, number>,
  maxMinutes: number,
): readonly Bill[] {
  const bills = billed.map(({ id, usdPerMinute }): Bill => {
    const seconds = requests
      .filter(({ contenderId }) => contenderId === id)
      .reduce((sum, { utteranceId }) => sum + (audioSeconds.get(utteranceId) ?? 0), 0)
    const minutes = seconds / 60
    return { contenderId: id, minutes, usd: usdPerMinute === null ? null : minutes * usdPerMinute }
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
    message: `the plan would send ${minutes.toFixed(1)} minutes of audio to providers that bill it; at most ${maxMinutes} are allowed`,
    hint: `measure fewer rounds or utterances, or allow more: --max-billed-minutes ${Math.ceil(minutes)}`,
    problems,
  })
}

export interface BillingCap {
  /** Contenders whose audio counts. */
  readonly billedIds: ReadonlySet<string>
  readonly maxMinutes: number
  /** Audio that earlier sittings of the run have sent to them. */
  readonly sentSeconds: number
  readonly clock: Clock
}

/**
 * A sender that never lets more audio go to billed contenders than allowed, repeats included: what would exceed it
 * is not sent, and fails as `unsendable`.
 */
export function cappedSender(sender: Sender, { billedIds, maxMinutes, clock, ...cap }: BillingCap): Sender {
  let { sentSeconds } = cap
  return {
    get baseUrl() {
      return sender.baseUrl
    },
    audioSeconds: sender.audioSeconds,
    modeId: sender.modeId,
    isAlive: sender.isAlive,
    async send(request, call) {
      if (!billedIds.has(request.contenderId)) return sender.send(request, call)
      const seconds = sender.audioSeconds(request)
      if (sentSeconds + seconds > maxMinutes * 60) {
        const reason = `${maxMinutes} minutes of audio, which is all that may be billed, have been sent`
        const nowMs = clock.nowMs()
        return {
          outcome: failed({ kind: 'unsendable', reason } as const),
          times: { sentAtMs: nowMs, firstByteAtMs: null, endedAtMs: nowMs },
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
