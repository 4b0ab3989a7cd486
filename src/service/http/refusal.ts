import type { FailureCode } from '#contract'
import { failed, type Outcome } from '#prelude'

/** Why a request gets no answer: a failure of the closed set, or a bare HTTP status. */
export type Refusal =
  | {
      readonly kind: 'envelope'
      /** 200 for every failure of the work itself; 4xx where the protocol was not kept. */
      readonly httpStatus: number
      readonly code: FailureCode
      readonly message: string
      readonly hint: string | null
      /** Sent as the header `Retry-After`; null where nothing is known of it. */
      readonly retryAfterSeconds: number | null
    }
  | { readonly kind: 'bare'; readonly httpStatus: number }

type RefusalDetails = Partial<
  Pick<Extract<Refusal, { kind: 'envelope' }>, 'hint' | 'httpStatus' | 'retryAfterSeconds'>
>

export function envelope(
  code: FailureCode,
  message: string,
  { hint = null, httpStatus = 200, retryAfterSeconds = null }: RefusalDetails = {},
): Refusal {
  return { kind: 'envelope', httpStatus, code, message, hint, retryAfterSeconds }
}

/** A failed outcome with an envelope. */
export function refused(
  code: FailureCode,
  message: string,
  hint: string | null = null,
): Outcome<never, Refusal> {
  return failed(envelope(code, message, { hint }))
}
