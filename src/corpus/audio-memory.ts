import { type BigIntStats, statSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { dataDirectory } from '#installation/installation'
import type { CorpusEnvironment } from './locate.ts'

/** The measured facts about an audio file. */
export interface KnownAudio {
  readonly sizeBytes: number
  readonly sha256: string
  readonly durationSeconds: number
  readonly mimeType: string
}

/**
 * Remembers known audio files, so that each is hashed and measured once. If its database becomes unusable,
 * because the disk is full or another process holds the lock, it finds and adds nothing more.
 */
export interface AudioMemory extends Disposable {
  /** @returns facts in the order of the paths; null for a file that is new, missing, or changed by size or time */
  find(paths: readonly string[]): readonly (KnownAudio | null)[]
  /** Adds files, except those that changed after they were opened. */
  add(
    files: readonly { readonly path: string; readonly openedAtMs: number; readonly found: KnownAudio }[],
  ): void
}

const schema = `CREATE TABLE IF NOT EXISTS audio (
  path TEXT PRIMARY KEY,
  size_bytes INTEGER NOT NULL,
  modified_ns INTEGER NOT NULL,
  changed_ns INTEGER NOT NULL,
  sha256 BLOB NOT NULL,
  duration_seconds REAL NOT NULL,
  mime_type TEXT NOT NULL
) STRICT, WITHOUT ROWID`

/**
 * Minimum age of a file's last change when the file is opened. After a younger one the file could change
 * again within the clock's resolution, unnoticed.
 */
const minAgeMs = 2000

/**
 * Opens the database in the data directory.
 *
 * @returns null where it cannot be used, which only makes verification slower
 */
export async function openAudioMemory({ env }: CorpusEnvironment): Promise<AudioMemory | null> {
  const folder = dataDirectory(env)
  try {
    await mkdir(folder, { recursive: true })
    // Imported here because the module prints a warning when it is loaded.
    const { DatabaseSync } = await import('node:sqlite')
    const database = new DatabaseSync(join(folder, 'audio-memory.sqlite'), {
      timeout: 5000,
      readBigInts: true,
    })
    try {
      // Entries that a power failure loses are measured again.
      database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL')
      database.exec(schema)
      return memoryIn(database)
    } catch (error) {
      database.close()
      throw error
    }
  } catch {
    // A read-only home, a full disk and a damaged database are not fatal, because the audio can be measured again.
    return null
  }
}

type Row = readonly [sha256: string, durationSeconds: number, mimeType: string]

function memoryIn(database: DatabaseSync): AudioMemory {
  const select = database.prepare(
    `SELECT lower(hex(sha256)), duration_seconds, mime_type FROM audio
     WHERE path = ? AND size_bytes = ? AND modified_ns = ? AND changed_ns = ?`,
  )
  // Reading a hundred thousand rows as objects would take twice as long.
  select.setReturnArrays(true)
  select.setReadBigInts(false)
  const mimeTypes = new Map<string, string>()
  const shared = (mimeType: string): string => {
    const known = mimeTypes.get(mimeType)
    if (known === undefined) mimeTypes.set(mimeType, mimeType)
    return known ?? mimeType
  }
  const insert = database.prepare('INSERT OR REPLACE INTO audio VALUES (?, ?, ?, ?, ?, ?, ?)')
  const findOne = (path: string): KnownAudio | null => {
    const now = readTimes(path)
    if (now === null) return null
    const row = select.get(path, now.size, now.mtimeNs, now.ctimeNs) as unknown as Row | undefined
    if (row === undefined) return null
    const [sha256, durationSeconds, mimeType] = row
    return { sizeBytes: Number(now.size), sha256, durationSeconds, mimeType: shared(mimeType) }
  }
  let isUsable = true
  /** Runs work in one transaction, because locking the database for each path takes three times as long. */
  const inTransaction = <Result>(work: () => Result, without: () => Result): Result => {
    if (!isUsable) return without()
    try {
      database.exec('BEGIN')
      const result = work()
      database.exec('COMMIT')
      return result
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_SQLITE_ERROR') throw error
      // The database is not used again, because each further batch would wait for the lock as long.
      isUsable = false
      if (database.isTransaction) database.exec('ROLLBACK')
      return without()
    }
  }
  return {
    find(paths) {
      return inTransaction(
        () => paths.map(findOne),
        () => paths.map(() => null),
      )
    },
    add(files) {
      const insertAll = (): void => {
        for (const { path, openedAtMs, found } of files) {
          const now = readTimes(path)
          if (now === null || Number(now.ctimeNs / 1_000_000n) > openedAtMs - minAgeMs) continue
          if (now.size !== BigInt(found.sizeBytes)) continue
          const { sizeBytes, durationSeconds, mimeType } = found
          const sha256 = Buffer.from(found.sha256, 'hex')
          insert.run(path, sizeBytes, now.mtimeNs, now.ctimeNs, sha256, durationSeconds, mimeType)
        }
      }
      inTransaction(insertAll, () => undefined)
    },
    [Symbol.dispose]: () => database.close(),
  }
}

/** Reads synchronously: a hundred thousand calls take half a second, but four with promises. */
function readTimes(path: string): BigIntStats | null {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false }) ?? null
  } catch {
    // A name that is too long or a folder without access is reported by the code that opens the file.
    return null
  }
}
