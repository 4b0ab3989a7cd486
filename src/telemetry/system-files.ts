import { readdirSync, readFileSync } from 'node:fs'

/**
 * Reads a system file synchronously, in microseconds. Null for one that is absent or not readable: on another system,
 * an older kernel, in a container, or of an ended or another user's process.
 */
export function readSystemFile(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
