/** What an alignment found, in words or in characters. */
export interface ErrorCounts {
  readonly hits: number
  readonly substitutions: number
  readonly deletions: number
  readonly insertions: number
}
