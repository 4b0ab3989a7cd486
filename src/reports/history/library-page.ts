import type { History } from '#analysis'
import type { ErrorLevel } from '#scoring'
import { pageFormatVersion } from '../layout/page-version.ts'
import { counted } from '../layout/units.ts'
import { type HistoryPage, historyPage } from './history-page.ts'

/** What a list of runs says of a contender. */
export interface LibraryContender {
  readonly id: string
  /** The leading one. */
  readonly errorRate: {
    readonly value: number
    readonly interval: { readonly low: number; readonly high: number } | null
  } | null
  readonly failureRate: number | null
  readonly speed: number | null
  readonly latencyP50Ms: number | null
}

/** A run of a results folder, as its summary tells of it. */
export interface LibraryRun {
  /** The name of its folder. */
  readonly id: string
  /** Null where the run has no score that can be read. */
  readonly summary: {
    readonly name: string
    /** ISO 8601, UTC. */
    readonly startedAt: string
    readonly validity: string
    readonly corpus: string
    readonly load: string
    readonly leads: ErrorLevel
    readonly contenders: readonly LibraryContender[]
  } | null
}

/** The page of a results folder. */
export interface LibraryPage {
  readonly kind: 'library'
  readonly formatVersion: number
  readonly title: string
  readonly answer: string
  /** The newest first. */
  readonly runs: readonly LibraryRun[]
  readonly history: HistoryPage
}

/** Everything that the page of a results folder shows. */
export function libraryPage(folder: string, runs: readonly LibraryRun[], history: History): LibraryPage {
  const trends = historyPage(history)
  return {
    kind: 'library',
    formatVersion: pageFormatVersion,
    title: folder,
    answer:
      runs.length === 0
        ? 'There is no run here yet.'
        : history.trends.some(({ changes }) => changes.length > 0)
          ? trends.answer
          : `${counted(runs.length, 'run')}; no figure changed for certain from one to the next.`,
    runs: runs.toSorted((a, b) => (a.id < b.id ? 1 : -1)),
    history: trends,
  }
}
