import { engineSampleRateHz } from '../engines/engine.ts'

/** A part of a recording that an engine transcribes at once. */
export interface Piece {
  /** Seconds from the recording's beginning. */
  readonly startSeconds: number
  /** Mono, `engineSampleRateHz`. Shares no memory with other pieces. */
  readonly samples: Float32Array<ArrayBuffer>
  /** It begins before the piece before it ended, because there was no silence to cut at. */
  readonly overlaps: boolean
}

/** A stretch of speech, in samples from the recording's beginning: the first one, and the one after the last. */
export interface Speech {
  readonly start: number
  readonly end: number
}

/**
 * Kept of a silence on either side of speech: breath, the end of a last consonant, and what the detector
 * notices late.
 */
const marginSamples = Math.round(0.5 * engineSampleRateHz)

/** Overlap where speech has to be cut: long enough for some words to occur in both pieces. */
const overlapSamples = 3 * engineSampleRateHz

/**
 * Cuts a recording into pieces while it comes in, where it is most silent:
 *
 *   speech  ▆▆▆▆▆▆  ▆▆▆▆   ▆▆▆▆▆▆▆▆▆ ▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆
 *   pieces  |-----------------------|------------------|
 *                                                   |------   (no silence in the longest piece: overlap)
 *
 * A piece ends in the longest silence of the second half of what it may hold, else in the last one before. Of a
 * silence longer than two margins only the margins are transcribed, where it lies between two pieces or at an end.
 *
 * @param maxPieceSeconds at least 1
 */
export function createCutter(maxPieceSeconds: number) {
  const longest = Math.floor(maxPieceSeconds * engineSampleRateHz)
  const overlap = Math.min(overlapSamples, Math.floor(longest / 3))
  const held = createWindow(longest + 2 * engineSampleRateHz)
  let overlaps = false

  /** Takes a piece that ends at `end`; the next one begins at `next`. */
  function take(end: number, next: number): Piece {
    const piece = {
      startSeconds: held.start / engineSampleRateHz,
      samples: held.copyUntil(end),
      overlaps,
    }
    overlaps = next < end
    held.dropUntil(next)
    return piece
  }

  function takeFull(speech: readonly Speech[]): Piece {
    const limit = held.start + longest
    const silence = bestSilence(silencesAfter(speech, held), limit - Math.floor(longest / 2), limit)
    if (silence === null) return take(limit, limit - overlap)
    const middle = Math.floor((silence.start + silence.end) / 2)
    if (silence.end - silence.start <= 2 * marginSamples) return take(Math.min(middle, limit), middle)
    return take(Math.min(silence.start + marginSamples, limit), silence.end - marginSamples)
  }

  function* pieces(speech: readonly Speech[]): Generator<Piece> {
    for (;;) {
      const left = speech.filter(({ end }) => end > held.start)
      // Speech is noticed some time after it began: as much again as the margin is kept for it.
      const speechStart = left[0]?.start ?? held.end - marginSamples
      if (!overlaps) held.dropUntil(Math.min(speechStart - marginSamples, held.end))
      if (left.length === 0 || held.end <= held.start + longest) return
      yield takeFull(left)
    }
  }

  return {
    /** The first sample that no piece has taken yet. */
    get start() {
      return held.start
    },
    /**
     * @param samples the next ones of the recording, a second of them at most
     * @param speech in order and apart from each other, as far as it is known; speech under way ends at the last
     *   sample, or later. What lies before `start` may be left out.
     */
    push(samples: Float32Array, speech: readonly Speech[]): readonly Piece[] {
      held.append(samples)
      return [...pieces(speech)]
    },
    /** The last pieces; nothing may be pushed after it. */
    finish(speech: readonly Speech[]): readonly Piece[] {
      const full = [...pieces(speech)]
      const last = speech.findLast(({ end }) => end > held.start)
      if (last === undefined) return full
      return [...full, take(Math.min(held.end, last.end + marginSamples), held.end)]
    },
  }
}

/** Silences behind the first speech: between the speech, and after it. */
function silencesAfter(speech: readonly Speech[], held: { readonly end: number }): Speech[] {
  return speech
    .map(({ end }, index) => ({ start: end, end: speech[index + 1]?.start ?? held.end }))
    .filter(({ start, end }) => start < end)
}

/** @returns null where there is no silence before the limit */
function bestSilence(silences: readonly Speech[], half: number, limit: number): Speech | null {
  const within = silences.filter(({ start }) => start < limit)
  const late = within.filter(({ end }) => end > half)
  const longest = Math.max(...late.map(({ start, end }) => end - start))
  return late.find(({ start, end }) => end - start === longest) ?? within.at(-1) ?? null
}

/**
 * The part of a recording that is in memory: its samples keep the numbers that they have in the recording.
 *
 * @param capacity samples, never exceeded
 */
function createWindow(capacity: number) {
  const samples = new Float32Array(capacity)
  let [start, end] = [0, 0]
  return {
    /** The first sample that is held. */
    get start() {
      return start
    },
    /** The one after the last. */
    get end() {
      return end
    },
    append(more: Float32Array) {
      samples.set(more, end - start)
      end += more.length
    },
    copyUntil: (until: number) => samples.slice(0, until - start),
    /** Frees the samples before `next`; does nothing where they are already freed. */
    dropUntil(next: number) {
      if (next <= start) return
      samples.copyWithin(0, next - start, end - start)
      start = next
    },
  }
}
