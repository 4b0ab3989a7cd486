import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

/**
 * When a process began, as a mark that no later process with the same number has. To be compared for equality
 * only.
 *
 * Linux reports ticks since the machine started, to which the start's own id is added; macOS a second of the
 * calendar. On Windows the answer would take a shell that starts for a second, so there is none.
 *
 * @returns null where there is no such process, or it belongs to another user, or the system does not report it
 * @see proc_pid_stat(5), field 22; ps(1), lstart
 */
export async function processStart(pid: number): Promise<string | null> {
  if (process.platform === 'linux') {
    const [stat, bootId] = await Promise.all([
      readOrNull(`/proc/${pid}/stat`),
      readOrNull('/proc/sys/kernel/random/boot_id'),
    ])
    const ticks = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
    return ticks === undefined ? null : `${bootId?.trim() ?? ''}+${ticks}`
  }
  if (process.platform === 'win32') return null
  // The same words in every shell: a date follows its language and its time zone.
  const env = { ...process.env, LC_ALL: 'C', TZ: 'UTC' }
  const asked = promisify(execFile)('ps', ['-o', 'lstart=', '-p', String(pid)], { env })
  return asked.then(({ stdout }) => stdout.trim() || null).catch(() => null)
}

function readOrNull(path: string): Promise<string | null> {
  // The process has ended, or is hidden from this user.
  return readFile(path, 'utf8').catch(() => null)
}
