import { type BigIntStats, statSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { dataDirectory } from '#installation/installation'
import type { CorpusEnvironment } from './locate.ts'

/** What an audio file was found to be. */
export interface KnownAudio {
  readonly sizeBytes: number
  readonly sha256: string
  readonly durationSeconds: number
  readonly mimeType: string
}

/**
 * Audio files that were opened before, so that each is hashed and measured once. Where its file can no longer be read or
 * written, because the disk is full or another process holds the lock, it finds nothing more and remembers nothing more.
 */
export interface AudioMemory extends Disposable {
  /** @returns in the order of the paths; null for a file that is new, gone or changed: its size, or the time of its last change */
  find(paths: readonly string[]): readonly (KnownAudio | null)[]
  /** Remembers files; those that changed since they were opened are passed over. */
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
 * A file may change again within the clock's resolution and keep its times, so a file that changed this short before it
 * was opened is not remembered.
 */
const settledMs = 2000

/**
 * Opens the memory in the data directory.
 *
 * @returns null where it cannot be written: everything works without it, and takes longer
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
      // What is lost with the power is measured again.
      database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL')
      database.exec(schema)
      return memoryIn(database)
    } catch (error) {
      database.close()
      throw error
    }
  } catch {
    // A read-only home, a full disk, a damaged file: the audio itself is the truth.
    return null
  }
}

type Row = readonly [sha256: string, durationSeconds: number, mimeType: string]

function memoryIn(database: DatabaseSync): AudioMemory {
  const select = database.prepare(
    `SELECT lower(hex(sha256)), duration_seconds, mime_type FROM audio
     WHERE path = ? AND size_bytes = ? AND modified_ns = ? AND changed_ns = ?`,
  )
  // A hundred thousand rows as objects with names take twice as long.
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
  /** The file is locked once for all paths: for each one, that takes three times as long. */
  const inTransaction = <Result>(work: () => Result, without: () => Result): Result => {
    if (!isUsable) return without()
    try {
      database.exec('BEGIN')
      const result = work()
      database.exec('COMMIT')
      return result
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_SQLITE_ERROR') throw error
      // Each further batch would wait as long for a lock.
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
          if (now === null || Number(now.ctimeNs / 1_000_000n) > openedAtMs - settledMs) continue
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

/** Synchronous: a hundred thousand of them take half a second, and four through promises. */
function readTimes(path: string): BigIntStats | null {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false }) ?? null
  } catch {
    // A name that is too long, a folder that is closed: who opens the file learns why.
    return null
  }
}
