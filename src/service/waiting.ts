import { failed, type Outcome, succeeded } from '#prelude'
import { collectEvery } from './garbage-collector.ts'

const mebibyte = 2 ** 20

/** Bodies up to here are small: a few minutes of Opus, a minute of WAV. */
const smallBytes = 2 * mebibyte

/** What does not depend on how many recordings are cut at once. */
const shares = { small: 48 * mebibyte, large: 64 * mebibyte, clips: 144 * mebibyte, waiting: 128 * mebibyte }
const fixedBytes: number = Object.values(shares).reduce((sum, share) => sum + share, 0)

/** Memory of the process that cuts a recording, without the recording itself and its pieces. */
export const cuttingBytes: number = 100 * mebibyte

/** At least two recordings can be cut at once. */
export const minMemoryBytes: number = fixedBytes + 2 * cuttingBytes

/** Memory for one recording per slot of an engine. */
export function usualMemoryBytes(concurrency: number): number {
  return fixedBytes + Math.max(4, concurrency) * (cuttingBytes + 12 * mebibyte)
}

/** Chunks of bodies that may wait for the collector, which would let several bodies of 48 MiB come together. */
const maxReadBytes = 16 * mebibyte

/** The memory of a service for what requests bring: one limit, of which each kind has a share. */
export type Memory = ReturnType<typeof createMemory>

/** @param limitBytes at least `minMemoryBytes` */
export function createMemory(limitBytes: number) {
  const [small, large] = [createLane(shares.small), createLane(shares.large)]
  return {
    /** For a body or a file: small ones never wait behind large ones. @param sizeBytes as announced; infinity for none */
    bodies: (sizeBytes: number) => (sizeBytes > smallBytes ? large : small),
    /** Counts a chunk of a body that was read and is not needed any more. */
    read: collectEvery(maxReadBytes),
    /** Decoded, and waiting for an engine or under way. */
    clips: createLane(shares.clips),
    /** Long recordings as they came, until there is a process for them. */
    waiting: createLane(shares.waiting),
    /** Long recordings that are cut into pieces, each in a separate process. */
    recordings: createLane(limitBytes - fixedBytes),
  }
}

/** Bytes that a request has in memory. Disposing gives all of them back; doing it twice does no harm. */
export type Reservation = NonNullable<ReturnType<ReturnType<typeof createLane>['reserve']>>

interface Holder {
  usedBytes: number
  /** What it waits for. */
  waiting: { readonly sizeBytes: number; readonly resume: (isTaken: boolean) => void } | null
  /** Null for what is no upload, or has come. */
  onStalled: (() => void) | null
  /** What came since then. */
  windowBytes: number
  windowStartMs: number
}

const maxHolders = 4_096

/** While others wait an upload has to bring so much in so long. Loopback brings it in a hundredth of that. */
const progress = { bytes: 16_384, ms: 1_000, lookEveryMs: 250 } as const

/**
 * Lets requests have memory as long as it suffices, in the order in which they came. The oldest never waits, so that
 * one of them always gets to its end: a lane may hold more than its capacity by what that one needs.
 */
export function createLane(capacityBytes: number) {
  // In order of entry.
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

  /** Those who wait go on, the oldest first. */
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
    // No request has waited since the last look.
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
     * @param onStalled makes the reservation that of an upload: called when it made no progress while others waited
     * @returns null where too many are there already
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
         * @returns true where they fit at once; else a promise, of false where the request was given up meanwhile
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
        /** From now on it may rest: all of an upload has come. */
        settle() {
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
 * Admits a fixed number of callers at once, the others in order of arrival.
 *
 * @param slotCount concurrent callers, at least 1
 * @param maxQueue callers that may wait; one more is refused
 */
export function createSemaphore(slotCount: number, maxQueue: number) {
  const waiting = new Set<() => void>()
  let taken = 0

  function release(): void {
    const [next] = waiting
    if (next === undefined) {
      taken -= 1
      return
    }
    waiting.delete(next)
    next()
  }

  return {
    /** Callers that hold a slot, and those that wait for one. */
    count: () => ({ taken, waiting: waiting.size }),

    /**
     * Waits for a slot.
     *
     * @param isExpected continues work under way: it waits however long the queue is
     * @returns a function that releases the slot, to be called exactly once; or why there will be no slot
     */
    async acquire(signal: AbortSignal, isExpected = false): Promise<Outcome<() => void, 'full' | 'aborted'>> {
      if (signal.aborted) return failed('aborted')
      if (taken < slotCount) {
        taken += 1
        return succeeded(release)
      }
      if (!isExpected && waiting.size >= maxQueue) return failed('full')
      return new Promise((resolve) => {
        const giveUp = (): void => {
          waiting.delete(takeTurn)
          resolve(failed('aborted'))
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

/** Waits for the work or for the signal, whichever comes first. The work goes on, and its result is dropped. */
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
 * Does work with a signal that is aborted with the given one, or when the time is up. Not `AbortSignal.timeout`, which would be kept
 * in memory until then.
 *
 * @param work is given a function that says whether the time is up
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
