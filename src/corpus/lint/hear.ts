import { readFile } from 'node:fs/promises'
import { activeLevelMeter, rmsLevel } from '#audio/active-level'
import { soundStream } from '#audio/sound-stream'
import { undecodable } from '../errors.ts'
import type { VerifiedUtterance } from '../utterance.ts'
import { wordCounter } from '../words.ts'

/** An utterance with the measurements of its sound. */
export interface HeardUtterance {
  readonly utterance: VerifiedUtterance
  readonly words: number
  /** One channel has the inverted polarity of the other; then the first one was measured. */
  readonly isInverted: boolean
  /** RMS level in dBov; -Infinity for digital silence. */
  readonly levelDbov: number
  /** Beginning, end and active level of speech; null for digital silence. */
  readonly speech: {
    readonly fromSeconds: number
    readonly toSeconds: number
    readonly levelDbov: number
  } | null
  /** Number of runs of at least three samples at the peak value, where the wave was clipped. */
  readonly flatPeakCount: number
  /**
   * Levels of the first and last 20 ms in dB relative to the active level. Null in digital silence, and where
   * the background noise is too loud for the levels to mean anything.
   */
  readonly edgesDb: { readonly start: number; readonly end: number } | null
  readonly contour: LoudnessContour
}

const edgeSeconds = 0.02
const minRangeDb = 12
/** Fraction of the peak from which a sample counts as clipped. */
const flatShare = 0.998

/** Decodes a verified recording part by part, and measures it. */
export async function hear(utterance: VerifiedUtterance): Promise<HeardUtterance> {
  let meters: ReturnType<typeof startMeters> | null = null
  let isInverted = false
  for await (const part of soundStream(await readFile(utterance.audioPath))) {
    if (!part.ok) throw undecodable(utterance.audioPath, part.failure.reason)
    meters ??= startMeters(utterance.durationSeconds, part.value.sampleRateHz)
    meters.push(part.value.samples)
    isInverted = part.value.isInverted
  }
  if (meters === null) throw undecodable(utterance.audioPath, 'it has no samples')
  return {
    utterance,
    words: wordCounter()(utterance.text, utterance.language),
    isInverted,
    ...meters.finish(),
  }
}

function startMeters(durationSeconds: number, sampleRateHz: number) {
  const active = activeLevelMeter(sampleRateHz)
  const contour = contourMeter(Math.round(durationSeconds * sampleRateHz), sampleRateHz)
  const frames = frameLevels(Math.max(1, Math.round(edgeSeconds * sampleRateHz)))
  const peaks = flatPeaks()
  let [energy, count] = [0, 0]
  return {
    push(samples: Float32Array) {
      for (const sample of samples) energy += sample * sample
      count += samples.length
      for (const meter of [active, contour, frames, peaks]) meter.push(samples)
    },
    finish() {
      const found = active.finish()
      return {
        levelDbov: 10 * Math.log10(energy / count),
        speech:
          found === null
            ? null
            : {
                fromSeconds: found.from / sampleRateHz,
                toSeconds: found.to / sampleRateHz,
                levelDbov: found.levelDbov,
              },
        flatPeakCount: peaks.count(),
        edgesDb: found === null ? null : frames.edges(found.levelDbov),
        contour: contour.finish(),
      }
    },
  }
}

/** Measures the levels of consecutive frames, and of the last frame. @param size samples per frame */
function frameLevels(size: number): {
  push(samples: Float32Array): void
  edges(activeDbov: number): HeardUtterance['edgesDb']
} {
  const levels: number[] = []
  let [energy, filled] = [0, 0]
  let last = new Float32Array()
  return {
    push(samples) {
      for (const sample of samples) {
        energy += sample * sample
        filled += 1
        if (filled < size) continue
        levels.push(10 * Math.log10(energy / size))
        energy = filled = 0
      }
      const joined = new Float32Array(Math.min(size, samples.length) + last.length)
      joined.set(last)
      joined.set(samples.subarray(-size), last.length)
      last = joined.slice(-size)
    },
    edges(activeDbov) {
      // The background level is that of the quietest 5 % of the frames.
      const background =
        levels.toSorted((left, right) => left - right)[Math.floor(levels.length / 20)] ?? activeDbov
      if (activeDbov - background < minRangeDb) return null
      return { start: (levels[0] ?? activeDbov) - activeDbov, end: rmsLevel(last) - activeDbov }
    },
  }
}

