import { readFile } from 'node:fs/promises'
import { activeLevel, decodeAudio, peakOf, rmsLevel, toMono } from '#audio'
import { wordCounter } from '../texts/word-counter.ts'
import type { VerifiedUtterance } from '../utterances/utterance.ts'
import { type LoudnessContour, loudnessContour } from './loudness-contour.ts'

/** An utterance with what was measured in its sound. */
export interface HeardUtterance {
  readonly utterance: VerifiedUtterance
  readonly words: number
  /** RMS in dBov; -Infinity for digital silence. */
  readonly levelDbov: number
  /** Where speech begins and ends; null for digital silence. */
  readonly speech: {
    readonly fromSeconds: number
    readonly toSeconds: number
    readonly levelDbov: number
  } | null
  /** Stretches of at least three samples at the largest value: where the wave was cut. */
  readonly flatPeakCount: number
  /**
   * Levels of the first and last 20 ms, in dB above the active level; null where they say nothing: in digital silence, and
   * where noise is so loud that its own level is no further below.
   */
  readonly edgesDb: { readonly start: number; readonly end: number } | null
  readonly contour: LoudnessContour
}

const edgeSeconds = 0.02
const leastRangeDb = 12

/** Decodes a verified recording and measures it. */
export async function hear(utterance: VerifiedUtterance): Promise<HeardUtterance> {
  const decoded = await decodeAudio(await readFile(utterance.audioPath))
  if (!decoded.ok)
    throw new Error(`${utterance.audioPath} was verified and cannot be decoded: ${decoded.failure.reason}`)
  const { sampleRateHz } = decoded.value
  const samples = await toMono(decoded.value, sampleRateHz)
  const active = activeLevel(samples, sampleRateHz)
  const edge = Math.max(1, Math.round(edgeSeconds * sampleRateHz))
  return {
    utterance,
    words: wordCounter()(utterance.text, utterance.language),
    levelDbov: rmsLevel(samples),
    speech:
      active === null
        ? null
        : {
            fromSeconds: active.from / sampleRateHz,
            toSeconds: active.to / sampleRateHz,
            levelDbov: active.levelDbov,
          },
    flatPeakCount: countFlatPeaks(samples),
    edgesDb: active === null ? null : edgesOf(samples, edge, active.levelDbov),
    contour: loudnessContour(samples, sampleRateHz),
  }
}

/** The quietest twentieth of the frames is taken for the background. */
function edgesOf(samples: Float32Array, edge: number, activeDbov: number): HeardUtterance['edgesDb'] {
  const levels: number[] = []
  for (let from = 0; from + edge <= samples.length; from += edge)
    levels.push(rmsLevel(samples.subarray(from, from + edge)))
  const background =
    levels.toSorted((left, right) => left - right)[Math.floor(levels.length / 20)] ?? activeDbov
  if (activeDbov - background < leastRangeDb) return null
  const above = (part: Float32Array): number => rmsLevel(part) - activeDbov
  return { start: above(samples.subarray(0, edge)), end: above(samples.subarray(-edge)) }
}

function countFlatPeaks(samples: Float32Array): number {
  const limit = peakOf(samples) * 0.998
  if (limit < 0.01) return 0
  let [stretches, length] = [0, 0]
  for (const sample of samples) {
    length = Math.abs(sample) >= limit ? length + 1 : 0
    if (length === 3) stretches += 1
  }
  return stretches
}
