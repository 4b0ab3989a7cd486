import { uptime } from 'node:os'
import { readRecord } from '#journal'
import { processStart } from '#telemetry'

/**
 * Whether the process that wrote a run is still at it. A process id alone is not enough: after a crash, and
 * after a restart of the machine, another process may have it. So the start of the process is compared as well, which
 * does not move when the clock is set; where the system does not report it, a run from before the machine started is dead.
 *
 * @throws BenchError RUN_UNREADABLE
 */
export async function isRunAlive(runFolder: string): Promise<boolean> {
  const { status, pid, processStartedAt, startedAt, resumedAt } = await readRecord(runFolder)
  if (status !== 'started' || !isProcess(pid)) return false
  const now = await processStart(pid)
  if (now !== null && processStartedAt != null) return now === processStartedAt
  const bootedAtMs = Date.now() - uptime() * 1000
  return Date.parse(resumedAt?.at(-1) ?? startedAt) >= bootedAtMs
}

function isProcess(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // No such process; any other error means that there is one, of another user.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}
