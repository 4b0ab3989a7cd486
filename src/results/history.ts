import { rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import pLimit from 'p-limit'
import { followedMetric, type HistoryFigure } from '#analysis/comparison/trends'
import { isTimed } from '#analysis/thresholds/metrics'
import { listRuns, readRecord } from '#journal/run-reader'
import { runFiles } from '#journal/run-writer'
import type { ErrorLevel } from '#scoring/profiles/profile'
import { describeSummaryScore, newestSummaryPath, readRunSummary } from './summaries.ts'

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
 * @param score the name of a score that every run is read with; default: the newest of each
 */
export async function readHistory(
  results: string,
  metrics: readonly string[],
  score: string | null = null,
): Promise<History> {
  const folders = await listRuns(results)
  if (folders.length === 0) return { figures: [], runCount: 0, leftOut: [] }
  // The index holds the newest scores.
  return await withHistoryIndex(score === null ? results : null, async (index) => {
    await renewIndex(index, folders, score)
    return { figures: index.figures(metrics), runCount: index.runCount(), leftOut: index.leftOut() }
  })
}

/** Reads what has changed since the index was last used. */
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
        const stamp = await readStamp(folder)
        if (known.has(name) && known.get(name) === stamp) return []
        return [{ name, stamp, ...(stamp === null ? nothingRead : await readFigures(folder, score)) }]
      }),
    ),
  )
  index.renew(
    looked.flat(),
    [...known.keys()].filter((name) => !names.has(name)),
  )
}

/** Null where its summary or its record is missing. */
async function readStamp(folder: string): Promise<string | null> {
  const paths = [await newestSummaryPath(folder), join(folder, runFiles.record)]
  const found = await Promise.all(paths.map((path) => stat(path, { bigint: true }).catch(() => null)))
  if (found.some((each) => each === null)) return null
  return found.map((each) => `${each?.mtimeNs} ${each?.size} ${each?.ino}`).join(' ')
}

const nothingRead = { leads: 'words', figures: null } as const

