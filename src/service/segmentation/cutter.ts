import { engineSampleRateHz } from '../engines/engine.ts'

/** A part of a recording that is short enough for an engine. */
export interface Piece {
  /** Seconds from the beginning of the recording. */
  readonly startSeconds: number
  /** Mono samples at `engineSampleRateHz`, in memory that no other piece shares. */
  readonly samples: Float32Array<ArrayBuffer>
  /** Whether the piece begins before the previous one ends, because there was no silence to cut at. */
  readonly overlaps: boolean
}

/** A segment of speech as sample positions in the recording; `end` is exclusive. */
export interface Speech {
  readonly start: number
  readonly end: number
}

/**
 * Silence that is kept on either side of speech: breath, the end of a last consonant, and the delay of the
 * detector.
 */
const marginSamples = Math.round(0.5 * engineSampleRateHz)

/** Overlap where speech has to be cut: long enough that both pieces share some words. */
const overlapSamples = 3 * engineSampleRateHz

/**
 * Cuts a recording into pieces while it is received, at long silences:
 *
 *   speech  ▆▆▆▆▆▆  ▆▆▆▆   ▆▆▆▆▆▆▆▆▆ ▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆
 *   pieces  |-----------------------|------------------|
 *                                                   |------   (no silence within the maximum length: overlap)
 *
 * A piece ends at the longest silence in the second half of its maximum length, else at the last one before
 * it. Of a longer silence only the margins are kept, between two pieces and at either end.
 *
 * @param maxPieceSeconds at least 1
 */
export function createCutter(maxPieceSeconds: number) {
  const longest = Math.floor(maxPieceSeconds * engineSampleRateHz)
  const overlap = Math.min(overlapSamples, Math.floor(longest / 3))
  const held = createWindow(longest + 2 * engineSampleRateHz)
  let overlaps = false

  /** Takes the piece that ends at `end`; the next one begins at `next`. */
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
      const remainingSpeech = speech.filter(({ end }) => end > held.start)
      // The detector reports speech late, so an additional margin before the last sample is kept.
      const speechStart = remainingSpeech[0]?.start ?? held.end - marginSamples
      if (!overlaps) held.dropUntil(Math.min(speechStart - marginSamples, held.end))
      if (remainingSpeech.length === 0 || held.end <= held.start + longest) return
      yield takeFull(remainingSpeech)
    }
  }

  return {
    /** The first sample that is in no piece yet. */
    get start() {
      return held.start
    },
    /**
     * @param samples the next samples of the recording, at most one second
     * @param speech ordered, disjoint speech so far; ongoing speech ends at the last sample or later. What
     * lies before `start` may be omitted.
     */
    push(samples: Float32Array, speech: readonly Speech[]): readonly Piece[] {
      held.append(samples)
      return [...pieces(speech)]
    },
    /** Returns the last pieces; nothing may be pushed afterwards. */
    finish(speech: readonly Speech[]): readonly Piece[] {
      const full = [...pieces(speech)]
      const last = speech.findLast(({ end }) => end > held.start)
      if (last === undefined) return full
      return [...full, take(Math.min(held.end, last.end + marginSamples), held.end)]
    },
  }
}

/** Silences after each segment of speech. */
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
 * The part of a recording that is in memory, addressed by positions in the recording.
 *
 * @param capacity maximum number of samples
 */
function createWindow(capacity: number) {
  const samples = new Float32Array(capacity)
  let [start, end] = [0, 0]
  return {
    /** The first sample in memory. */
    get start() {
      return start
    },
    /** The position after the last sample. */
    get end() {
      return end
    },
    append(more: Float32Array) {
      samples.set(more, end - start)
      end += more.length
    },
    copyUntil: (until: number) => samples.slice(0, until - start),
    /** Drops the samples before `next`; has no effect where they are already dropped. */
    dropUntil(next: number) {
      if (next <= start) return
      samples.copyWithin(0, next - start, end - start)
      start = next
    },
  }
}
