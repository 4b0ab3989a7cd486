import loadSpeex from '@echogarden/speex-resampler-wasm/simd'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { resample } from '#audio/resampling'
import { seededRandom } from '#prelude'
import { fitTone, tone } from './tone.ts'

const targetHz = 16_000

describe('a tone keeps its level, its phase and its purity', () => {
  const tones = [8_000, 11_025, 22_050, 24_000, 44_100, 48_000, 96_000].flatMap((fromHz) =>
    [100, 3_000, 7_000]
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

const blockFrames = 1 << 16

/** What the resampler makes of samples that are given to it one block after the other, and silence behind them. */
async function resampledDirectly(samples: Float32Array, fromHz: number, toHz: number): Promise<Float32Array> {
  const speex = await loadSpeex()
  const state = speex._speex_resampler_init(1, fromHz, toHz, 8, speex._malloc(4))
  speex._speex_resampler_skip_zeros(state)
  const room = Math.ceil((blockFrames * toHz) / fromHz) + 1
  const [inputAt, outputAt] = [speex._malloc(blockFrames * 4), speex._malloc(room * 4)]
  const [inputCountAt, outputCountAt] = [speex._malloc(4), speex._malloc(4)]
  const result = new Float32Array(Math.round((samples.length * toHz) / fromHz))
  for (let read = 0, written = 0; written < result.length; read += blockFrames) {
    speex.HEAPF32.fill(0, inputAt / 4, inputAt / 4 + blockFrames)
    speex.HEAPF32.set(samples.subarray(read, read + blockFrames), inputAt / 4)
    speex.HEAP32[inputCountAt / 4] = blockFrames
    speex.HEAP32[outputCountAt / 4] = room
    speex._speex_resampler_process_float(state, 0, inputAt, inputCountAt, outputAt, outputCountAt)
    const count = Math.min(speex.HEAP32[outputCountAt / 4] ?? 0, result.length - written)
    result.set(speex.HEAPF32.subarray(outputAt / 4, outputAt / 4 + count), written)
    written += count
  }
  return result
}

test('silence, a constant and the noise of a decoder become what they became when every sample was counted', async () => {
  const random = seededRandom(7)
  const packet = Float32Array.from({ length: 2_880 }, () => (random.below(3) - 1) / 32_768)
  const stretches: Readonly<Record<string, (index: number) => number>> = {
    silence: () => 0,
    'a constant': () => 6.7e-30,
    noise: (index) => packet[index % packet.length] as number,
    speech: (index) => Math.sin(index * index * 1e-6),
  }
  for (const [fromHz, toHz] of [
    [11_025, 8_000],
    [44_100, 16_000],
    [48_000, 16_000],
    [192_000, 8_000],
  ] as const) {
    const parts = [...Object.keys(stretches), 'silence', 'speech', 'noise'].map((name) =>
      Float32Array.from(
        { length: 20_000 + random.below(120_000) },
        (_, index) => stretches[name]?.(index) ?? 0,
      ),
    )
    const samples = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0))
    let at = 0
    for (const part of parts) {
      samples.set(part, at)
      at += part.length
    }
    const direct = await resampledDirectly(samples, fromHz, toHz)
    const found = await resample({ samples, sampleRateHz: fromHz }, toHz)
    expect(Buffer.from(found.buffer).equals(Buffer.from(direct.buffer)), `${fromHz} to ${toHz}`).toBe(true)
  }
})
