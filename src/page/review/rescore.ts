import type { PageAttempt, PageUtterance } from '#reports/page'
import { addCounts, type ErrorCounts, noErrors, type Profile, scoreUtterance } from '#scoring'

/** An utterance scored against another reference, by the scorer that made the first counts. */
export function withReference(row: PageUtterance, reference: string, profile: Profile): PageUtterance {
  if (reference === row.reference) return row
  const counted = row.texts.map(
    (hypothesis) =>
      scoreUtterance({ id: row.id, reference, hypothesis, language: row.language }, { profile })[
        profile.leads
      ],
  )
  const attempts = row.attempts.map((attempt): PageAttempt => {
    const [contender, round, text, failure, latencyMs] = attempt
    const counts = text === null ? null : (counted[text] ?? null)
    if (counts === null) return attempt
    const { hits, substitutions, deletions, insertions } = counts
    return [contender, round, text, failure, latencyMs, hits, substitutions, deletions, insertions]
  })
  return { ...row, reference, attempts }
}

/** Errors of the leading rate of every contender over all scored attempts. */
export function boardOf(rows: Iterable<PageUtterance>, contenderCount: number): ErrorCounts[] {
  const board: ErrorCounts[] = Array.from({ length: contenderCount }, () => noErrors)
  for (const { attempts } of rows) {
    for (const [contender, , , , , hits, substitutions = 0, deletions = 0, insertions = 0] of attempts) {
      if (hits === undefined) continue
      const before = board[contender] ?? noErrors
      board[contender] = addCounts(before, { hits, substitutions, deletions, insertions })
    }
  }
  return board
}

/** Words that a correction changes: edits from one text to the other. */
export function changedWords(before: string, after: string, profile: Profile): number {
  const { words } = scoreUtterance({ id: '', reference: before, hypothesis: after }, { profile })
  return words === null ? 0 : words.substitutions + words.deletions + words.insertions
}
