/** A sine of the given amplitude. */
export function tone(options: {
  readonly frequencyHz: number
  readonly sampleRateHz: number
  readonly frameCount: number
  readonly amplitude?: number
}): Float32Array {
  const { frequencyHz, sampleRateHz, frameCount, amplitude = 0.5 } = options
  return Float32Array.from(
    { length: frameCount },
    (_, index) => amplitude * Math.sin((2 * Math.PI * frequencyHz * index) / sampleRateHz),
  )
}

export interface ToneFit {
  readonly amplitude: number
  /** Phase at the first sample, in radians; 0 for a sine. */
  readonly phase: number
  /** Power of the tone over the power of everything else, in dB. */
  readonly signalToNoiseDb: number
}

/** Finds by least squares how much of a tone is in samples. The ends are left out, `marginFrames` at each. */
export function fitTone(
  samples: Float32Array,
  {
    frequencyHz,
    sampleRateHz,
    marginFrames,
  }: { frequencyHz: number; sampleRateHz: number; marginFrames: number },
): ToneFit {
  let [ss, cc, sc, xs, xc, xx] = [0, 0, 0, 0, 0, 0]
  for (let index = marginFrames; index < samples.length - marginFrames; index += 1) {
    const angle = (2 * Math.PI * frequencyHz * index) / sampleRateHz
    const [sine, cosine, sample] = [Math.sin(angle), Math.cos(angle), samples[index] ?? 0]
    ss += sine * sine
    cc += cosine * cosine
    sc += sine * cosine
    xs += sample * sine
    xc += sample * cosine
    xx += sample * sample
  }
  const determinant = ss * cc - sc * sc
  const a = (xs * cc - xc * sc) / determinant
  const b = (xc * ss - xs * sc) / determinant
  const tonePower = a * a * ss + 2 * a * b * sc + b * b * cc
  const noisePower = Math.max(1e-30, xx - tonePower)
  return {
    amplitude: Math.hypot(a, b),
    phase: Math.atan2(b, a),
    signalToNoiseDb: 10 * Math.log10(tonePower / noisePower),
  }
}
