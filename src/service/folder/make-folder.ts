import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Makes a folder, and those above it that are missing. Node's own recursive way never ends where a file system says
 * of a folder whose parent is there that there is no such place, as `/proc` does.
 *
 * @param path absolute
 * @throws the system's error of the first folder that cannot be made
 */
export async function makeFolder(path: string, mode: number = 0o777): Promise<void> {
  if (await isFolder(path)) return
  const parent = dirname(path)
  if (parent !== path) await makeFolder(parent, mode)
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
