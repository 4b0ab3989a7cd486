import { failed, type Outcome, succeeded } from '#prelude'
import { collectEvery } from './worker-process.ts'

const mebibyte = 2 ** 20

/** Maximum size of a small body: a few minutes of Opus, a minute of WAV. */
const smallBytes = 2 * mebibyte

/** Memory that does not depend on how many recordings are cut at once. */
const shares = { small: 48 * mebibyte, large: 64 * mebibyte, clips: 144 * mebibyte, waiting: 128 * mebibyte }
const fixedBytes: number = Object.values(shares).reduce((sum, share) => sum + share, 0)

/** Memory of a process that cuts a recording, without the recording and its pieces. */
export const cuttingBytes: number = 100 * mebibyte

/** The minimum, which allows two recordings to be cut at once. */
export const minMemoryBytes: number = fixedBytes + 2 * cuttingBytes

/** Default memory limit in bytes: enough to cut `concurrency` recordings at once, at least four. */
export function usualMemoryBytes(concurrency: number): number {
  return fixedBytes + Math.max(4, concurrency) * (cuttingBytes + 12 * mebibyte)
}

/** Maximum size of uncollected chunks of bodies; V8 alone would let several bodies of 48 MiB accumulate. */
const maxReadBytes = 16 * mebibyte

/** The memory budget for requests: one limit, divided into a lane for each kind of data. */
export type Memory = ReturnType<typeof createMemory>

/** @param limitBytes at least `minMemoryBytes` */
export function createMemory(limitBytes: number) {
  const [small, large] = [createLane(shares.small), createLane(shares.large)]
  return {
    /** Lane for a body or file; small ones do not wait behind large ones. @param sizeBytes Infinity if unknown */
    bodies: (sizeBytes: number) => (sizeBytes > smallBytes ? large : small),
    /** Counts a chunk of a body that was read and is no longer needed. */
    read: collectEvery(maxReadBytes),
    /** Decoded audio that waits for an engine, or is being transcribed. */
    clips: createLane(shares.clips),
    /** Encoded long recordings that wait for a process to cut them. */
    waiting: createLane(shares.waiting),
    /** Long recordings that are being cut into pieces, each in a separate process. */
    recordings: createLane(limitBytes - fixedBytes),
  }
}

/** Memory that a request holds. Disposing releases all of it; disposing again has no effect. */
export type Reservation = NonNullable<ReturnType<ReturnType<typeof createLane>['reserve']>>

interface Holder {
  usedBytes: number
  /** The amount that it waits for. */
  waiting: { readonly sizeBytes: number; readonly resume: (isTaken: boolean) => void } | null
  /** Called for a stalled upload; null for anything else, and once the upload is complete. */
  onStalled: (() => void) | null
  /** Bytes received since `windowStartMs`. */
  windowBytes: number
  windowStartMs: number
}

const maxHolders = 4_096

/** Minimum progress of an upload while others wait. Loopback is a hundred times faster. */
const progress = { bytes: 16_384, ms: 1_000, lookEveryMs: 250 } as const

/**
 * Grants memory to requests in order of arrival while it suffices. The oldest request never waits, so that
 * one always completes; its needs may exceed the capacity.
 */
