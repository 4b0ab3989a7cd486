import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeSound, encodeWav } from '#audio/sound-stream'

test('what is written is read back, to half a step of 16 bits', async () => {
  const recordings = fc.float32Array({ min: -1, max: 1, noNaN: true, minLength: 1, maxLength: 400 })
  await fc.assert(
    fc.asyncProperty(recordings, fc.constantFrom(8_000, 16_000, 44_100), async (samples, sampleRateHz) => {
      const decoded = await decodeSound(encodeWav(samples, sampleRateHz))
      if (!decoded.ok) throw new Error(decoded.failure.reason)
      expect(decoded.value.sampleRateHz).toBe(sampleRateHz)
      const channel = decoded.value.samples
      expect(channel.length).toBe(samples.length)
      const worst = channel.reduce(
        (most, sample, at) => Math.max(most, Math.abs(sample - (samples[at] ?? 9))),
        0,
      )
      expect(worst).toBeLessThanOrEqual(0.5 / 32767 + 1e-7)
    }),
  )
})

test('reading and writing again changes no bit', async () => {
  const samples = Float32Array.from({ length: 5000 }, (_, index) => Math.sin(index * index))
  const once = encodeWav(samples, 16_000)
  const decoded = await decodeSound(once)
  expect(decoded.ok && encodeWav(decoded.value.samples, 16_000)).toEqual(once)
})

test('the header states one channel of 16 bits, and the bytes of a second', () => {
  const { buffer, byteOffset } = encodeWav(Float32Array.of(0, 1), 16_000)
  const header = new DataView(buffer, byteOffset)
  const [channels, rate, bytesPerSecond] = [
    header.getUint16(22, true),
    header.getUint32(24, true),
    header.getUint32(28, true),
  ]
  expect({ channels, rate, bytesPerSecond }).toEqual({ channels: 1, rate: 16_000, bytesPerSecond: 32_000 })
  expect([header.getUint16(32, true), header.getUint16(34, true)]).toEqual([2, 16])
})

test('samples out of range are clipped, and what is no number is silence', async () => {
  const decoded = await decodeSound(encodeWav(Float32Array.of(7, -7, Number.NaN, Infinity), 16_000))
  expect(decoded.ok && decoded.value.samples).toEqual(Float32Array.of(1, -1, 0, 1))
})
