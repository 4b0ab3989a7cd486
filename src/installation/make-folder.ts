import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

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

async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null)
  return found?.isDirectory() ?? false
}
