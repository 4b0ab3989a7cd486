import type { PageAttempt, PageScoring, PageUtterance } from '#reports/page'
import { errorCount, errorRate, noErrors, referenceLength } from '#scoring/counts'
import { extendProfile } from '#scoring/profiles/extension'
import { findRecordedProfile } from '#scoring/profiles/index'
import type { Profile } from '#scoring/profiles/profile'
import type { ErrorCounts } from '#scoring/shapes'

/** The results of one contender for one utterance, over all rounds. */
export interface Cell {
  /** Errors of the leading rate, and the length of the reference, summed over the scored attempts. */
  readonly errors: number
  readonly length: number
  readonly scoredCount: number
  readonly failedCount: number
}

/** An utterance with the figures that the list shows. */
export interface Item {
  readonly row: PageUtterance
  /** Position in the plan. */
  readonly order: number
  /** Cells by contender, in the order of the config. */
  readonly cells: readonly Cell[]
  /** Mean errors per attempt, summed over the contenders. */
  readonly errors: number
  /** Largest minus smallest error rate of the contenders; 0 with fewer than two. */
  readonly spread: number
  /** How much it could change the ranking of the contenders; 0 outside a review. */
  readonly influence: number
  /** Whether its reference is suspect, or has conflicting corrections, and is undecided; false outside a review. */
  readonly isUndecided: boolean
  /** Whether an engine wrote its reference and nobody has reviewed it; false outside a review of a corpus. */
  readonly isDraft: boolean
  readonly isFailed: boolean
  /** Whether an answer to it has more errors than words, as in the figure of these utterances. */
  readonly isOver100: boolean
}

/** Computes the figures of an utterance for the list. */
export function listed(row: PageUtterance, order: number, contenderCount: number): Item {
  const byContender: PageAttempt[][] = Array.from({ length: contenderCount }, () => [])
  for (const attempt of row.attempts) byContender[attempt[0]]?.push(attempt)
  const cells = byContender.map(makeCell)
  const rates = cells.flatMap(listRates)
  return {
    row,
    order,
    cells,
    errors: cells.reduce((sum, { errors, scoredCount }) => sum + errors / Math.max(1, scoredCount), 0),
    spread: rates.length < 2 ? 0 : Math.max(...rates) - Math.min(...rates),
    influence: 0,
    isUndecided: false,
    isDraft: false,
    isFailed: cells.some(({ failedCount }) => failedCount > 0),
    isOver100: row.attempts.some((attempt) => (errorRate(attemptCounts(attempt) ?? noErrors) ?? 0) > 1),
  }
}

/** The error rate of a cell as a list of one; empty if there is none. */
export function listRates({ errors, length }: Cell): readonly number[] {
  return length === 0 ? [] : [errors / length]
}

/** The counts of an attempt by the leading rate; null if nothing was scored. */
export function attemptCounts([, , , , , ...counts]: PageAttempt): ErrorCounts | null {
  const [hits, substitutions = 0, deletions = 0, insertions = 0] = counts
  return hits === undefined ? null : { hits, substitutions, deletions, insertions }
}

function makeCell(attempts: readonly PageAttempt[]): Cell {
  let [errors, length, scoredCount, failedCount] = [0, 0, 0, 0]
  for (const attempt of attempts) {
    const [, , , failure] = attempt
    const counts = attemptCounts(attempt)
    if (failure !== null) failedCount += 1
    if (counts !== null) {
      scoredCount += 1
      errors += errorCount(counts)
      length += referenceLength(counts)
    }
  }
  return { errors, length, scoredCount, failedCount }
}

/** The properties of a run or a corpus that its list of utterances needs. */
export interface Subject {
  /** Contenders in the order of the config; empty for a corpus alone. */
  readonly contenders: readonly string[]
  readonly failures: readonly string[]
  /** The profile by which texts are aligned and counted. */
  readonly profile: Profile
  /** False if the figures were made with rules that the page lacks. */
  readonly isProfileComplete: boolean
  readonly utteranceCount: number
}

/** The profile with the added rules, as the scorer expects it. */
export function findScoringProfile({ profileId, rules }: PageScoring): Profile {
  return rules.reduce(
    (profile, added) => extendProfile(profile, added.rules, added.name),
    findRecordedProfile(profileId),
  )
}

const prefix = '#utterance='

/** The fragment of links to one utterance. */
export function utteranceAddress(id: string): string {
  return prefix + encodeURIComponent(id)
}

/** The utterance that a fragment names; null if it names none. */
export function addressedUtterance(hash: string): string | null {
  if (!hash.startsWith(prefix)) return null
  try {
    return decodeURIComponent(hash.slice(prefix.length))
  } catch {
    // A malformed escape sequence names no utterance.
    return null
  }
}
