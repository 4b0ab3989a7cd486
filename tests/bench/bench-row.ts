/** One figure of `npm run bench`, beside what it is held against. */
export interface BenchRow {
  readonly name: string
  /** Ours, with its unit. */
  readonly value: string
  /** The baseline of the same run, with its unit. */
  readonly baseline: string
  /** ours / baseline; null where that means nothing. */
  readonly ratio: number | null
  readonly goal: string
  readonly met: boolean
}
