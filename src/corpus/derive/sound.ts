import { peakOf } from '#audio'

/** One channel of sound in memory. */
export interface Sound {
  /** Nominally in -1..1. */
  readonly samples: Float32Array
  readonly sampleRateHz: number
}

/** The factor of a gain in dB. */
export function gainOf(decibels: number): number {
  return 10 ** (decibels / 20)
}

export function scaled({ samples, sampleRateHz }: Sound, factor: number): Sound {
  return { samples: samples.map((sample) => sample * factor), sampleRateHz }
}

/** Turned down until nothing exceeds full scale; ratios within the sound stay as they are. */
export function withinFullScale(sound: Sound): Sound {
  const peak = peakOf(sound.samples)
  return peak <= 1 ? sound : scaled(sound, 1 / peak)
}
