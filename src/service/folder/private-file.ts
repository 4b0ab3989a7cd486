import { randomUUID } from 'node:crypto'
import { open, rename, rm } from 'node:fs/promises'

/**
 * Writes a file that only its owner can read: never readable for others for an instant, never half written.
 * Replaces what was there.
 *
 * @param temporaryPath where it is written first; nothing is there
 */
export async function writePrivateFile(
  path: string,
  content: string | Uint8Array,
  temporaryPath: string = `${path}.${randomUUID()}`,
): Promise<void> {
  try {
    const file = await open(temporaryPath, 'wx', 0o600)
    try {
      await file.writeFile(content)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporaryPath, path)
  } catch (error) {
    await rm(temporaryPath, { force: true })
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
