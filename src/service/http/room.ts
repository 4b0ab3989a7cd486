import { failed, type Outcome, succeeded } from '#prelude'
import { createTurnstile, type Turnstile } from '../engines/turnstile.ts'

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
/** 64 MiB of bodies, and what is decoded from them. */
const smallPlaces = 32
/** Each may come to five times its body: 36 MiB of audio, and its samples before and after resampling. */
const largePlaces = 2
const longestQueue = 4_096

const noPlace: Place = { [Symbol.dispose]: () => undefined }

export function createRoom(): Room {
  const small = createTurnstile(smallPlaces, longestQueue)
  const large = createTurnstile(largePlaces, longestQueue)
  return {
    async enter(sizeBytes, signal) {
      if (sizeBytes <= freeBytes) return succeeded(noPlace)
      return take(sizeBytes > largeBytes ? large : small, signal)
    },
  }
}

async function take(turnstile: Turnstile, signal: AbortSignal): Promise<Outcome<Place, 'full' | 'aborted'>> {
  const turn = await turnstile.enter(signal)
  if (!turn.ok) return failed(turn.failure)
  let isTaken = true
  return succeeded({
    [Symbol.dispose]() {
      if (isTaken) turn.value()
      isTaken = false
    },
  })
}
