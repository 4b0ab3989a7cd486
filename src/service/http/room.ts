import { failed, type Outcome, succeeded } from '#prelude'

/** Memory that a request may use until it is answered. Disposing of it twice does no harm. */
export type Place = Disposable

/**
 * How many bodies and recordings may be in memory at once, by their size. The others wait unread, so that their
 * clients feel it, in the order in which they came; the small ones never behind the large ones.
 */
export interface Room {
  /** @param sizeBytes as announced; infinity where nothing was */
  enter(sizeBytes: number, signal: AbortSignal): Promise<Outcome<Place, 'full' | 'aborted'>>
}

/** A few seconds of speech: nobody counts these. */
const freeBytes = 2 ** 16
const largeBytes = 2 * 2 ** 20
/**
 * Bytes of bodies in each lane. A recording takes several times its own size while it is decoded and resampled,
 * so that one of 48 MiB is alone in the large lane, and six of 8 MiB share it.
 */
const laneBytes = { small: 48 * 2 ** 20, large: 52 * 2 ** 20 } as const
const longestQueue = 4_096

const noPlace: Place = { [Symbol.dispose]: () => undefined }

export function createRoom(): Room {
  const small = createLane(laneBytes.small)
  const large = createLane(laneBytes.large)
  return {
    async enter(sizeBytes, signal) {
      if (sizeBytes <= freeBytes) return succeeded(noPlace)
      return sizeBytes > largeBytes ? large(sizeBytes, signal) : small(sizeBytes, signal)
    },
  }
}

type Lane = Room['enter']

interface Waiting {
  readonly weight: number
  begin(): void
}

/** Lets requests in as long as they fit together, strictly in order. One that never fits goes alone. */
function createLane(capacityBytes: number): Lane {
  const queue = new Set<Waiting>()
  let usedBytes = 0

  const fits = (weight: number): boolean => usedBytes === 0 || usedBytes + weight <= capacityBytes

  function place(weight: number): Place {
    let isHeld = true
    usedBytes += weight
    return {
      [Symbol.dispose]() {
        if (!isHeld) return
        isHeld = false
        usedBytes -= weight
        admit()
      },
    }
  }

  function admit(): void {
    for (const waiting of queue) {
      if (!fits(waiting.weight)) return
      queue.delete(waiting)
      waiting.begin()
    }
  }

  return async (sizeBytes, signal) => {
    const weight = Math.min(sizeBytes, capacityBytes)
    if (signal.aborted) return failed('aborted')
    if (queue.size === 0 && fits(weight)) return succeeded(place(weight))
    if (queue.size >= longestQueue) return failed('full')
    return new Promise((resolve) => {
      const giveUp = (): void => {
        queue.delete(waiting)
        resolve(failed('aborted'))
        admit()
      }
      const waiting: Waiting = {
        weight,
        begin() {
          signal.removeEventListener('abort', giveUp)
          resolve(succeeded(place(weight)))
        },
      }
      queue.add(waiting)
      signal.addEventListener('abort', giveUp, { once: true })
    })
  }
}
