import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { resample } from '#audio/resampling'
import { fitTone, tone } from './tone.ts'

const targetHz = 16_000

describe('a tone keeps its level, its phase and its purity', () => {
  const tones = [8_000, 11_025, 22_050, 24_000, 44_100, 48_000, 96_000].flatMap((fromHz) =>
    [100, 440, 1_000, 3_000, 5_000, 7_000]
      .filter((frequencyHz) => frequencyHz < fromHz * 0.45)
      .map((frequencyHz) => [fromHz, frequencyHz] as const),
  )
  test.each(tones)('from %i Hz, %i Hz', async (fromHz, frequencyHz) => {
    const original = tone({ frequencyHz, sampleRateHz: fromHz, frameCount: fromHz / 2 })
    const samples = await resample({ sampleRateHz: fromHz, samples: original }, targetHz)
    const fit = fitTone(samples, { frequencyHz, sampleRateHz: targetHz, marginFrames: 500 })
    expect(fit.signalToNoiseDb).toBeGreaterThan(95)
    expect(20 * Math.log10(fit.amplitude / 0.5)).toBeCloseTo(0, 1)
    expect(fit.phase).toBeCloseTo(0, 2)
  })
})

test.each([8_500, 9_000, 12_000, 20_000])(
  'a tone of %i Hz does not come back from 48 kHz as another',
  async (frequencyHz) => {
    const original = tone({ frequencyHz, sampleRateHz: 48_000, frameCount: 24_000 })
    const samples = await resample({ sampleRateHz: 48_000, samples: original }, targetHz)
    const middle = samples.subarray(500, -500)
    const power = middle.reduce((sum, sample) => sum + sample * sample, 0) / middle.length
    expect(10 * Math.log10(power / 0.125)).toBeLessThan(-95)
  },
)

test('speech that begins and ends in silence gets no clicks at its ends', async () => {
  const samples = tone({ frequencyHz: 300, sampleRateHz: 44_100, frameCount: 44_100 })
  const fade = 2_205
  samples.forEach((sample, index) => {
    samples[index] = sample * Math.min(1, index / fade, (samples.length - 1 - index) / fade)
  })
  const resampled = await resample({ sampleRateHz: 44_100, samples }, targetHz)
  const ends = [...resampled.subarray(0, 20), ...resampled.subarray(-20)]
  expect(Math.max(...ends.map(Math.abs))).toBeLessThan(0.02)
})

test('the length is the duration at the new rate, and the last sample counts', async () => {
  const lengths = fc.record({
    frameCount: fc.integer({ min: 1, max: 150_000 }),
    fromHz: fc.constantFrom(8_000, 11_025, 22_050, 44_100, 48_000),
    toHz: fc.constantFrom(8_000, 16_000, 24_000),
  })
  await fc.assert(
    fc.asyncProperty(lengths, async ({ frameCount, fromHz, toHz }) => {
      const original = new Float32Array(frameCount).fill(0.25)
      const samples = await resample({ sampleRateHz: fromHz, samples: original }, toHz)
      expect(samples.length).toBe(Math.max(1, Math.round((frameCount * toHz) / fromHz)))
      // A constant reveals a lost block or a gap between blocks; the ends ring, as silence surrounds them.
      const middle = samples.subarray(400, -400)
      expect(middle.every((sample) => Math.abs(sample - 0.25) < 0.001)).toBe(true)
      expect(Math.abs(samples.at(-1) ?? 0)).toBeGreaterThan(0.02)
    }),
    { numRuns: 40 },
  )
})

test('mono at the right rate is handed through, not copied', async () => {
  const samples = Float32Array.of(0.1, 0.2)
  expect(await resample({ sampleRateHz: targetHz, samples }, targetHz)).toBe(samples)
})
