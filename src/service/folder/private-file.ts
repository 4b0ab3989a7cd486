import { randomUUID } from 'node:crypto'
import { open, rename, rm } from 'node:fs/promises'

/**
 * Writes a file that only its owner can read: never readable for others for an instant, never half written.
 * Replaces what was there.
 */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  const temporaryPath = `${path}.${randomUUID()}`
  try {
    const file = await open(temporaryPath, 'wx', 0o600)
    try {
      await file.writeFile(text)
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
