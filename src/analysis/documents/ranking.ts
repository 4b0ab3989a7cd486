/** The places, from 1 for the fewest errors, that a contender may hold. */
export interface RankBand {
  readonly contenderId: string
  readonly firstPlace: number
  readonly lastPlace: number
}

/** Where contenders stand among each other, as far as their utterances tell. */
export interface Ranking {
  readonly metric: 'wer.all' | 'cer.all'
  /** All bands are right together with this probability. */
  readonly confidence: number
  /** Pairs of contenders that it was shared out among. */
  readonly comparisonCount: number
  /** The lowest rate first: the order of every table, and the two best of the first sentence. */
  readonly bands: readonly RankBand[]
  /** Every two of which one surely makes fewer errors. */
  readonly resolved: readonly { readonly better: string; readonly worse: string }[]
}
