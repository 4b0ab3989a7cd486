import { randomBytes } from 'node:crypto'
import { rmSync, statSync, writeFileSync } from 'node:fs'
import { chmod, open, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { syncFolder } from '#installation/files'
import { isDiskFull, shellWord } from '#prelude'
import { serviceErrors } from '../errors.ts'

/** Name of the database of Modes and recordings in a data directory. */
export const databaseName = 'service.sqlite'

/** Migrations, each to the next schema version. Entries are never changed, only added. */
const migrations: readonly string[] = [
  `CREATE TABLE modes (
     position INTEGER PRIMARY KEY,
     id TEXT NOT NULL UNIQUE,
     name_key TEXT NOT NULL UNIQUE,
     document TEXT NOT NULL CHECK (json_valid(document)),
     is_default INTEGER NOT NULL GENERATED ALWAYS AS (json_extract(document, '$.isDefault')),
     sort_order INTEGER NOT NULL GENERATED ALWAYS AS (json_extract(document, '$.sortOrder')),
     created_date TEXT NOT NULL GENERATED ALWAYS AS (json_extract(document, '$.createdDate'))
   ) STRICT;
   CREATE UNIQUE INDEX one_default_mode ON modes (is_default) WHERE is_default = 1;`,
  `CREATE TABLE recordings (
     position INTEGER PRIMARY KEY,
     id TEXT NOT NULL UNIQUE,
     date_ms REAL NOT NULL,
     text_key TEXT NOT NULL,
     post_processed_key TEXT NOT NULL,
     transcribed_key TEXT NOT NULL,
     document TEXT NOT NULL CHECK (json_valid(document))
   ) STRICT;
   CREATE INDEX recordings_by_date ON recordings (date_ms DESC, position DESC);
   CREATE TABLE unfinished_sounds (file_name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;`,
  `CREATE INDEX recordings_with_sound ON recordings (date_ms DESC, position DESC)
     WHERE json_extract(document, '$.audioFilePath') <> '';`,
]

/**
 * Opens the service's database, and migrates its schema. Committed writes survive a crash and a power
 * failure, because each transaction flushes the log.
 *
 * @throws BenchError SERVICE_DATA_DIR_UNUSABLE for a damaged or empty database, which is left unchanged
 */
export async function openDatabase(dataDir: string): Promise<DatabaseSync> {
  const path = join(dataDir, databaseName)
  const found = await stat(path).catch(() => null)
  if (found === null) await makeDatabase(path)
  else if (found.size === 0) throw emptyDatabase(path)
  else await chmod(path, ownerReadsAndWrites)
  const database = await openMigrated(path)
  keepReserve(path)
  return database
}

const ownerReadsAndWrites = 0o600

async function makeDatabase(path: string): Promise<void> {
  const unfinished = `${path}.new`
  await rm(unfinished, { force: true })
  // The file will hold transcripts; SQLite gives its auxiliary files the same permissions.
  await (await open(unfinished, 'wx', ownerReadsAndWrites)).close()
  const database = await openMigrated(unfinished)
  database.close()
  await rename(unfinished, path)
  await syncFolder(dirname(path))
}

async function openMigrated(path: string): Promise<DatabaseSync> {
  // Imported here because the module prints a warning when it is loaded.
  const { DatabaseSync } = await import('node:sqlite')
  const database = new DatabaseSync(path)
  try {
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
    migrate(database, path)
    return database
  } catch (error) {
    database.close()
    throw explainDamage(error, path)
  }
}

/** Replaces the error of a damaged database by one that says so; returns any other unchanged. */
export function explainDamage(error: unknown, path: string): unknown {
  const { errcode, message = '' } = Object(error) as { readonly errcode?: number; readonly message?: string }
  const isDamaged = errcode === sqliteCorrupt || errcode === sqliteNotADatabase
  return isDamaged ? damaged(path, message, error) : error
}

/** @see https://www.sqlite.org/rescode.html */
const [sqliteCorrupt, sqliteFull, sqliteNotADatabase] = [11, 13, 26]

function damaged(path: string, why: string, cause?: unknown): Error {
  const folder = shellWord(dirname(path))
  return serviceErrors.make('SERVICE_DATA_DIR_UNUSABLE', {
    message: `${path}, which holds the Modes and recordings, is damaged: ${why}.`,
    hint:
      `Move it away with the files next to it (mkdir ${folder}/damaged && mv ${shellWord(path)}* ${folder}/damaged), then restore a backup ` +
      `(transcribench serve restore <folder> --data-dir ${folder}), or start without one, with nothing kept.`,
    cause,
  })
}

/** A new database is renamed into place, so an empty file is always the remnant of a damaged one. */
export function emptyDatabase(path: string): Error {
  return damaged(path, 'it is empty')
}

function migrate(database: DatabaseSync, path: string): void {
  const version = Number(database.prepare('PRAGMA user_version').get()?.['user_version'])
  if (version > migrations.length) {
    throw serviceErrors.make('SERVICE_DATA_DIR_UNUSABLE', {
      message: `${path} was written by a newer version of transcribench (schema ${version}, known up to ${migrations.length}).`,
      hint: 'Use that version, or start with another --data-dir.',
    })
  }
  for (const [index, migration] of migrations.entries()) {
    if (index < version) continue
    inTransaction(database, () => database.exec(`${migration} PRAGMA user_version = ${index + 1}`))
  }
}

/** Runs work as one transaction, which is rolled back if it throws. */
export function inTransaction<Result>(database: DatabaseSync, work: () => Result): Result {
  database.exec('BEGIN IMMEDIATE')
  try {
    const result = work()
    database.exec('COMMIT')
    return result
  } catch (error) {
    // Some errors, such as a full disk, end the transaction; a rollback would then fail and hide the error.
    if (database.isTransaction) database.exec('ROLLBACK')
    throw error
  }
}

/** Maximum size that the removal of a Mode or of audio writes before it frees space. */
const reserveBytes = 2 ** 19

const reserveOf = (path: string): string => `${path}.reserve`

/** Reserves disk space for use on a full disk; random bytes, because some file systems do not store zeros. */
function keepReserve(path: string): void {
  const reserve = reserveOf(path)
  try {
    if (statSync(reserve, { throwIfNoEntry: false })?.size === reserveBytes) return
    writeFileSync(reserve, randomBytes(reserveBytes), { mode: ownerReadsAndWrites })
  } catch {
    // The disk is full; the partial file is removed.
    rmSync(reserve, { force: true })
  }
}

/** Runs work that frees space as one transaction. On a full disk it uses the reserve, which is then restored. */
export function inFreeingTransaction<Result>(database: DatabaseSync, work: () => Result): Result {
  try {
    return inTransaction(database, work)
  } catch (error) {
    const path = database.location()
    if (!isStoreFull(error) || path === null) throw error
    rmSync(reserveOf(path), { force: true })
    try {
      return inTransaction(database, work)
    } finally {
      giveBack(database, path)
    }
  }
}

/** Truncates the log, which has grown into the reserve, and restores the reserve. */
function giveBack(database: DatabaseSync, path: string): void {
  try {
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  } catch {
    // Checkpointing earlier writes needs more space; the next start restores the reserve.
  }
  keepReserve(path)
}

/** Whether a write of the system or the database failed because the disk is full. */
export function isStoreFull(error: unknown): boolean {
  const { errcode } = Object(error) as { readonly errcode?: unknown }
  return isDiskFull(error) || errcode === sqliteFull
}
