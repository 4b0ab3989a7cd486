/** A rate that is offered to a server: in requests, or in speech. */
export type OfferedRate =
  | { readonly requestsPerSecond: number }
  /** Seconds of audio per second: how many people speak at once, on average. */
  | { readonly audioSecondsPerSecond: number }

/** What a list of arrivals asks of a server. */
export interface OfferedLoad {
  readonly requestsPerSecond: number
  /** Seconds of audio per second. Above the server's speed (RTFx) a queue grows for ever. */
  readonly audioSecondsPerSecond: number
}

/**
 * Turns speech per second into requests per second.
 *
 * @param meanAudioSeconds mean length of what is sent, above 0
 */
export function requestsPerSecondOf(rate: OfferedRate, meanAudioSeconds: number): number {
  if ('requestsPerSecond' in rate) return rate.requestsPerSecond
  return rate.audioSecondsPerSecond / meanAudioSeconds
}

/**
 * The load that planned arrivals really offer, which for random ones differs from the rate they were made with.
 *
 * n arrivals span n - 1 intervals, so the rate is (n - 1) / (last - first), and the speech is that times the
 * mean length.
 *
 * @param dueAtMs ascending
 * @param audioSeconds of the same requests, in the same order
 * @returns null for fewer than two arrivals, or when all come at once
 */
export function offeredLoad(dueAtMs: readonly number[], audioSeconds: readonly number[]): OfferedLoad | null {
  if (dueAtMs.length !== audioSeconds.length) {
    throw new RangeError(
      `${dueAtMs.length} arrivals and ${audioSeconds.length} lengths do not belong together`,
    )
  }
  const spanSeconds = ((dueAtMs.at(-1) ?? 0) - (dueAtMs[0] ?? 0)) / 1000
  if (!(spanSeconds > 0)) return null
  const requestsPerSecond = (dueAtMs.length - 1) / spanSeconds
  const meanAudioSeconds = audioSeconds.reduce((sum, seconds) => sum + seconds, 0) / audioSeconds.length
  return { requestsPerSecond, audioSecondsPerSecond: requestsPerSecond * meanAudioSeconds }
}
