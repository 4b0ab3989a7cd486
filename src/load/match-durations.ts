/** Something that can be spoken, and how long that takes. */
export interface Speakable {
  readonly id: string
  readonly audioSeconds: number
}

/** Two lengths as close as this are the same for a load, so that a wider choice of utterances is used. */
const closeEnough = 0.1

/**
 * Finds an utterance for each length of a trace: among those that differ by at most a tenth, one that was used
 * least so far, and the closest of them; where none is that close, the closest there is.
 *
 * @param wantedSeconds lengths in the order of sending
 * @param speakables at least one; equal input gives equal output
 * @returns ids, one for each length
 * @throws RangeError when there is nothing to choose from
 */
export function matchDurations(wantedSeconds: readonly number[], speakables: readonly Speakable[]): string[] {
  const used = speakables.map(() => 0)
  return wantedSeconds.map((wanted) => {
    // As ratios: a second more is much for two seconds and nothing for two minutes.
    const distances = speakables.map(({ audioSeconds }) => Math.abs(Math.log(audioSeconds / wanted)))
    const closest = distances.reduce((least, distance) => Math.min(least, distance), Number.POSITIVE_INFINITY)
    const reach = Math.max(Math.log(1 + closeEnough), closest)
    let best = -1
    for (const [candidate, distance] of distances.entries()) {
      if (distance > reach) continue
      const isBetter =
        best < 0 ||
        (used[candidate] ?? 0) < (used[best] ?? 0) ||
        (used[candidate] === used[best] && distance < (distances[best] ?? 0))
      if (isBetter) best = candidate
    }
    const chosen = speakables[best]
    if (chosen === undefined) throw new RangeError('there is no utterance to replay a trace with')
    used[best] = (used[best] ?? 0) + 1
    return chosen.id
  })
}
