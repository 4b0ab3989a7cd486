import type { ErrorLevel } from './profiles/profile.ts'

/** Ids of the metrics. */
export const rateMetrics: Readonly<Record<ErrorLevel, 'wer' | 'cer'>> = { words: 'wer', characters: 'cer' }

/** Both levels, the leading one first: the order of rates on every screen and in every table. */
export function leadingFirst(leads: ErrorLevel): readonly [leading: ErrorLevel, other: ErrorLevel] {
  return leads === 'words' ? ['words', 'characters'] : ['characters', 'words']
}

/** The rates of a contender that rankings look at. */
interface RankedRates<Rate> {
  readonly characters: Rate
  readonly wordsWithFailuresAsEmpty: Rate
  /** Undefined in a document of an older version, in which words lead. */
  readonly charactersWithFailuresAsEmpty?: Rate | undefined
}

/** An error rate with every failed request as an empty transcript: contenders are ranked by it. */
export function rateOfAll<Rate>(rates: RankedRates<Rate>, level: ErrorLevel): Rate {
  const { characters, wordsWithFailuresAsEmpty, charactersWithFailuresAsEmpty = characters } = rates
  return level === 'words' ? wordsWithFailuresAsEmpty : charactersWithFailuresAsEmpty
}