/** Collects for each run of samples near the peak so far the largest value that three consecutive samples reach. */
function flatPeaks(): { push(samples: Float32Array): void; count(): number } {
  const tops: number[] = []
  let [peak, beforeLast, last, top] = [0, 0, 0, 0]
  const close = (): void => {
    if (top > 0) tops.push(top)
    beforeLast = last = top = 0
  }
  return {
    push(samples) {
      for (const sample of samples) {
        const value = Math.abs(sample)
        if (value > peak) peak = value
        if (value >= peak * flatShare) {
          top = Math.max(top, Math.min(beforeLast, last, value))
          beforeLast = last
          last = value
        } else close()
      }
    },
    count() {
      close()
      const limit = peak * flatShare
      return limit < 0.01 ? 0 : tops.filter((value) => value >= limit).length
    },
  }
}

/** Loudness of a recording over time, which is similar for all formats and levels of the same sound. */
interface LoudnessContour {
  /** Loudness of 16 equal parts, for a first comparison. */
  readonly coarse: Float32Array
  /** Loudness of frames of 20 ms. */
  readonly fine: Float32Array
}

const frameSeconds = 0.02
const coarseParts = 16
/** Maximum shift in frames, because encoders add up to 0.2 s at the beginning. */
const maxShift = 10
const coarseCorrelation = 0.75
const alikeCorrelation = 0.93

/** Measures the contour part by part. @param sampleCount samples of the whole recording */
function contourMeter(
  sampleCount: number,
  sampleRateHz: number,
): { push(samples: Float32Array): void; finish(): LoudnessContour } {
  const frames = Math.max(1, Math.floor(sampleCount / (frameSeconds * sampleRateHz)))
  const [coarse, fine] = [loudnessMeter(sampleCount, coarseParts), loudnessMeter(sampleCount, frames)]
  return {
    push(samples) {
      coarse.push(samples)
      fine.push(samples)
    },
    finish: () => ({ coarse: coarse.finish(), fine: fine.finish() }),
  }
}

/** Measures the root of the amplitude, which approximates loudness, so that no loud syllable dominates. */
function loudnessMeter(
  sampleCount: number,
  parts: number,
): { push(samples: Float32Array): void; finish(): Float32Array } {
  const startOf = (part: number): number => Math.floor((part * sampleCount) / parts)
  const energies = new Float64Array(parts)
  let [position, part] = [0, 0]
  return {
    push(samples) {
      for (const sample of samples) {
        while (part < parts - 1 && position >= startOf(part + 1)) part += 1
        energies[part] = (energies[part] as number) + sample ** 2
        position += 1
      }
    },
    finish: () =>
      Float32Array.from(energies, (energy, index) => {
        const count = startOf(index + 1) - startOf(index)
        return count === 0 ? 0 : Math.sqrt(Math.sqrt(energy / count))
      }),
  }
}

/** Whether two contours are of the same sound, shifted by at most 0.2 s. */
export function soundAlike(left: LoudnessContour, right: LoudnessContour): boolean {
  if (correlation(left.coarse, right.coarse, 0) < coarseCorrelation) return false
  for (let shift = -maxShift; shift <= maxShift; shift += 1) {
    if (correlation(left.fine, right.fine, shift) >= alikeCorrelation) return true
  }
  return false
}

/** Pearson correlation over the common frames. */
function correlation(left: Float32Array, right: Float32Array, shift: number): number {
  const from = Math.max(0, -shift)
  const to = Math.min(left.length, right.length - shift)
  const count = to - from
  if (count < 2) return 0
  let [sumLeft, sumRight, squaresLeft, squaresRight, products] = [0, 0, 0, 0, 0]
  for (let at = from; at < to; at += 1) {
    const [a, b] = [left[at] as number, right[at + shift] as number]
    sumLeft += a
    sumRight += b
    squaresLeft += a * a
    squaresRight += b * b
    products += a * b
  }
  const spread = Math.sqrt((squaresLeft - sumLeft ** 2 / count) * (squaresRight - sumRight ** 2 / count))
  return spread > 0 ? (products - (sumLeft * sumRight) / count) / spread : 0
}
