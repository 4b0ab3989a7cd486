import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import type { Clock } from '#load'

/**
 * The machine, shared by measurements that take turns: whoever has the turn has the machine for itself, so that a machine
 * that becomes slower in the course of minutes does so for all of them.
 */
export interface Turns extends Disposable {
  /** Lets the others go first, each as far as its own next pass, and comes back when it is its own turn. */
  pass(): Promise<void>
  /** Seconds that were waited in passes so far. */
  waitedSeconds(): number
}

/** Nobody else is there. */
export const alone: Turns = {
  pass: async () => undefined,
  waitedSeconds: () => 0,
  [Symbol.dispose]: () => undefined,
}

/** How often somebody who waits looks whether it is its turn: a look takes milliseconds of the measured machine. */
const lookMs = 200
/** How long the turn is left free when it is passed on: two looks and more, so that whoever waits gets it. */
const freeMs = 500
const sqliteBusy = 5

/**
 * Takes turns with the other processes of this machine and user that do so. The turn is a lock of SQLite's, which the operating
 * system takes back from a process that dies.
 *
 * @param stop ends the waiting: whoever is stopped has nothing more to do for which it would need the machine
 * @param path of the lock, the same for all
 */
export async function takeTurns(
  { clock, stop }: { readonly clock: Clock; readonly stop?: AbortSignal | undefined },
  path: string = join(tmpdir(), `asrbench-turn-${userInfo().uid}.lock`),
): Promise<Turns> {
  // Imported here because the module prints a warning when it is loaded.
  const { DatabaseSync } = await import('node:sqlite')
  const lock = new DatabaseSync(path)
  lock.exec('PRAGMA busy_timeout = 0')
  let isHeld = false
  let waitedMs = 0
  const tryToTake = (): boolean => {
    try {
      lock.exec('BEGIN EXCLUSIVE')
      return true
    } catch (error) {
      if (error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy) return false
      throw error
    }
  }
  return {
    async pass() {
      const fromMs = clock.nowMs()
      if (isHeld) {
        lock.exec('ROLLBACK')
        isHeld = false
        await clock.sleepUntil(fromMs + freeMs, undefined, 'rough')
      }
      while (stop?.aborted !== true) {
        isHeld = tryToTake()
        if (isHeld) break
        await clock.sleepUntil(clock.nowMs() + lookMs, undefined, 'rough')
      }
      waitedMs += clock.nowMs() - fromMs
    },
    waitedSeconds: () => waitedMs / 1000,
    [Symbol.dispose]() {
      if (isHeld) lock.exec('ROLLBACK')
      isHeld = false
      lock.close()
    },
  }
}
