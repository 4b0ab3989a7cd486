import { stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import pLimit from 'p-limit'
import { type HistoryFigure, isTimed } from '#analysis'
import { listRuns, readRecord, runFiles } from '#journal'
import { type HistoryIndex, type IndexedRun, withHistoryIndex } from './history-index.ts'
import { readRunSummary } from './run-summaries.ts'
import { newestSummaryPath } from './score-run.ts'

export interface History {
  readonly figures: readonly HistoryFigure[]
  readonly runCount: number
  /** Names of run folders without a score that can be read: never finished, invalid, or of another version. */
  readonly leftOut: readonly string[]
}

/**
 * The figures of all runs of a folder, from the summaries next to their journals. Nothing is scored again, so a million
 * attempts cost as much as ten; and an index keeps what was read, so that only summaries are read that were written
 * since.
 *
 * @param metrics ids of those that are wanted; `leading` and `other` are the error rates of each run by which one leads
 */
export async function readHistory(results: string, metrics: readonly string[]): Promise<History> {
  const folders = await listRuns(results)
  if (folders.length === 0) return { figures: [], runCount: 0, leftOut: [] }
  return await withHistoryIndex(results, async (index) => {
    await renewIndex(index, folders)
    return { figures: index.figures(metrics), runCount: index.runCount(), leftOut: index.leftOut() }
  })
}

/** Reads what has changed since the index was last used. */
async function renewIndex(index: HistoryIndex, folders: readonly string[]): Promise<void> {
  const known = index.stamps()
  const names = new Set(folders.map((folder) => basename(folder)))
  const limit = pLimit(16)
  const looked = await Promise.all(
    folders.map((folder) =>
      limit(async (): Promise<readonly IndexedRun[]> => {
        const name = basename(folder)
        const stamp = await stampOf(folder)
        if (known.has(name) && known.get(name) === stamp) return []
        return [{ name, stamp, ...(stamp === null ? nothingRead : await readFigures(folder)) }]
      }),
    ),
  )
  index.renew(
    looked.flat(),
    [...known.keys()].filter((name) => !names.has(name)),
  )
}

/** Null where its summary or its record is missing. */
async function stampOf(folder: string): Promise<string | null> {
  const paths = [await newestSummaryPath(folder), join(folder, runFiles.record)]
  const found = await Promise.all(paths.map((path) => stat(path, { bigint: true }).catch(() => null)))
  if (found.some((each) => each === null)) return null
  return found.map((each) => `${each?.mtimeNs} ${each?.size} ${each?.ino}`).join(' ')
}

const nothingRead = { leads: 'words', figures: null } as const

/** The figures are null where the run is not to be counted; `transcribench score` gives a run its figures again. */
async function readFigures(folder: string): Promise<Pick<IndexedRun, 'leads' | 'figures'>> {
  const summary = await readRunSummary(folder)
  // `report` refuses a run whose record cannot be read, and so does a history.
  const isReadable = await readRecord(folder).then(
    () => true,
    () => false,
  )
  if (summary === null || !isReadable || summary.validity === 'invalid') return nothingRead
  const { run, profile, corpus, load, speeds, corrections } = summary
  const machine = `${run.cpuModel}, ${run.cpuCount} processors`
  const corpusName = `${corpus.name} (${corpus.fingerprint.slice(0, 12)})`
  // Other references make another figure, and another server is another one: such runs are another line.
  const corrected =
    corrections == null || corrections.correctedCount === 0
      ? []
      : [`corrected references ${corrections.fingerprint.slice(0, 8)}`]
  const server = run.target === undefined || run.target === 'embedded' ? [] : [run.target]
  const conditions = [corpusName, profile.id, ...corrected, load.description, machine, ...server].join(' · ')
  const figures = summary.contenders.flatMap(({ id, metrics }) =>
    Object.entries(metrics).flatMap(([metric, { value, interval = null }]) => {
      if (value === null) return []
      const { startedAt } = run
      const bounds = interval === null ? null : { low: interval.low, high: interval.high }
      const withheld = isTimed(metric) ? speeds.withheld : null
      const figure = { runId: basename(folder), startedAt, contenderId: id, metric, value }
      return [{ ...figure, interval: bounds, conditions, withheld }]
    }),
  )
  return { leads: profile.leads, figures }
}