/** The figures are null where the run is not to be counted; `transcribench score` gives a run its figures again. */
async function readFigures(
  folder: string,
  score: string | null,
): Promise<Pick<IndexedRun, 'leads' | 'figures'>> {
  const summary = await readRunSummary(folder, score)
  // `report` refuses a run whose record cannot be read, and so does a history.
  const isReadable = await readRecord(folder).then(
    () => true,
    () => false,
  )
  if (summary === null || !isReadable || summary.validity === 'invalid') return nothingRead
  const { run, profile, corpus, load, speeds } = summary
  const machine = `${run.cpuModel}, ${run.cpuCount} processors`
  const corpusName = `${corpus.name} (${corpus.fingerprint.slice(0, 12)})`
  // Other rules or references make another figure, and another server is another one: such runs are another line.
  const server = run.target === undefined || run.target === 'embedded' ? [] : [run.target]
  const conditions = [
    corpusName,
    ...describeSummaryScore(summary),
    load.description,
    machine,
    ...server,
  ].join(' · ')
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

/** What the index knows of one run: its figures, or that it has none that can be read. */
interface IndexedRun {
  /** Of the run folder. */
  readonly name: string
  /** Changes whenever the summary is written again; null where there is no summary. */
  readonly stamp: string | null
  /** The rate that leads in its score. */
  readonly leads: ErrorLevel
  /** Null for a run that is left out. */
  readonly figures: readonly HistoryFigure[] | null
}

/** Figures of the runs of a results folder, stored next to them. */
interface HistoryIndex {
  /** The stamps with which runs were indexed, by name. */
  stamps(): ReadonlyMap<string, string | null>
  /** Takes these runs in anew and forgets those that are gone, all of it or nothing. */
  renew(changed: readonly IndexedRun[], gone: readonly string[]): void
  /** @param metrics ids, and `leading` and `other` for the error rates of each run, in the order in which they are shown */
  figures(metrics: readonly string[]): readonly HistoryFigure[]
  leftOut(): readonly string[]
  runCount(): number
}

const fileName = 'history.sqlite'
/** Of the tables below: an index of another version is made anew. */
const schemaVersion = 8

const schema = `
  CREATE TABLE runs (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    stamp TEXT,
    leads TEXT NOT NULL,
    is_left_out INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE figures (
    metric TEXT NOT NULL,
    run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    contender TEXT NOT NULL,
    started_at TEXT NOT NULL,
    value REAL NOT NULL,
    low REAL,
    high REAL,
    conditions TEXT NOT NULL,
    withheld TEXT,
    PRIMARY KEY (metric, run, contender)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX figures_by_run ON figures (run);
  PRAGMA user_version = ${schemaVersion};`

/**
 * Uses the index of a results folder. It holds nothing that the summaries do not hold: one that cannot be read, or
 * comes from another version, is made anew, and where the folder cannot be written to it is kept in memory alone.
 *
 * @param results null to keep the index in memory alone
 * @param use is called again where an index turns out to be damaged only then
 */
async function withHistoryIndex<Value>(
  results: string | null,
  use: (index: HistoryIndex) => Promise<Value>,
): Promise<Value> {
  // Imported here because the module prints a warning when it is loaded.
  const { DatabaseSync } = await import('node:sqlite')
  const path = results === null ? null : join(results, fileName)
  const useIn = async (place: string): Promise<Value> => {
    const database = new DatabaseSync(place)
    try {
      prepare(database)
      return await use(readIndex(database))
    } finally {
      database.close()
    }
  }
  if (path === null) return await useIn(':memory:')
  try {
    return await useIn(path)
  } catch {
    // Another version's, damaged, or in a folder that cannot be written to: nothing is lost with it.
    const isGone = await rm(path, { force: true }).then(
      () => true,
      () => false,
    )
    try {
      return await useIn(isGone ? path : ':memory:')
    } catch {
      // The folder refuses new files.
      return await useIn(':memory:')
    }
  }
}

/** @throws TypeError for an index of another version */
function prepare(database: DatabaseSync): void {
  database.exec('PRAGMA busy_timeout = 10000; PRAGMA journal_mode = WAL; PRAGMA foreign_keys = ON')
  const version = Number(database.prepare('PRAGMA user_version').get()?.['user_version'])
  if (version === 0) database.exec(`BEGIN IMMEDIATE; ${schema} COMMIT`)
  else if (version !== schemaVersion) throw new TypeError(`an index of version ${version}`)
}

function readIndex(database: DatabaseSync): HistoryIndex {
  const texts = (sql: string): readonly string[] =>
    database
      .prepare(sql)
      .all()
      .map((row) => String(row['name']))
  return {
    stamps: () =>
      new Map(
        database
          .prepare('SELECT name, stamp FROM runs')
          .all()
          .map((row) => [String(row['name']), row['stamp'] === null ? null : String(row['stamp'])]),
      ),
    renew(changed, gone) {
      const forget = database.prepare('DELETE FROM runs WHERE name = ?')
      const addRun = database.prepare(
        'INSERT INTO runs (name, stamp, leads, is_left_out) VALUES (?, ?, ?, ?) RETURNING id',
      )
      const addFigure = database.prepare('INSERT OR REPLACE INTO figures VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)')
      database.exec('BEGIN IMMEDIATE')
      try {
        for (const name of gone) forget.run(name)
        for (const { name, stamp, leads, figures } of changed) {
          forget.run(name)
          const id = Number(addRun.get(name, stamp, leads, figures === null ? 1 : 0)?.['id'])
          for (const { metric, contenderId, startedAt, value, interval, conditions, withheld } of figures ??
            []) {
            const [low, high] = [interval?.low ?? null, interval?.high ?? null]
            addFigure.run(metric, id, contenderId, startedAt, value, low, high, conditions, withheld)
          }
        }
        database.exec('COMMIT')
      } catch (error) {
        database.exec('ROLLBACK')
        throw error
      }
    },
    figures(metrics) {
      const ofMetric = database.prepare(
        `SELECT runs.name AS name, contender, started_at, value, low, high, conditions, withheld
         FROM figures JOIN runs ON runs.id = figures.run WHERE metric = ? AND leads = ?`,
      )
      const wanted = metrics.flatMap((metric, place) =>
        (['words', 'characters'] as const).map((leads) => ({
          metric: followedMetric(metric, leads),
          leads,
          place,
        })),
      )
      return wanted
        .flatMap(({ metric, leads, place }) =>
          ofMetric.all(metric, leads).map((row) => ({
            place,
            figure: {
              runId: String(row['name']),
              startedAt: String(row['started_at']),
              contenderId: String(row['contender']),
              metric,
              value: Number(row['value']),
              interval: row['low'] === null ? null : { low: Number(row['low']), high: Number(row['high']) },
              conditions: String(row['conditions']),
              withheld: row['withheld'] === null ? null : String(row['withheld']),
            },
          })),
        )
        .sort(
          (a, b) =>
            order(a.figure.runId, b.figure.runId) ||
            order(a.figure.contenderId, b.figure.contenderId) ||
            a.place - b.place,
        )
        .map(({ figure }): HistoryFigure => figure)
    },
    leftOut: () => texts('SELECT name FROM runs WHERE is_left_out = 1 ORDER BY name'),
    runCount: () => texts('SELECT name FROM runs WHERE is_left_out = 0').length,
  }
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
