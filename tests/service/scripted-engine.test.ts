import { describe, expect, test } from 'vitest'
import type { Clip } from '#service/engines/engine'
import { describeEngine } from './describe-engine.ts'
import { type ScriptedEvent, scriptedCatalogue, soundKey } from './scripted-catalogue.ts'

const speech: Clip = { samples: new Float32Array(8_000), fileName: 'hello.wav' }
const other: Clip = { samples: new Float32Array(8_000).fill(1), fileName: 'other.wav' }
const plain = { language: 'en', timestamps: [], signal: new AbortController().signal } as const

describeEngine('scripted', async () => {
  const hello = { text: 'Hello.', segments: [{ id: 0, start: 0, end: 1, text: 'Hello.' }], words: [] }
  const [engine] = scriptedCatalogue({ good: { byFile: { 'hello.wav': hello } } }).engines
  if (engine === undefined) throw new Error('no engine')
  const model = { id: 'good', folder: '/nowhere', threads: 1 }
  return { engine, model, unloadable: { ...model, id: 'unknown' }, speech, expected: /^hello\.$/ }
})

describe('a script', () => {
  test('is looked up by sound, then by file, then by the call, then otherwise', async () => {
    const catalogue = scriptedCatalogue({
      it: {
        bySound: { [soundKey(speech.samples)]: { text: 'by sound' } },
        byFile: { 'hello.wav': { text: 'never' }, 'other.wav': { text: 'by file' } },
        inOrder: [{}, {}, { text: 'third call' }],
        otherwise: ({ index, durationSeconds }) => ({ text: `call ${index} of ${durationSeconds} s` }),
      },
    })
    const loaded = await catalogue.engines[0]?.load({ id: 'it', folder: '', threads: 1 })
    if (loaded?.ok !== true) throw new Error('not loaded')
    const texts: string[] = []
    for (const clip of [speech, other, { ...other, fileName: null }, { ...other, fileName: null }]) {
      const outcome = await loaded.value.transcribe(clip, plain)
      texts.push(outcome.ok ? outcome.value.text : outcome.failure.code)
    }
    expect(texts).toEqual(['by sound', 'by file', 'third call', 'call 3 of 0.5 s'])
  })

  test('takes at least as long as it says, and reports what happens', async () => {
    const events: ScriptedEvent[] = []
    const script = { inOrder: [{ text: 'a', delayMs: 30 }, { failure: 'TIMEOUT' as const }] }
    const catalogue = scriptedCatalogue({ it: script }, (event) => events.push(event))
    const loaded = await catalogue.engines[0]?.load({ id: 'it', folder: '', threads: 1 })
    if (loaded?.ok !== true) throw new Error('not loaded')
    const startedAtMs = performance.now()
    await loaded.value.transcribe(speech, plain)
    expect(performance.now() - startedAtMs).toBeGreaterThanOrEqual(30)
    expect(await loaded.value.transcribe(speech, plain)).toMatchObject({
      ok: false,
      failure: { code: 'TIMEOUT' },
    })
    await loaded.value.unload()
    expect(events.map(({ kind }) => kind)).toEqual([
      'loaded',
      'started',
      'answered',
      'started',
      'failed',
      'unloaded',
    ])
  })
})
