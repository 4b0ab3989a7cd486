import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { limitMessages } from '#contract/failures'
import { fixture } from '../audio/fixtures.ts'
import type { Animal } from '../audio/zoo/animal.ts'
import { wav } from '../audio/zoo/pcm-files.ts'
import { zoo } from '../audio/zoo/zoo.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { describeWith, missingHere, modelsDir, samplesOf } from './real-speech.ts'
import { type ServiceProcess, startServiceProcess } from './service-process.ts'

const mostBytes = 600e6
const mostRefusalMs = 2_000

interface Said {
  readonly ok: boolean
  readonly text?: string
  readonly error?: { readonly code: string; readonly message: string }
}

async function ask(
  service: ServiceProcess,
  file: string,
): Promise<{ readonly said: Said; readonly ms: number }> {
  const startedAtMs = performance.now()
  const body = JSON.stringify({ engine: 'moonshine', model: 'moonshine-tiny', file })
  const { text } = await service.send('POST', '/transcribe', { body })
  return { said: JSON.parse(text) as Said, ms: performance.now() - startedAtMs }
}

/** Words of one text that another one has as well, as a share. */
function sharedWords(heard: string, expected: string): number {
  const words = (text: string): string[] => text.toLowerCase().match(/[a-z']+/g) ?? []
  const those = words(expected)
  return words(heard).filter((word) => those.includes(word)).length / those.length
}

/** What is wrong with an answer, in words; null where it is the refusal or the text that the file deserves. */
function wrongWith({ fate }: Animal, said: Said, ms: number, expected: string): string | null {
  if (fate === 'refused') {
    const { code, message } = said.error ?? {}
    // A file above the limit of uploads is refused before it is decoded.
    if (code !== 'AUDIO_DECODE_FAILED' && message !== limitMessages.audio)
      return `was not refused: ${JSON.stringify(said)}`
    return ms < mostRefusalMs ? null : `was refused after ${ms.toFixed(0)} ms`
  }
  if (!said.ok) return `was refused: ${said.error?.message}`
  const { text = '' } = said
  if (fate === 'sound') return text === expected ? null : `was heard as ${JSON.stringify(text)}`
  if (fate === 'nearly the sound') {
    return sharedWords(text, expected) > 0.8 ? null : `was heard as ${JSON.stringify(text)}`
  }
  return text === '' ? null : `was heard as ${JSON.stringify(text)}, where it is silence`
}

describeWith(
  await missingHere('moonshine-tiny', 'silero-vad', 'the quick corpus'),
  'the zoo of audio files',
  () => {
    test('is refused within two seconds or heard as it is, within 600 MB', async () => {
      await using folder = await temporaryFolder()
      await using service = await startServiceProcess({
        catalogue: null,
        dataDir: join(folder.path, 'data'),
        modelsDir,
        allowDirs: [folder.path],
        warmUp: ['moonshine-tiny'],
      })
      const sound = Int16Array.from(await samplesOf('librivox-0930'), (sample) => Math.round(sample * 32_767))
      const file = join(folder.path, 'animal')
      await writeFile(file, wav(sound))
      const { text: expected = '' } = (await ask(service, file)).said
      expect(expected).toMatch(/amiable/i)
      const wrong: string[] = []
      const refusals: { readonly name: string; readonly ms: number }[] = []
      let [count, largest] = [0, 'none']
      for (const animal of zoo(sound, fixture('vorbis.ogg'))) {
        await writeFile(file, animal.make())
        const before = service.memory().mostBytes
        const { said, ms } = await ask(service, file)
        if (service.memory().mostBytes > before) largest = animal.name
        const problem = wrongWith(animal, said, ms, expected)
        if (problem !== null) wrong.push(`${animal.name} ${problem}`)
        if (animal.fate === 'refused') refusals.push({ name: animal.name, ms })
        count += 1
      }
      const { mostBytes: peakBytes, most } = service.memory()
      const slowest = refusals.toSorted((left, right) => right.ms - left.ms).slice(0, 5)
      process.stdout.write(
        `${count} animals: ${(peakBytes / 1e6).toFixed(0)} MB at most (${largest}: ${most}); the slowest of ` +
          `${refusals.length} refusals: ${slowest.map(({ name, ms }) => `${name} ${ms.toFixed(0)} ms`).join(', ')}\n`,
      )
      expect(wrong).toEqual([])
      expect(peakBytes).toBeLessThan(mostBytes)
    })
  },
)
