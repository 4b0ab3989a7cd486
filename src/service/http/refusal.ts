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
    }
  | { readonly kind: 'bare'; readonly httpStatus: number }

export function envelope(
  code: FailureCode,
  message: string,
  { hint = null, httpStatus = 200 }: { readonly hint?: string | null; readonly httpStatus?: number } = {},
): Refusal {
  return { kind: 'envelope', httpStatus, code, message, hint }
}

/** A failed outcome with an envelope. */
export function refused(
  code: FailureCode,
  message: string,
  hint: string | null = null,
): Outcome<never, Refusal> {
  return failed(envelope(code, message, { hint }))
}
