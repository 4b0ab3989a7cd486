import { describe, expect, test } from 'vitest'
import { monoStream } from '#audio/sound-stream'
import { fixture } from './fixtures.ts'
import type { Fate } from './zoo/animal.ts'
import { rateHz } from './zoo/pcm-files.ts'
import { zoo } from './zoo/zoo.ts'

/** A tone that rises, of three seconds: no two stretches of it are alike. */
const sound: Int16Array = Int16Array.from({ length: 3 * rateHz }, (_, index) =>
  Math.round(12_000 * Math.sin(index * index * 2e-6 + index * 0.05)),
)

const animals = zoo(sound, fixture('vorbis.ogg'))

interface Heard {
  readonly reason: string | null
  readonly seconds: number
  /** From what is to be heard: the largest, and the power of all against that of the sound. */
  readonly difference: number
  readonly noise: number
  readonly loudest: number
}

/** Decodes a file as the service does, holding no more of it than a second. */
async function hear(bytes: Uint8Array): Promise<Heard> {
  let [count, difference, loudest, power, noise] = [0, 0, 0, 0, 0]
  const result = (reason: string | null): Heard => ({
    reason,
    seconds: count / rateHz,
    difference,
    noise: noise / power,
    loudest,
  })
  for await (const block of monoStream(bytes, rateHz)) {
    if (!block.ok) return result(block.failure.reason)
    const samples = block.value
    for (let index = 0; index < samples.length; index += 1) {
      const [heard, expected] = [samples[index] as number, (sound[count + index] ?? 0) / 32_768]
      difference = Math.max(difference, Math.abs(heard - expected))
      loudest = Math.max(loudest, Math.abs(heard))
      noise += (heard - expected) ** 2
      power += expected ** 2
    }
    count += samples.length
  }
  return result(null)
}

async function check(fate: Fate, bytes: Uint8Array): Promise<void> {
  const heard = await hear(bytes)
  if (fate === 'refused') {
    expect(heard.reason, JSON.stringify(heard)).toMatch(/\w/)
    return
  }
  expect(heard.reason).toBeNull()
  if (typeof fate === 'string') {
    expect(Math.abs(heard.seconds - 3)).toBeLessThan(0.3)
    if (fate === 'sound') expect(heard.difference).toBeLessThan(2 / 32_768)
    else expect(heard.noise).toBeLessThan(0.1)
  } else {
    expect(heard.loudest).toBeLessThan(1e-3)
    expect(Math.abs(heard.seconds - fate.silenceSeconds)).toBeLessThan(0.5)
  }
}

test('the zoo has at least sixty animals, each with its own name', () => {
  expect(animals.length).toBeGreaterThanOrEqual(60)
  expect(new Set(animals.map(({ name }) => name)).size).toBe(animals.length)
})

describe('a hostile or odd file is refused, or heard as it is', () => {
  test.each(animals.filter(({ isLong }) => !isLong).map((animal) => [animal.name, animal] as const))(
    '%s',
    async (_name, { fate, make }) => {
      await check(fate, make())
    },
  )
})
