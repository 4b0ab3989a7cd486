import type { FailureCode } from '#contract'

/** What a service tells whoever listens. Holds no token, no transcript and no file name. */
export type ServiceEvent =
  | { readonly kind: 'listening'; readonly baseUrl: string; readonly discoveryPath: string }
  | {
      readonly kind: 'answered'
      readonly method: string
      /** The endpoint's path with `:id` for ids, or null for a route that does not exist. */
      readonly route: string | null
      readonly httpStatus: number
      /** Null for a success. */
      readonly code: FailureCode | null
      readonly durationMs: number
    }
  | { readonly kind: 'modelLoaded'; readonly model: string; readonly durationMs: number }
  | { readonly kind: 'warmUpFailed'; readonly model: string; readonly reason: string }
  /** A language model gave no answer, and the text stayed as it was. */
  | { readonly kind: 'postProcessingFailed'; readonly provider: string | null; readonly reason: string }
  /** A bug of ours, or something in the surroundings that we did not foresee. */
  | { readonly kind: 'fault'; readonly error: unknown }
  | { readonly kind: 'stopped' }
