import { readFile } from 'node:fs/promises'
import { monoStream } from '#audio'
import { convolve } from '../derive/convolve.ts'
import { undecodable } from '../errors.ts'
import type { VerifiedUtterance } from '../utterances/utterance.ts'

/** Enough for speech, and every format carries it. */
const comparedHz = 8000
/** Codecs for speech keep more of the wave. Of the 329 prompts of one speaker, only pairs with the same text have as much. */
const sameCorrelation = 0.7
/** Of longer recordings the beginnings are compared: what both take in memory grows with it. */
const maxComparedSamples = 300 * comparedHz

/**
 * Whether two recordings are the same sound, by the correlation of their waves at the shift where it is largest. A telephone
 * may turn the wave upside down.
 */
export async function haveSameWave(
  left: VerifiedUtterance,
  right: VerifiedUtterance,
  maxShiftSeconds: number,
): Promise<boolean> {
  const [own, other] = await Promise.all([waveOf(left), waveOf(right)])
  const scale = Math.sqrt(energyOf(own) * energyOf(other))
  if (scale === 0) return false
  // Convolution with the reversed wave is correlation; no shift is at the last sample of the reversed one.
  const products = convolve(own, other.toReversed())
  const center = other.length - 1
  const reach = Math.round(maxShiftSeconds * comparedHz)
  const near = products.subarray(Math.max(0, center - reach), center + reach + 1)
  return near.some((product) => Math.abs(product) >= sameCorrelation * scale)
}

async function waveOf({ audioPath }: VerifiedUtterance): Promise<Float32Array> {
  const samples = new Float32Array(maxComparedSamples)
  let count = 0
  for await (const block of monoStream(await readFile(audioPath), comparedHz)) {
    if (!block.ok) throw undecodable(audioPath, block.failure.reason)
    const taken = block.value.subarray(0, maxComparedSamples - count)
    samples.set(taken, count)
    count += taken.length
    if (count === maxComparedSamples) break
  }
  return samples.subarray(0, count)
}

function energyOf(samples: Float32Array): number {
  return samples.reduce((sum, sample) => sum + sample * sample, 0)
}
