/**
 * The recordings of the quick corpus, damaged in known ways, with what an engine that hears rightly would answer.
 * All of it is seeded: the same files every time.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { resample } from '#audio/resampling'
import { decodeSound, encodeWav } from '#audio/sound-stream'
import { readCorpus } from '#corpus/read-corpus'
import { seededRandom } from '#prelude'

const sampleRateHz = 16_000

/** A way to damage a recording. */
export interface Damage {
  readonly name: string
  /** What a detector should find, and what it may. */
  readonly expected: string
  readonly apply: (samples: Float32Array, noise: () => number) => Float32Array
}

const speechLevel = (samples: Float32Array): number =>
  Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length)

const noisy =
  (signalToNoiseDb: number): Damage['apply'] =>
  (samples, noise) => {
    // Uniform noise of amplitude 1 has the level 1/√3.
    const amplitude = speechLevel(samples) * Math.sqrt(3) * 10 ** (-signalToNoiseDb / 20)
    return samples.map((sample) => Math.max(-1, Math.min(1, sample + amplitude * noise())))
  }

function joined(...parts: readonly Float32Array[]): Float32Array {
  const all = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

const part = (samples: Float32Array, from: number, to: number): Float32Array =>
  samples.slice(Math.round(from * samples.length), Math.round(to * samples.length))

export const damages: readonly Damage[] = [
  { name: 'clean', expected: 'nothing', apply: (samples) => samples },
  { name: 'first-half', expected: 'missing end', apply: (samples) => part(samples, 0, 0.5) },
  { name: 'second-half', expected: 'missing start', apply: (samples) => part(samples, 0.5, 1) },
  {
    name: 'no-middle',
    expected: 'missing middle, where eight words fall out',
    apply: (samples) => joined(part(samples, 0, 0.25), part(samples, 0.75, 1)),
  },
  { name: 'noise-5dB', expected: 'nothing, or what the noise does', apply: noisy(5) },
  { name: 'noise-minus-5dB', expected: 'empty output, inventions', apply: noisy(-5) },
  {
    name: 'four-times',
    expected: 'loop or hallucination: three quarters of what is heard is not in the reference',
    apply: (samples) => joined(samples, samples, samples, samples),
  },
]

/** Recordings without speech: silence, and noise of a quiet room and of a loud one. */
const silences: readonly { readonly name: string; readonly seconds: number; readonly amplitude: number }[] = [
  { name: 'silence-5s', seconds: 5, amplitude: 0 },
  { name: 'silence-30s', seconds: 30, amplitude: 0 },
  { name: 'quiet-noise-30s', seconds: 30, amplitude: 0.001 },
  { name: 'loud-noise-5s', seconds: 5, amplitude: 0.2 },
  { name: 'loud-noise-30s', seconds: 30, amplitude: 0.2 },
]

/** Writes the damaged recordings with a manifest, each tagged with what was done to it. */
export async function writeDamagedCorpus(folder: string, quick: string): Promise<string> {
  await mkdir(join(folder, 'audio'), { recursive: true })
  const random = seededRandom(20_261_121)
  const noise = (): number => 2 * random.unit() - 1
  const lines: object[] = []
  const add = async (id: string, samples: Float32Array, text: string, tags: string[]): Promise<void> => {
    const audio = `audio/${id}.wav`
    await writeFile(join(folder, audio), encodeWav(samples, sampleRateHz))
    lines.push({ id, audio, text, language: 'en', tags })
  }
  for (const { id, audioPath, text } of (await readCorpus(quick, { env: {} })).utterances) {
    const decoded = await decodeSound(await readFile(audioPath))
    if (!decoded.ok) throw new Error(decoded.failure.reason)
    const samples = await resample(decoded.value, sampleRateHz)
    for (const { name, apply } of damages) await add(`${id}.${name}`, apply(samples, noise), text, [name])
  }
  for (const { name, seconds, amplitude } of silences) {
    const samples = Float32Array.from({ length: seconds * sampleRateHz }, () => amplitude * noise())
    await add(name, samples, '', ['no-speech'])
  }
  const manifest = join(folder, 'manifest.jsonl')
  await writeFile(manifest, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  return manifest
}
