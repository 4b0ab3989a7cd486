import type { ErrorRate, TextScore } from '#rates'
import { type ErrorLevel, leadingFirst } from '#scoring/counting'

/** The error rates that were counted, the leading one first. */
export function shownRates(
  score: Pick<TextScore, 'profile' | 'words' | 'characters'>,
): readonly { readonly level: ErrorLevel; readonly rate: ErrorRate }[] {
  return leadingFirst(score.profile.leads).flatMap((level) => {
    const rate = score[level]
    return rate === null ? [] : [{ level, rate }]
  })
}
