import { readdirSync, readFileSync } from 'node:fs'

/**
 * Files and folders in which a system shows what it does. They are read synchronously, which costs microseconds. Null for what is not
 * there: another system, an older kernel, a container that hides it, or a process that has ended or is another user's.
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
