/** Decided by where the interval of the difference lies against the margin. */
export type Verdict = 'better' | 'worse' | 'equivalent' | 'unresolved'

/** What is said of a difference, with everything that it rests on. */
export interface Judgement {
  /** Null where there is nothing to judge, or the difference is described only. Sure together with all others. */
  readonly verdict: Verdict | null
  /**
   * The interval that the verdict rests on: at the confidence that it has among all verdicts of the comparison. Null
   * without a verdict. The `interval` next to it is at 95 % by itself.
   */
  readonly judgedBy: { readonly low: number; readonly high: number; readonly confidence: number } | null
  /** Of an unresolved one, the way that it goes for certain; whether by more than the margin is open. */
  readonly direction: 'better' | 'worse' | null
  /**
   * About how many more would settle an unresolved one, if what was measured is true: runs a side of a speed, utterances of
   * a rate, requests of failures. Null where that is not known, or more than a thousand.
   */
  readonly moreNeeded: number | null
}
