import { rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import pLimit from 'p-limit'
import { followedMetric, type HistoryFigure } from '#analysis/comparison/trends'
import { isTimed } from '#analysis/metrics/metrics'
import { listRuns, readRecord } from '#journal/run-reader'
import { runFiles } from '#journal/run-writer'
import { succeeds } from '#prelude'
import type { ErrorLevel } from '#scoring/profiles/profile'
import {
  describeSummaryScore,
  newestSummaryPath,
  type RunSummary,
  readRunSummary,
  readSummary,
} from './summaries.ts'

export interface History {
  readonly figures: readonly HistoryFigure[]
  readonly runCount: number
  /** Names of run folders without a readable score: unfinished, invalid, or of another version. */
  readonly leftOut: readonly string[]
}

/**
 * The figures of all runs of a folder, from the summaries next to their journals. Nothing is scored again, so the
 * number of attempts does not matter. An index caches the figures, so that only new summaries are read.
 *
 * @param metrics ids; `leading` and `other` are the error rates of each run, according to its leading rate
 * @param score name of a score to read of every run; default: the newest of each
 */
export async function readHistory(
  results: string,
  metrics: readonly string[],
  score: string | null = null,
): Promise<History> {
  const folders = await listRuns(results)
  if (folders.length === 0) return { figures: [], runCount: 0, leftOut: [] }
  // The index contains only the newest scores.
  return await withHistoryIndex(score === null ? results : null, async (index) => {
    await renewIndex(index, folders, score)
    return { figures: index.figures(metrics), runCount: index.runCount(), leftOut: index.leftOut() }
  })
}

/** Reads the summaries that have changed since the index was last used. */
async function renewIndex(
  index: HistoryIndex,
  folders: readonly string[],
  score: string | null,
): Promise<void> {
  const known = index.stamps()
  const names = new Set(folders.map((folder) => basename(folder)))
  const limit = pLimit(16)
  const looked = await Promise.all(
    folders.map((folder) =>
      limit(async (): Promise<readonly IndexedRun[]> => {
        const name = basename(folder)
        const summaryPath = await newestSummaryPath(folder)
        const stamp = await readStamp([summaryPath, join(folder, runFiles.record)])
        if (known.has(name) && known.get(name) === stamp) return []
        if (stamp === null) return [{ name, stamp, run: null }]
        const summary = await (score === null ? readSummary(summaryPath) : readRunSummary(folder, score))
        return [{ name, stamp, run: summary === null ? null : await followedRun(folder, summary) }]
      }),
    ),
  )
  index.renew(
    looked.flat(),
    [...known.keys()].filter((name) => !names.has(name)),
  )
}

/** Stamp of the files; null if one of them is missing. */
async function readStamp(paths: readonly string[]): Promise<string | null> {
  const found = await Promise.all(paths.map((path) => stat(path, { bigint: true }).catch(() => null)))
  if (found.some((each) => each === null)) return null
  return found.map((each) => `${each?.mtimeNs} ${each?.size} ${each?.ino}`).join(' ')
}

/** The figures of a run; null if they do not count. `transcribench score` can restore a summary. */
async function followedRun(folder: string, summary: RunSummary): Promise<FollowedRun | null> {
  if (summary.validity === 'invalid') return null
  // A run with an unreadable record is excluded, because `report` refuses it too.
  if (!(await succeeds(readRecord(folder)))) return null
  const { run, profile, corpus, load, speeds, contenders } = summary
  const machine = `${run.cpuModel}, ${run.cpuCount} processors`
  const corpusName = `${corpus.name} (${corpus.fingerprint.slice(0, 12)})`
  // Runs with other rules, references or servers form separate lines, because their figures are not comparable.
  const server = run.target === 'embedded' ? [] : [run.target]
  const conditions = [
    corpusName,
    ...describeSummaryScore(summary),
    load.description,
    machine,
    ...server,
  ].join(' · ')
  const { startedAt } = run
  return { startedAt, leads: profile.leads, conditions, withheld: speeds.withheld, contenders }
}

/** The data of a run that a history needs. */
interface FollowedRun extends Pick<RunSummary, 'contenders'> {
  readonly startedAt: string
  /** The leading rate of its score. */
  readonly leads: ErrorLevel
  readonly conditions: string
  /** Why its speeds and latencies are not compared; null if they are. */
  readonly withheld: string | null
}

/** The index entry of one run: its figures, or that it has no readable ones. */
interface IndexedRun {
  /** Name of the run folder. */
  readonly name: string
  /** Changes whenever the summary is rewritten; null without a summary. */
  readonly stamp: string | null
  /** Null for an excluded run. */
  readonly run: FollowedRun | null
}

/** The index with the figures of a results folder's runs, stored next to them. */
type HistoryIndex = ReturnType<typeof readIndex>

const fileName = 'history.sqlite'
/** Version of the tables below; an index of another version is rebuilt. */
const schemaVersion = 9

// A run is one row, because writing a row per figure would take longer than reading the summaries.
const schema = `
  CREATE TABLE runs (name TEXT NOT NULL UNIQUE, stamp TEXT, run TEXT) STRICT;
  PRAGMA user_version = ${schemaVersion};`

/**
 * Uses the index of a results folder. It contains only data of the summaries, so an unreadable one or one of another
 * version is rebuilt. If the folder is not writable, the index is kept in memory.
 *
 * @param results null to keep the index in memory
 * @param use is called again if the index turns out to be damaged only then
 */
async function withHistoryIndex<Value>(
  results: string | null,
  use: (index: HistoryIndex) => Promise<Value>,
): Promise<Value> {
  // The import is dynamic, because the module prints a warning when it is loaded.
  const { DatabaseSync } = await import('node:sqlite')
  const path = results === null ? null : join(results, fileName)
  const useIn = async (place: string): Promise<Value> => {
    using database = new DatabaseSync(place)
    prepare(database)
    return await use(readIndex(database))
  }
  const inMemory = (): Promise<Value> => useIn(':memory:')
  if (path === null) return await inMemory()
  return await useIn(path).catch(async () => {
    // The index is of another version, damaged, or not writable; it can be deleted without loss.
    const isGone = await succeeds(rm(path, { force: true }))
    // The folder may refuse new files.
    return isGone ? await useIn(path).catch(inMemory) : await inMemory()
  })
}

/** @throws TypeError for an index of another version */
function prepare(database: DatabaseSync): void {
  database.exec('PRAGMA busy_timeout = 10000; PRAGMA journal_mode = WAL')
  const version = Number(database.prepare('PRAGMA user_version').get()?.['user_version'])
  if (version === 0) database.exec(`BEGIN IMMEDIATE; ${schema} COMMIT`)
  else if (version !== schemaVersion) throw new TypeError(`an index of version ${version}`)
}

function readIndex(database: DatabaseSync) {
  const texts = (sql: string): readonly string[] =>
    database
      .prepare(sql)
      .all()
      .map((row) => String(row['name']))
  return {
    /** Stamps of the indexed runs, by name. */
    stamps: () =>
      new Map(
        database
          .prepare('SELECT name, stamp FROM runs')
          .all()
          .map((row) => [String(row['name']), row['stamp'] === null ? null : String(row['stamp'])]),
      ),
    /** Replaces these runs and removes missing ones, in one transaction. */
    renew(changed: readonly IndexedRun[], gone: readonly string[]) {
      const forget = database.prepare('DELETE FROM runs WHERE name = ?')
      const add = database.prepare('INSERT OR REPLACE INTO runs (name, stamp, run) VALUES (?, ?, ?)')
      database.exec('BEGIN IMMEDIATE')
      try {
        for (const name of gone) forget.run(name)
        for (const { name, stamp, run } of changed) {
          add.run(name, stamp, run === null ? null : JSON.stringify(run))
        }
        database.exec('COMMIT')
      } catch (error) {
        database.exec('ROLLBACK')
        throw error
      }
    },
    /** @param metrics ids, and `leading` and `other` for the error rates of each run, in display order */
    figures: (metrics: readonly string[]) =>
      database
        .prepare('SELECT name, run FROM runs WHERE run IS NOT NULL ORDER BY name')
        .all()
        .flatMap((row) => figuresOf(String(row['name']), JSON.parse(String(row['run'])), metrics)),
    leftOut: () => texts('SELECT name FROM runs WHERE run IS NULL ORDER BY name'),
    runCount: () => texts('SELECT name FROM runs WHERE run IS NOT NULL').length,
  }
}

/** Figures by contender, in the order of the metrics. */
function figuresOf(
  runId: string,
  { startedAt, leads, conditions, withheld, contenders }: FollowedRun,
  metrics: readonly string[],
): readonly HistoryFigure[] {
  return contenders
    .toSorted((a, b) => order(a.id, b.id))
    .flatMap(({ id, metrics: measured }) =>
      metrics.flatMap((wanted) => {
        const metric = followedMetric(wanted, leads)
        const { value = null, interval = null } = measured[metric] ?? {}
        if (value === null) return []
        const reason = isTimed(metric) ? withheld : null
        return [{ runId, startedAt, contenderId: id, metric, value, interval, conditions, withheld: reason }]
      }),
    )
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
