/** Differences inside ± margin count as none. Rates in rate (0.002 is 0.2 percentage points), speeds as a share. */
export interface Margins {
  readonly wer: number
  readonly cer: number
  /** Of latencies, and of their fixed and per-second parts. */
  readonly latency: number
  readonly rtfx: number
}

/** What is told apart where nobody says otherwise: 0.2 points, 5 % of a latency, 2 % of the throughput. */
export const defaultMargins: Margins = { wer: 0.002, cer: 0.002, latency: 0.05, rtfx: 0.02 }
