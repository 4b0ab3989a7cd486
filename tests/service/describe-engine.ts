import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Clip, type Engine, engineSampleRateHz, type LoadedModel } from '#service/engines/engine'

/** An engine under test, and a clip with words in it. */
export interface EngineCase {
  readonly engine: Engine
  readonly model: { readonly id: string; readonly folder: string; readonly threads: number }
  /** A model that the engine cannot load. */
  readonly unloadable: { readonly id: string; readonly folder: string; readonly threads: number }
  readonly speech: Clip
  /** What the engine is expected to hear in it, in lower case. */
  readonly expected: RegExp
}

const never = new AbortController().signal
const plain = { language: null, timestamps: [], signal: never } as const

function silence(sampleCount: number): Clip {
  return { samples: new Float32Array(sampleCount), fileName: null }
}

async function loaded({ engine, model }: EngineCase): Promise<LoadedModel> {
  const outcome = await engine.load(model)
  if (!outcome.ok) throw new Error(outcome.failure.message)
  return outcome.value
}

/** What every engine has to do, whatever is behind it. */
export function describeEngine(name: string, make: () => Promise<EngineCase>): void {
  describe(`the engine ${name}`, () => {
    let subject: EngineCase
    let model: LoadedModel
    beforeAll(async () => {
      subject = await make()
      model = await loaded(subject)
    })
    afterAll(() => model.unload())

    test('says what it is', () => {
      const { engine } = subject
      expect(engine.describe().family).toMatch(/^[a-z][a-z0-9-]*$/)
      expect(engine.describe()).toEqual(engine.describe())
    })

    test('hears the same words every time, also with several clips under way', async () => {
      const outcomes = await Promise.all([1, 2, 3].map(() => model.transcribe(subject.speech, plain)))
      for (const outcome of outcomes) {
        expect(outcome).toEqual(outcomes[0])
        expect(outcome.ok && outcome.value.text.toLowerCase()).toMatch(subject.expected)
      }
    })

    test('does not change the samples', async () => {
      const before = subject.speech.samples.slice()
      await model.transcribe(subject.speech, plain)
      expect(subject.speech.samples).toEqual(before)
    })

    test('hears nothing in silence, however short', async () => {
      for (const sampleCount of [1, 400, 1_600, engineSampleRateHz, 5 * engineSampleRateHz]) {
        const outcome = await model.transcribe(silence(sampleCount), plain)
        expect(outcome, `${sampleCount} samples`).toMatchObject({ ok: true, value: { text: '' } })
      }
    })

    test('hears the same words where times are asked for', async () => {
      const outcome = await model.transcribe(subject.speech, { ...plain, timestamps: ['segment', 'word'] })
      expect(outcome).toMatchObject({ ok: true, value: { text: expect.stringMatching(/\w/) } })
    })

    test('ends a clip that was given up', async () => {
      const controller = new AbortController()
      const work = model.transcribe(subject.speech, { ...plain, signal: controller.signal })
      controller.abort()
      await work
      expect((await model.transcribe(silence(1_600), plain)).ok).toBe(true)
    })

    test('fails to load what it cannot load, and does not throw', async () => {
      const { engine, unloadable } = subject
      expect((await engine.load(unloadable)).ok).toBe(false)
    })

    test('can be loaded again after it was unloaded', async () => {
      await model.unload()
      model = await loaded(subject)
      expect((await model.transcribe(silence(1_600), plain)).ok).toBe(true)
    })
  })
}
