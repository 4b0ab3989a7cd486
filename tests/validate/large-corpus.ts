/**
 * `large-corpus.ts files <folder> <count>` writes a corpus of so many small recordings that all differ;
 * `large-corpus.ts lines <folder> <count>` writes a manifest alone.
 */
import { createWriteStream } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { encodeWav } from '#audio/sound-stream'
import { seededRandom } from '#prelude'

const words = 'we moved the staging cluster to another city last week and nobody noticed it at all'.split(' ')
const sampleRateHz = 8000
const filesInFolder = 1000

const [kind, folder = '', count] = process.argv.slice(2)
const random = seededRandom(1)

async function* lines(): AsyncGenerator<string> {
  for (let index = 0; index < Number(count); index += 1) {
    const audio = `audio/${Math.floor(index / filesInFolder)}/utterance-${String(index).padStart(7, '0')}.wav`
    if (kind === 'files') await writeRecording(audio, index)
    const row = {
      id: `speaker-${index % 500}-chapter-${index % 7}-utterance-${index}`,
      audio,
      text: random.shuffled(words).slice(3).join(' '),
      ...(kind === 'files' ? {} : { durationSeconds: 1 + Math.round(random.unit() * 29_000) / 1000 }),
      ...(kind === 'files' ? {} : { sha256: index.toString(16).padStart(64, '0') }),
      language: 'en',
      speaker: `speaker-${index % 500}`,
    }
    yield `${JSON.stringify(row)}\n`
  }
}

async function writeRecording(audio: string, index: number): Promise<void> {
  if (index % filesInFolder === 0) await mkdir(join(folder, audio, '..'), { recursive: true })
  const samples = Float32Array.from({ length: 800 }, (_, at) => ((at * (index + 1)) % 997) / 1994)
  await writeFile(join(folder, audio), encodeWav(samples, sampleRateHz))
}

await mkdir(folder, { recursive: true })
await pipeline(Readable.from(lines()), createWriteStream(join(folder, 'manifest.jsonl')))
