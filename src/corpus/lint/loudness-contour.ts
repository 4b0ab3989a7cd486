/** How loud each part of a recording is: alike for every format and level of the same sound. */
export interface LoudnessContour {
  /** Of 16 parts of the recording, for a first look. */
  readonly coarse: Float32Array
  /** Of frames of 20 ms. */
  readonly fine: Float32Array
}

const frameSeconds = 0.02
const coarseParts = 16
/** Encoders add up to a fifth of a second at the beginning. */
const mostShift = 10
const coarseCorrelation = 0.75
const alikeCorrelation = 0.93

/** Takes a recording part by part. @param sampleCount of the whole recording */
export function contourMeter(
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

/** The root of the amplitude, about as loudness grows, so that one loud syllable does not decide. */
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

/** Whether two recordings are the same sound, shifted by at most a fifth of a second. */
export function soundAlike(left: LoudnessContour, right: LoudnessContour): boolean {
  if (correlation(left.coarse, right.coarse, 0) < coarseCorrelation) return false
  for (let shift = -mostShift; shift <= mostShift; shift += 1) {
    if (correlation(left.fine, right.fine, shift) >= alikeCorrelation) return true
  }
  return false
}

/** Pearson's, over the frames that both have. */
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
