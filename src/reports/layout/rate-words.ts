import type { ContenderComparison, Ranking, RateComparison } from '#analysis'
import type { ErrorLevel } from '#scoring/counting'

interface RateWords {
  /** As a column says it. */
  readonly short: 'WER' | 'CER'
  readonly long: string
  /** What errors are counted in; the plural has an s. */
  readonly unit: 'word' | 'character'
}

/** What the two error rates are called. */
export const rateWords: Readonly<Record<ErrorLevel, RateWords>> = {
  words: { short: 'WER', long: 'word error rate', unit: 'word' },
  characters: { short: 'CER', long: 'character error rate', unit: 'character' },
}

/** What the rate of a metric is called. */
export function wordsOfMetric(metric: RateComparison['metric'] | Ranking['metric']): RateWords {
  return rateWords[metric.startsWith('wer') ? 'words' : 'characters']
}

/** What the leading rate of two contenders is called: it comes first among their rates. */
export function leadingWords({ rates: [first] }: Pick<ContenderComparison, 'rates'>): RateWords {
  return wordsOfMetric(first?.metric ?? 'wer')
}
