/** One measured attempt as the metrics count it. */
export interface LiveAttempt {
  readonly contenderId: string
  /** From the due moment (open load) or the sending (closed load) to the last byte. */
  readonly latencySeconds: number
  readonly sendLagSeconds: number
  /** The word that a failure is counted by; null where it was answered. */
  readonly failure: string | null
}

/** What has happened since the last batch. */
export interface LiveBatch {
  readonly kind: 'batch'
  readonly attempts: readonly LiveAttempt[]
  readonly inFlight: number
  /** Of the answers so far; empty where scoring would disturb the sending. */
  readonly errorRates: readonly { readonly contenderId: string; readonly rate: number }[]
  /** Null where the process of the server is not visible. */
  readonly serverCpuSeconds: number | null
  readonly serverResidentBytes: number | null
}

/** Messages to the thread that sends metrics, in this order. */
export type LiveMessage =
  | {
      readonly kind: 'begin'
      /** Where metrics go: the address of a collector. */
      readonly url: string
      /** What all figures belong to. */
      readonly attributes: Readonly<Record<string, string>>
      /** `wer` or `cer`. */
      readonly errorMetric: string
    }
  | LiveBatch
  | { readonly kind: 'end' }

/** What the thread answers: why figures do not arrive. */
export interface LiveProblem {
  readonly problem: string
}
