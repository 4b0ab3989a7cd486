import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { failed, type Outcome, succeeded } from '#prelude'

/** A folder that belongs to this process until it releases it or dies. */
export interface Hold {
  release(): Promise<void>
}

/**
 * Makes a folder this caller's own, against other processes and other callers in this one. The operating
 * system ends the hold with the process, however that dies, so there is no stale lock to clean up. SQLite
 * brings such locks to every platform; the database itself stays empty. A file next to it names the holder,
 * because on POSIX systems reading the locked file would drop the lock.
 *
 * @param folder exists
 * @param name of the hold: `<name>.lock` and `<name>.pid` appear in the folder
 * @returns a failure with the holder's process id, where it is known
 */
export async function holdFolder(
  folder: string,
  name: string,
): Promise<Outcome<Hold, { readonly pid: number | null }>> {
  // Imported here because the module prints a warning when it is loaded.
  const { DatabaseSync } = await import('node:sqlite')
  const pidPath = join(folder, `${name}.pid`)
  const lock = new DatabaseSync(join(folder, `${name}.lock`))
  try {
    lock.exec('PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE')
    await writeFile(pidPath, `${process.pid}\n`)
  } catch (error) {
    lock.close()
    if (!isBusy(error)) throw error
    return failed({ pid: await readPid(pidPath) })
  }
  return succeeded({
    async release() {
      await rm(pidPath, { force: true })
      lock.close()
    },
  })
}

const sqliteBusy = 5

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy
}

async function readPid(path: string): Promise<number | null> {
  // The holder may be between taking the lock and writing the file, or between removing it and letting go.
  const text = await readFile(path, 'utf8').catch(() => '')
  return /^\d+\n$/.test(text) ? Number(text) : null
}
