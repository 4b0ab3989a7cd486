import type { BoardRow, CorrectionRequest, PageAttempt, PageCorrection, PageUtterance } from '#reports/page'
import { addCounts, errorCount, noErrors, referenceLength } from '#scoring/counts'
import type { Profile } from '#scoring/profiles/profile'
import { scoreUtterance } from '#scoring/score-utterance'
import type { ErrorCounts } from '#scoring/shapes'
import { attemptCounts, type Cell, type Item } from './library.ts'

/** State and actions of a review, for pages that may correct references. */
export interface Review {
  readonly isBlind: boolean
  readonly corrections: ReadonlyMap<string, readonly PageCorrection[]>
  /** Utterances whose reference is suspect, or has conflicting corrections, and is still undecided. */
  readonly undecidedIds: ReadonlySet<string>
  /** Utterances whose texts were visible in this session, so that a text typed for them is not blind. */
  readonly seenIds: ReadonlySet<string>
  /** The items with their current references. */
  revise(items: readonly Item[]): readonly Item[]
  /** Called while a user types, so that the table shows the rates of the draft. */
  onDraft(draft: { readonly utteranceId: string; readonly text: string } | null): void
  onSeen(utteranceId: string): void
  correct(request: CorrectionRequest): Promise<void>
}

/** Origin of a reference. */
export type Origin = 'given' | 'engine' | 'correctedFrom' | 'corrected' | 'blind'

/**
 * The origin of a reference: typed from the recording alone, corrected by a person who saw the answers of contenders
 * (and from whose text), identical to a contender's text, or as the corpus gives it.
 *
 * @param original the reference of the run, before any correction
 * @param selfReferences contenders whose own text the references are, by the audit of the run
 */
export function findOrigin(
  { texts, attempts }: PageUtterance,
  original: string,
  corrections: readonly PageCorrection[],
  selfReferences: readonly number[],
): Origin {
  const place = texts.findIndex((text) => text.trim() === original.trim())
  const isOfContender =
    place >= 0 && attempts.some(([contender, , text]) => text === place && selfReferences.includes(contender))
  const last = corrections.at(-1)
  if (last === undefined || last.after === original) return isOfContender ? 'engine' : 'given'
  if (last.seen === 'blind') return 'blind'
  return isOfContender ? 'correctedFrom' : 'corrected'
}

/**
 * How much an utterance could change the ranking: the maximum over neighbours of the difference of its errors, as a
 * share of their total difference.
 */
export function measureInfluence(cells: readonly Cell[], board: readonly ErrorCounts[]): number {
  const ranked = board
    .map((counts, index) => ({ index, errors: errorCount(counts), words: referenceLength(counts) }))
    .filter(({ words }) => words > 0)
    .sort((a, b) => a.errors / a.words - b.errors / b.words)
  let influence = 0
  for (const [at, worse] of ranked.entries()) {
    const better = ranked[at - 1]
    if (better === undefined) continue
    const difference = Math.abs((cells[worse.index]?.errors ?? 0) - (cells[better.index]?.errors ?? 0))
    influence = Math.max(influence, difference / Math.max(1, worse.errors - better.errors))
  }
  return influence
}

/** The order of contenders on a board, the best first; those without a rate last. */
export function rankRates(rates: readonly (number | null)[]): number[] {
  return rates
    .map((rate, index) => ({ rate: rate ?? Number.MAX_VALUE, index }))
    .sort((a, b) => a.rate - b.rate || a.index - b.index)
    .map(({ index }) => index)
}

export type Board = readonly BoardRow[]

/**
 * Utterances that need a decision: suspect references that are neither confirmed nor corrected, and references with
 * conflicting corrections of two people. Undoing a correction makes its reference undecided again.
 *
 * @param doubtIds references that all contenders contradict with the same words
 */
export function undecided(
  doubtIds: readonly string[],
  corrections: ReadonlyMap<string, readonly PageCorrection[]>,
): ReadonlySet<string> {
  const conflicts = [...corrections].flatMap(([id, lines]) =>
    heads(lines[0]?.before ?? '', lines).length > 1 ? [id] : [],
  )
  const open = doubtIds.filter((id) => {
    const lines = corrections.get(id) ?? []
    const last = lines.at(-1)
    return last === undefined || (last.after === lines[0]?.before && last.before !== last.after)
  })
  return new Set([...conflicts, ...open])
}

/**
 * The texts of a reference that no correction has replaced, in the order in which they were made. Usually there is
 * one. Two mean that two people corrected the same text differently; the last one counts until one is chosen.
 *
 * @param corrections of this utterance, in the order of the file
 */
export function heads(reference: string, corrections: readonly PageCorrection[]): readonly string[] {
  let open: readonly string[] = [reference]
  for (const { before, after } of corrections) {
    open = [...open.filter((text) => text !== before && text !== after), after]
  }
  return open
}

/** The current reference. */
export function currentText(reference: string, corrections: readonly PageCorrection[]): string {
  return heads(reference, corrections).at(-1) ?? reference
}

/**
 * The last correction that is not undone, so that undoing several times goes back as an editor does. An undone
 * correction is followed by its reverse. A confirmation leaves the reference unchanged, so there is nothing to undo.
 */
export function lastInForce(lines: readonly PageCorrection[]): PageCorrection | undefined {
  const inForce: PageCorrection[] = []
  for (const line of lines) {
    if (line.before === line.after) continue
    const last = inForce.at(-1)
    const isUndo =
      last?.utteranceId === line.utteranceId && last.before === line.after && last.after === line.before
    if (isUndo) inForce.pop()
    else inForce.push(line)
  }
  return inForce.at(-1)
}

/** An utterance scored against another reference, by the same scorer as the first counts. */
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
export function countBoard(rows: Iterable<PageUtterance>, contenderCount: number): ErrorCounts[] {
  const board: ErrorCounts[] = Array.from({ length: contenderCount }, () => noErrors)
  for (const { attempts } of rows) {
    for (const attempt of attempts) {
      const [contender] = attempt
      const counts = attemptCounts(attempt)
      if (counts !== null) board[contender] = addCounts(board[contender] ?? noErrors, counts)
    }
  }
  return board
}

/** Number of words that a correction changes: edits from one text to the other. */
export function changedWords(before: string, after: string, profile: Profile): number {
  const { words } = scoreUtterance({ id: '', reference: before, hypothesis: after }, { profile })
  return words === null ? 0 : words.substitutions + words.deletions + words.insertions
}
