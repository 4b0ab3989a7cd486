import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { encodeWav } from '#audio/sound-stream'
import { seededRandom } from '#prelude'

export interface SpokenUtterance {
  readonly id: string
  readonly text: string | readonly string[]
  readonly seconds?: number
  readonly speaker?: string
  readonly [key: string]: unknown
}

/** Bursts of filtered noise with the rhythm of syllables, and half a second of near silence at both ends. */
export function speechLike(seconds: number, seed: number, sampleRateHz = 16_000): Float32Array {
  const random = seededRandom(seed)
  const samples = new Float32Array(Math.round(seconds * sampleRateHz))
  const loudness: number[] = []
  let smooth = 0
  for (let index = 0; index < samples.length; index += 1) {
    const at = index / sampleRateHz
    const isInside = at > 0.5 && at < seconds - 0.5
    smooth += 0.3 * (random.unit() - 0.5 - smooth)
    const syllableNumber = Math.floor(at * 3)
    if (syllableNumber >= loudness.length) loudness.push(0.3 + 0.7 * random.unit())
    const syllable = Math.max(0, Math.sin(2 * Math.PI * 3 * at)) ** 2
    samples[index] = (isInside ? 0.8 * syllable * (loudness[syllableNumber] ?? 1) : 0.0005) * smooth
  }
  return samples
}

/** Writes a corpus of sounds that resemble speech. */
export async function spokenCorpus(folder: string, utterances: readonly SpokenUtterance[]): Promise<string> {
  const lines: string[] = []
  for (const [index, { seconds = 2, ...fields }] of utterances.entries()) {
    const audio = `audio/${index}.wav`
    await mkdir(dirname(join(folder, audio)), { recursive: true })
    await writeFile(join(folder, audio), encodeWav(speechLike(seconds, index + 1), 16_000))
    lines.push(JSON.stringify({ audio, ...fields }))
  }
  const manifest = join(folder, 'manifest.jsonl')
  await writeFile(manifest, `${lines.join('\n')}\n`)
  return manifest
}
