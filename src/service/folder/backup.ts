import {
  access,
  chmod,
  copyFile,
  readdir,
  readFile,
  rename,
  rm,
  rmdir,
  stat,
  writeFile,
} from 'node:fs/promises'
import { basename, join } from 'node:path'
import { z } from 'zod'
import { makeFolder } from '#installation/files'
import { errorCode } from '#prelude'
import { isOfTheSystem, serviceErrors } from '../errors.ts'
import { databaseName, emptyDatabase, explainDamage } from './database.ts'
import { holdFolder } from './private-folder.ts'

export interface BackupFacts {
  readonly recordingCount: number
  readonly soundCount: number
}

const ownerOnly = 0o700
const ownerReadsAndWrites = 0o600
const recordName = 'backup.json'
const soundsName = 'recordings'
/** Folder of an unfinished restore in the data directory. */
const stagingName = 'restoring'

const backupRecord: z.ZodType<BackupFacts> = z.looseObject({
  formatVersion: z.literal(1),
  recordingCount: z.int(),
  soundCount: z.int(),
})

/**
 * Copies the Modes and recordings of a service with their audio, also while it runs; the database is a
 * consistent snapshot. The token is excluded. The backup appears in one step.
 *
 * @param to a folder that does not exist yet
 * @throws BenchError SERVICE_DATA_DIR_UNUSABLE, BACKUP_UNUSABLE
 */
export async function backUp(dataDir: string, to: string): Promise<BackupFacts> {
  const source = join(dataDir, databaseName)
  const found = await stat(source).catch(() => null)
  if (found?.size === 0) throw emptyDatabase(source)
  if (found === null) {
    throw serviceErrors.make('SERVICE_DATA_DIR_UNUSABLE', {
      message: `${dataDir} holds nothing to back up: no service has run there.`,
      hint: 'Name the directory of the service with --data-dir.',
    })
  }
  if ((await stat(to).catch(() => null)) !== null) throw unusable(to, 'it is there already')
  const passing = `${to}.partial`
  try {
    await rm(passing, { recursive: true, force: true })
    await makeFolder(join(passing, soundsName), ownerOnly)
    const facts = await copyData(dataDir, passing)
    await writeFile(
      join(passing, recordName),
      `${JSON.stringify({ formatVersion: 1, madeAt: new Date().toISOString(), ...facts }, null, 2)}\n`,
      { mode: ownerReadsAndWrites },
    )
    await rename(passing, to)
    return facts
  } catch (error) {
    await rm(passing, { recursive: true, force: true })
    throw isOfTheSystem(error) ? unusable(to, error.message, error) : error
  }
}

/**
 * Restores a backup into a data directory without such data. The next service there creates a new token.
 *
 * @throws BenchError SERVICE_DATA_DIR_HELD where a service is running on it, BACKUP_UNUSABLE
 */
export async function restore(from: string, dataDir: string): Promise<BackupFacts> {
  const facts = await readPart(from, recordName, async (path) =>
    backupRecord.parse(JSON.parse(await readFile(path, 'utf8'))),
  )
  const soundNames = await readPart(from, soundsName, (path) => readdir(path))
  await readPart(from, databaseName, (path) => access(path))
  await makeFolder(dataDir, ownerOnly)
  const hold = await holdFolder(dataDir, 'service')
  if (!hold.ok) {
    throw serviceErrors.make('SERVICE_DATA_DIR_HELD', {
      message: `A service is running on ${dataDir}.`,
      hint: 'Stop it, or restore into another --data-dir.',
    })
  }
  const [database, sounds] = [join(dataDir, databaseName), join(dataDir, soundsName)]
  const staging = join(dataDir, stagingName)
  try {
    if ((await stat(database).catch(() => null)) !== null) {
      throw unusable(dataDir, `it holds the data of a service already (${databaseName})`)
    }
    const present = await readdir(sounds).catch(() => null)
    if (present !== null && present.length > 0) throw unusable(dataDir, `it holds ${soundsName} already`)
    await rm(staging, { recursive: true, force: true })
    await makeFolder(join(staging, soundsName), ownerOnly)
    for (const name of soundNames) {
      await copyPrivate(join(from, soundsName, name), join(staging, soundsName, name))
    }
    await copyPrivate(join(from, databaseName), join(staging, databaseName))
    // Windows cannot rename a folder over an empty one.
    if (present !== null) await rmdir(sounds)
    await rename(join(staging, soundsName), sounds)
    // The database comes last, because it marks the data as complete.
    await rename(join(staging, databaseName), database)
    return facts
  } catch (error) {
    throw isOfTheSystem(error) ? unusable(dataDir, error.message, error) : error
  } finally {
    await rm(staging, { recursive: true, force: true })
    await hold.value.release()
  }
}

async function copyData(dataDir: string, into: string): Promise<BackupFacts> {
  // Imported here because the module prints a warning when it is loaded.
  const { backup, DatabaseSync } = await import('node:sqlite')
  const path = join(dataDir, databaseName)
  const source = new DatabaseSync(path)
  const target = join(into, databaseName)
  try {
    await backup(source, target)
  } catch (error) {
    throw explainDamage(error, path)
  } finally {
    source.close()
  }
  await chmod(target, ownerReadsAndWrites)
  const copy = new DatabaseSync(target)
  try {
    const rows = copy
      .prepare(`SELECT json_extract(document, '$.audioFilePath') AS path FROM recordings`)
      .all()
    let soundCount = 0
    for (const { path } of rows) {
      if (path === '' || path === null) continue
      const name = basename(String(path))
      // Audio that expired after the database was copied may be missing.
      if (await copySound(join(dataDir, soundsName, name), join(into, soundsName, name))) soundCount += 1
    }
    return { recordingCount: rows.length, soundCount }
  } finally {
    copy.close()
  }
}

async function copySound(from: string, to: string): Promise<boolean> {
  try {
    await copyPrivate(from, to)
    return true
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false
    throw error
  }
}

async function copyPrivate(from: string, to: string): Promise<void> {
  await copyFile(from, to)
  await chmod(to, ownerReadsAndWrites)
}

/** Reads a part of a backup; all parts are checked before anything is restored. */
async function readPart<Part>(
  backup: string,
  name: string,
  read: (path: string) => Promise<Part>,
): Promise<Part> {
  try {
    return await read(join(backup, name))
  } catch (error) {
    throw unusable(backup, `it has no ${name} that can be read`, error)
  }
}

function unusable(folder: string, why: string, cause?: unknown): Error {
  return serviceErrors.make('BACKUP_UNUSABLE', {
    message: `${folder} cannot be used: ${why}.`,
    hint: 'transcribench serve backup <new folder>, and transcribench serve restore <backup> --data-dir <new folder>',
    cause,
  })
}
