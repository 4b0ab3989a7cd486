import { mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import process from 'node:process'

/**
 * Makes a folder, and those above it that are missing. Node's own recursive way never ends where a file system says
 * of a folder whose parent is there that there is no such place, as `/proc` does, and says the same of a disk that is read-only.
 *
 * @param path absolute
 * @throws the system's error of the first folder that cannot be made
 */
export async function makeFolder(path: string, mode: number = 0o777): Promise<void> {
  if (await isFolder(path)) return
  const parent = dirname(path)
  if (parent !== path) {
    await makeFolder(parent, mode).catch((error: NodeJS.ErrnoException) => {
      // A file is in the way: of a folder in it the system says so.
      if (error.code !== 'EEXIST') throw error
    })
  }
  try {
    await mkdir(path, { mode })
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!(await isFolder(path))) throw error
  }
}

/** Whether there is a file or folder that can be seen. */
export async function exists(...path: readonly string[]): Promise<boolean> {
  return (await stat(join(...path)).catch(() => null)) !== null
}

async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null)
  return found?.isDirectory() ?? false
}

/**
 * Replaces a file in one step: a reader sees the old one or the new one, and a failure leaves no piece of it.
 *
 * @param write writes the file of the path that it is given, next to the one that is replaced
 */
export async function replaceFile(path: string, write: (draft: string) => Promise<void>): Promise<void> {
  const draft = `${path}.${process.pid}.draft`
  try {
    await write(draft)
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined)
    throw error
  }
}

/** Brings the names in a folder to the disk, after the files themselves. */
export async function syncFolder(folder: string): Promise<void> {
  // Windows opens no folders, and keeps its names by itself.
  if (process.platform === 'win32') return
  await using handle = await open(folder, 'r')
  await handle.sync()
}
