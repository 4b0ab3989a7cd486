/** Level of speech while it is active, and the range of its activity. */
export interface ActiveLevel {
  /** Level over the active time, in dB below full scale (a square wave at full scale has 0 dBov). */
  readonly levelDbov: number
  /** Share of active time, 0..1. */
  readonly activityFactor: number
  /** Index of the first sample whose envelope exceeds the activity threshold; `to` is one past the last such sample. */
  readonly from: number
  readonly to: number
}

/** Time constant of the envelope, hangover and margin of ITU-T P.56. */
const smoothingSeconds = 0.03
const hangoverSeconds = 0.2
const marginDb = 15.9
/** Thresholds are 6.02 dB apart, down to -120 dBov, so that recordings quieter than 16 bits have a level too. */
const thresholdCount = 20

/**
 * Measures the active speech level by method B. The envelope is the rectified signal, exponentially smoothed twice.
 * For a threshold c, the active time a(c) is the time in which the envelope is at least c, or was in the last 200 ms.
 * The active level is
 *
 *   A = 10 log10(Σ x² / a(c))   at the threshold for which   A − 20 log10 c = 15.9 dB,
 *
 * interpolated between the two nearest thresholds. Pauses therefore do not lower the level of speech.
 *
 * @param samples nominally in -1..1
 * @returns null for digital silence, and for no samples
 * @see ITU-T P.56 (12/2011), clause 8
 */
export function activeLevel(samples: Float32Array, sampleRateHz: number): ActiveLevel | null {
  const meter = activeLevelMeter(sampleRateHz)
  meter.push(samples)
  return meter.finish()
}

interface ActiveSpan {
  readonly threshold: number
  activeCount: number
  hangover: number
  from: number
  to: number
}

/** Measures like `activeLevel`, for a recording that arrives in parts. */
export function activeLevelMeter(sampleRateHz: number): {
  push(samples: Float32Array): void
  finish(): ActiveLevel | null
} {
  const keep = Math.exp(-1 / (sampleRateHz * smoothingSeconds))
  const hangoverCount = Math.ceil(hangoverSeconds * sampleRateHz)
  const spans = Array.from({ length: thresholdCount }, (_, index): ActiveSpan => {
    const threshold = 2 ** (index - thresholdCount)
    return { threshold, activeCount: 0, hangover: hangoverCount, from: -1, to: 0 }
  })
  let [smooth, envelope, index, energy] = [0, 0, 0, 0]
  return {
    push(samples) {
      for (const sample of samples) {
        energy += sample * sample
        smooth = keep * smooth + (1 - keep) * Math.abs(sample)
        envelope = keep * envelope + (1 - keep) * smooth
        for (const span of spans) {
          if (envelope >= span.threshold) {
            if (span.from === -1) span.from = index
            span.activeCount += 1
            span.hangover = 0
            span.to = index + 1
          } else if (span.hangover < hangoverCount) {
            span.activeCount += 1
            span.hangover += 1
          }
        }
        index += 1
      }
    },
    finish: () => (energy === 0 ? null : findLevel(spans, energy, index)),
  }
}

function findLevel(spans: readonly ActiveSpan[], energy: number, sampleCount: number): ActiveLevel | null {
  const candidates = spans
    .filter(({ activeCount }) => activeCount > 0)
    .map(({ threshold, activeCount, from, to }) => {
      const levelDbov = 10 * Math.log10(energy / activeCount)
      return { levelDbov, excessDb: levelDbov - 20 * Math.log10(threshold) - marginDb, from, to }
    })
  // Thresholds ascend. A rises by less than the threshold does, so the difference falls through the margin once.
  const first = candidates.findIndex(({ excessDb }) => excessDb <= 0)
  const below = candidates.at(first)
  if (below === undefined) return null
  const above = candidates[first - 1] ?? below
  const span = above.excessDb - below.excessDb
  const share = span === 0 ? 0 : above.excessDb / span
  const levelDbov = above.levelDbov + share * (below.levelDbov - above.levelDbov)
  const activityFactor = Math.min(1, energy / 10 ** (levelDbov / 10) / sampleCount)
  return { levelDbov, activityFactor, from: below.from, to: below.to }
}

/** Returns the root mean square in dB below full scale; -Infinity for digital silence. */
export function rmsLevel(samples: Float32Array): number {
  let energy = 0
  for (const sample of samples) energy += sample * sample
  return 10 * Math.log10(energy / samples.length)
}

/** Returns the largest absolute value. */
export function peakOf(samples: Float32Array): number {
  let peak = 0
  for (const sample of samples) peak = Math.max(peak, Math.abs(sample))
  return peak
}
