import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { encodeWav } from '#audio/sound-stream'

const sampleRateHz = 16_000

/**
 * Writes a corpus of short tones, each a little longer than the one before, with the given references. What a
 * scripted engine says to them is the script's business. An empty reference is tagged `no-speech`.
 *
 * @param othersSeconds length of all but the first, which is half a second long
 * @returns the path of the manifest; the recordings are `audio/<id>.wav` beside it
 */
export async function writeToneCorpus(
  folder: string,
  references: Readonly<Record<string, string>>,
  othersSeconds = 0.5,
): Promise<string> {
  await mkdir(join(folder, 'audio'), { recursive: true })
  const lines: string[] = []
  for (const [index, [id, text]] of Object.entries(references).entries()) {
    const samples = Float32Array.from(
      { length: sampleRateHz * ((index === 0 ? 0.5 : othersSeconds) + index / 10) },
      (_, position) => 0.3 * Math.sin((2 * Math.PI * (300 + 50 * index) * position) / sampleRateHz),
    )
    await writeFile(join(folder, 'audio', `${id}.wav`), encodeWav(samples, sampleRateHz))
    const tags = text === '' ? ['no-speech'] : undefined
    lines.push(JSON.stringify({ id, audio: `audio/${id}.wav`, text, tags }))
  }
  const manifest = join(folder, 'manifest.jsonl')
  await writeFile(manifest, `${lines.join('\n')}\n`)
  return manifest
}