export function createLane(capacityBytes: number) {
  // Holders in order of arrival.
  const holders = new Set<Holder>()
  let usedBytes = 0
  let timer: NodeJS.Timeout | undefined

  const fits = (holder: Holder, sizeBytes: number): boolean =>
    usedBytes + sizeBytes <= capacityBytes || holders.values().next().value === holder

  function count(holder: Holder, sizeBytes: number): void {
    usedBytes += sizeBytes
    holder.usedBytes += sizeBytes
    holder.windowBytes += sizeBytes
  }

  /** Resumes waiting holders, oldest first. */
  function admit(): void {
    for (const holder of holders) {
      const { waiting } = holder
      if (waiting === null) continue
      if (!fits(holder, waiting.sizeBytes)) return
      holder.waiting = null
      count(holder, waiting.sizeBytes)
      beginWindow(holder)
      waiting.resume(true)
    }
    clearInterval(timer)
    timer = undefined
  }

  function watch(): void {
    if (timer !== undefined) return
    for (const holder of holders) beginWindow(holder)
    timer = setInterval(endStalled, progress.lookEveryMs).unref()
  }

  function endStalled(): void {
    const nowMs = performance.now()
    for (const holder of [...holders]) {
      const { onStalled, usedBytes: held, waiting, windowBytes, windowStartMs } = holder
      if (onStalled === null || held === 0 || waiting !== null) continue
      if (nowMs - windowStartMs < progress.ms) continue
      if (windowBytes < progress.bytes) onStalled()
      else beginWindow(holder)
    }
  }

  function leave(holder: Holder): void {
    if (!holders.delete(holder)) return
    usedBytes -= holder.usedBytes
    holder.waiting?.resume(false)
    admit()
  }

  function wait(holder: Holder, sizeBytes: number): Promise<boolean> {
    return new Promise((resume) => {
      holder.waiting = { sizeBytes, resume }
      watch()
    })
  }

  function isSomeoneBefore(holder: Holder): boolean {
    // No request waits, or the timer would be running.
    if (timer === undefined) return false
    for (const other of holders) {
      if (other === holder) return false
      if (other.waiting !== null) return true
    }
    return false
  }

  function tryTake(holder: Holder, sizeBytes: number): boolean {
    if (isSomeoneBefore(holder) || !fits(holder, sizeBytes)) return false
    count(holder, sizeBytes)
    return true
  }

  return {
    /**
     * @param onStalled marks an upload; called if it makes no progress while others wait
     * @returns null where too many requests hold or await memory
     */
    reserve(signal: AbortSignal, onStalled: (() => void) | null = null) {
      if (holders.size >= maxHolders) return null
      const holder: Holder = {
        usedBytes: 0,
        waiting: null,
        onStalled,
        windowBytes: 0,
        windowStartMs: performance.now(),
      }
      holders.add(holder)
      const onAbort = (): void => {
        holder.waiting?.resume(false)
        holder.waiting = null
        admit()
      }
      signal.addEventListener('abort', onAbort, { once: true })
      return {
        /**
         * Counts more bytes, and waits until they fit.
         *
         * @returns true if they fit at once; else a promise of whether they fit before the request was
         * aborted
         */
        take(sizeBytes: number): true | Promise<boolean> {
          if (tryTake(holder, sizeBytes)) return true
          return signal.aborted ? Promise.resolve(false) : wait(holder, sizeBytes)
        },
        /** Counts more bytes only if they fit at once. */
        tryTake: (sizeBytes: number) => tryTake(holder, sizeBytes),
        give(sizeBytes: number) {
          usedBytes -= sizeBytes
          holder.usedBytes -= sizeBytes
          admit()
        },
        /** Marks the upload as complete, so that it no longer has to make progress. */
        complete() {
          holder.onStalled = null
        },
        [Symbol.dispose]() {
          signal.removeEventListener('abort', onAbort)
          leave(holder)
        },
      }
    },
  }
}

function beginWindow(holder: Holder): void {
  holder.windowBytes = 0
  holder.windowStartMs = performance.now()
}

/**
 * A FIFO semaphore.
 *
 * @param slotCount maximum number of concurrent callers, at least 1
 * @param maxQueue maximum number of waiting callers; further ones are refused
 */
export function createSemaphore(slotCount: number, maxQueue: number) {
  const waiting = new Set<() => void>()
  let busyCount = 0

  function release(): void {
    const [next] = waiting
    if (next === undefined) {
      busyCount -= 1
      return
    }
    waiting.delete(next)
    next()
  }

  return {
    /** Number of callers that hold a slot, and of those that wait. */
    count: () => ({ busyCount, waitingCount: waiting.size }),

    /**
     * Waits for a slot.
     *
     * @param isExpected continues work in progress, which waits regardless of `maxQueue`
     * @returns a function that releases the slot, to be called exactly once; or why there will be no slot
     */
    async acquire(
      signal: AbortSignal,
      isExpected = false,
    ): Promise<Outcome<() => void, 'full' | 'abandoned'>> {
      if (signal.aborted) return failed('abandoned')
      if (busyCount < slotCount) {
        busyCount += 1
        return succeeded(release)
      }
      if (!isExpected && waiting.size >= maxQueue) return failed('full')
      return new Promise((resolve) => {
        const giveUp = (): void => {
          waiting.delete(takeTurn)
          resolve(failed('abandoned'))
        }
        const takeTurn = (): void => {
          signal.removeEventListener('abort', giveUp)
          resolve(succeeded(release))
        }
        waiting.add(takeTurn)
        signal.addEventListener('abort', giveUp, { once: true })
      })
    },
  }
}

/** Waits for the work or the signal, whichever comes first. The work continues, but its result is dropped. */
export function unlessAborted<Value>(
  work: Promise<Value>,
  signal: AbortSignal,
): Promise<Value | 'abandoned'> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => resolve('abandoned')
    if (signal.aborted) giveUp()
    signal.addEventListener('abort', giveUp, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp))
  })
}

/**
 * Runs work with a signal that is aborted by the given one or by a time-out. `AbortSignal.timeout` is not
 * used, because it would stay in memory until it fires.
 *
 * @param work its second argument reports whether the time is up
 */
export async function withinTime<Result>(
  milliseconds: number,
  signal: AbortSignal,
  work: (signal: AbortSignal, isOver: () => boolean) => Promise<Result>,
): Promise<Result> {
  const timeout = new AbortController()
  const timer = setTimeout(() => timeout.abort(), milliseconds)
  try {
    return await work(AbortSignal.any([signal, timeout.signal]), () => timeout.signal.aborted)
  } finally {
    clearTimeout(timer)
  }
}
