/** A two-sided interval and how it was made. */
export interface Interval {
  readonly low: number
  readonly high: number
  /** 0..1, as 0.95. */
  readonly confidence: number
  readonly method:
    | 'bootstrap-by-utterance'
    | 'bootstrap-by-speaker'
    | 'order-statistics'
    | 'wilson'
    | 'runs'
    | 'pairs-of-turns'
    | 'paired-shares'
}
