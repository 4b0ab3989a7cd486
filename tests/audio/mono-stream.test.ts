import { expect, test } from 'vitest'
import { resample } from '#audio/resampling'
import { decodeSound, encodeWav, mixer, monoStream } from '#audio/sound-stream'
import { fixture, fixtureNames } from './fixtures.ts'

const rateHz = 16_000

async function whole(bytes: Uint8Array): Promise<Float32Array> {
  const audio = await decodeSound(bytes)
  if (!audio.ok) throw new Error(audio.failure.reason)
  return resample(audio.value, rateHz)
}

async function streamed(bytes: Uint8Array): Promise<Float32Array[]> {
  const blocks: Float32Array[] = []
  for await (const block of monoStream(bytes, rateHz)) {
    if (!block.ok) throw new Error(block.failure.reason)
    expect(block.value.length).toBeGreaterThan(0)
    blocks.push(block.value)
  }
  return blocks
}

function isSame(blocks: readonly Float32Array[], samples: Float32Array): boolean {
  const joined = Buffer.concat(
    blocks.map((block) => Buffer.from(block.buffer, block.byteOffset, block.byteLength)),
  )
  return joined.equals(Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength))
}

test.each(fixtureNames)('%s gives the same samples part by part as in one piece', async (name) => {
  const bytes = fixture(name)
  expect(isSame(await streamed(bytes), await whole(bytes))).toBe(true)
})

test.each([8_000, 16_000, 44_100, 48_000])('so does a longer one of %i Hz', async (fromHz) => {
  const samples = Float32Array.from({ length: 200_001 }, (_, index) => Math.sin(index * index * 1e-6))
  const bytes = encodeWav(samples, fromHz)
  const blocks = await streamed(bytes)
  expect(isSame(blocks, await whole(bytes))).toBe(true)
  expect(blocks.length).toBeGreaterThan(1)
})

test('two channels become their mean, sample by sample, also where both are silent or stay the same', () => {
  const steady = (value: number): Float32Array => new Float32Array(1_000).fill(value)
  const sound = (turn: number): Float32Array =>
    Float32Array.from({ length: 1_000 }, (_, index) => Math.sin(index * turn))
  const pairs: readonly (readonly [Float32Array, Float32Array])[] = [
    [steady(0), steady(0)],
    [steady(6.7e-30), steady(0.3)],
    [sound(0.1), steady(0)],
    [sound(0.1), sound(0.2)],
    [steady(0), steady(0)],
  ]
  const mix = mixer()
  for (const [left, right] of pairs) {
    const mean = left.map((sample, index) => sample / 2 + (right[index] as number) / 2)
    expect(mix([left, right])).toEqual({ samples: mean, isInverted: false })
  }
  const upsideDown = mixer()
  upsideDown([steady(0), steady(0)])
  const left = sound(0.1)
  expect(upsideDown([left, left.map((sample) => -sample)])).toEqual({ samples: left, isInverted: true })
})
