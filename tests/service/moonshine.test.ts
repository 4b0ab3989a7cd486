import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { encodeWav } from '#audio/sound-stream'
import { endpoints } from '#contract/endpoints'
import { engineSampleRateHz } from '#service/engines/engine'
import { defaultCatalogue } from '#service/models/default-catalogue'
import { temporaryFolder } from '../temporary-folder.ts'
import { describeEngine } from './describe-engine.ts'
import { installedModels, joined, modelsDir, quickCorpus, samplesOf, whyNot } from './real-speech.ts'
import { base64, startTestService, type TestService } from './running-service.ts'

const installed = installedModels.filter(({ family }) => family === 'moonshine')
const reason = whyNot('moonshine-tiny')

interface Line {
  readonly id: string
  readonly audio: string
  readonly text: string
}

describe.skipIf(reason !== null)(`real speech${reason === null ? '' : ` (${reason})`}`, () => {
  describeEngine('moonshine', async () => {
    const engine = defaultCatalogue.engines.find((known) => known.describe().family === 'moonshine')
    const tiny = installed.find(({ id }) => id === 'moonshine-tiny')
    if (engine === undefined || tiny === undefined) throw new Error('no Moonshine')
    const model = { id: tiny.id, folder: tiny.folder, threads: 1 }
    return {
      engine,
      model,
      unloadable: { ...model, folder: join(tiny.folder, 'nowhere') },
      speech: {
        samples: await samplesOf('librivox-0930'),
        sha256: '0'.repeat(64),
        fileName: 'librivox-0930.wav',
      },
      expected: /^he might even have been made amiable himself/,
    }
  })

  let started: TestService
  beforeAll(async () => {
    started = await startTestService({
      catalogue: undefined,
      modelsDir,
      concurrency: 2,
      allowDirs: [join(quickCorpus, 'audio')],
    })
  })
  afterAll(() => started[Symbol.asyncDispose]())

  // First, while the model is not loaded yet.
  test('other requests are answered while a clip is decoded', async () => {
    const long = await joined(Array(4).fill('librivox-0930'), 0)
    const audio_base64 = base64(encodeWav(long, engineSampleRateHz))
    let isDone = false
    const transcribing = started
      .transcribe({ engine: 'moonshine', model: 'moonshine-tiny', audio_base64 })
      .finally(() => {
        isDone = true
      })
    let answeredMeanwhile = 0
    // On the event loop, loading and decoding would have let one or two through.
    while (!isDone && answeredMeanwhile <= 5) {
      await started.send('GET', '/health')
      if (!isDone) answeredMeanwhile += 1
    }
    expect((await transcribing).json['ok']).toBe(true)
    expect(answeredMeanwhile).toBeGreaterThan(5)
  })

  test('a model with a damaged file counts as not installed', async () => {
    await using folder = await temporaryFolder()
    await cp(join(modelsDir, 'moonshine-tiny'), join(folder.path, 'moonshine-tiny'), { recursive: true })
    const tokens = join(folder.path, 'moonshine-tiny', 'tokens.txt')
    const content = await readFile(tokens)
    content[5] = (content[5] ?? 0) ^ 1
    await writeFile(tokens, content)
    await using damaged = await startTestService({ catalogue: undefined, modelsDir: folder.path })
    const answer = await damaged.transcribe({
      engine: 'moonshine',
      model: 'moonshine-tiny',
      audio_base64: base64(encodeWav(await samplesOf('librivox-0930'), engineSampleRateHz)),
    })
    expect(answer.json).toMatchObject({ ok: false, error: { code: 'MODEL_NOT_INSTALLED' } })
  })

  test.each(installed.map(({ id }) => id))(
    '%s writes down the quick corpus, by path and as base64',
    async (model) => {
      const lines = (await readFile(join(quickCorpus, 'manifest.jsonl'), 'utf8')).trim().split('\n')
      const answers = await Promise.all(
        lines.map(async (line, index) => {
          const { audio, text } = JSON.parse(line) as Line
          const file = join(quickCorpus, audio)
          const carried = index % 2 === 0 ? { file } : { audio_base64: base64(await readFile(file)) }
          const answer = await started.transcribe({ engine: 'moonshine', model, language: 'en', ...carried })
          return { heard: endpoints.transcribe.answer.parse(answer.json), reference: text }
        }),
      )
      const rightCount = answers.reduce(
        (sum, { heard, reference }) => sum + sharedCount(heard.text, reference),
        0,
      )
      const wordCount = answers.reduce((sum, { reference }) => sum + words(reference).length, 0)
      expect(answers).toHaveLength(10)
      expect(rightCount / wordCount).toBeGreaterThan(0.75)
    },
  )

  test('a recording of 40 s is written down from beginning to end, with the times of its parts', async () => {
    const names = ['librivox-0870', 'librivox-0930', 'librivox-0880', 'librivox-0890', 'librivox-0920']
    const samples = await joined([...names, ...names.slice(0, 2)], 0.5)
    const answer = await started.transcribe({
      engine: 'moonshine',
      model: 'moonshine-tiny',
      audio_base64: base64(encodeWav(samples, engineSampleRateHz)),
      timestamp_granularities: ['segment'],
    })
    const { text, segments } = endpoints.transcribe.answer.parse(answer.json)
    const inOrder = ['leisure to consider', 'made amiable himself', 'young man', 'rather selfish', 'he was']
    expect(text.toLowerCase()).toMatch(new RegExp([...inOrder, ...inOrder.slice(0, 2)].join('.*')))
    expect(text).not.toMatch(/ {2}/)
    expect(segments?.map((segment) => segment.text).join(' ')).toBe(text)
    expect(segments?.at(-1)?.end).toBeLessThanOrEqual(samples.length / engineSampleRateHz)
  })
})

function words(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}

function sharedCount(heard: string, reference: string): number {
  const expected = words(reference)
  return words(heard).filter((word) => expected.includes(word)).length
}
