import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { Catalogue, Clip, Engine } from '#service/engines/engine'
import { createLoadedModels } from '../../src/service/transcription/loaded-models.ts'
import { createMemory, usualMemoryBytes } from '../../src/service/waiting.ts'
import { type ScriptedEvent, type ScriptedModel, scriptedCatalogue } from './scripted-catalogue.ts'

const clip: Clip = { samples: new Float32Array(1_600), fileName: null }
const plain = { language: null, timestamps: [], signal: new AbortController().signal } as const

interface Limits {
  readonly concurrency: number
  readonly instances?: number
  readonly idleUnloadSeconds?: number
  readonly maxQueue?: number
  /** What the engine says of itself. */
  readonly maxConcurrency?: number | null
}

/** One scripted model, asked directly, so that all calls come at the same moment. */
function askMany(count: number, script: ScriptedModel, limits: Limits) {
  const { maxConcurrency = null } = limits
  const events: ScriptedEvent[] = []
  const scripted = scriptedCatalogue({ it: script }, (event) => events.push(event))
  const engines = scripted.engines.map((engine) => ({
    ...engine,
    describe: () => ({ ...engine.describe(), maxConcurrency }),
  }))
  const { loaded, model } = loadedModels({ ...scripted, engines }, limits)
  const outcomes = Promise.all(Array.from({ length: count }, () => loaded.transcribe(model, clip, plain)))
  return { events, outcomes, loaded, model }
}

function loadedModels(catalogue: Catalogue, limits: Limits = { concurrency: 1 }) {
  const { concurrency, instances = 1, idleUnloadSeconds = null, maxQueue = 100 } = limits
  const [model] = catalogue.models
  if (model === undefined) throw new Error('no model')
  const loaded = createLoadedModels({
    catalogue,
    modelsDir: '/nowhere',
    threads: 1,
    instances,
    idleUnloadSeconds,
    concurrency,
    maxQueue,
    memory: createMemory(usualMemoryBytes(1)),
    log: () => undefined,
  })
  return { loaded, model }
}

/** How many calls were under way, after each event. */
function underWay(events: readonly ScriptedEvent[]): number[] {
  let count = 0
  return events.map(({ kind }) => {
    if (kind === 'started') count += 1
    if (kind === 'answered' || kind === 'failed') count -= 1
    return count
  })
}

/** One model of an engine that takes no notice of its signal until it is unloaded, as native code does. */
function uninterruptible(stage: 'loading' | 'transcribing') {
  const ended = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const failure = { ok: false, failure: { code: 'TRANSCRIPTION_FAILED', message: 'killed' } } as const
  const work = async () => {
    begun.resolve()
    await ended.promise
    return failure
  }
  const engine: Engine = {
    describe: () => ({ family: 'scripted', maxConcurrency: null, maxClipSeconds: null }),
    async load({ signal }) {
      signal?.addEventListener('abort', () => ended.resolve(), { once: true })
      if (stage === 'loading') return work()
      return { ok: true, value: { transcribe: work, unload: async () => ended.resolve() } }
    },
  }
  return { engine, begun: begun.promise }
}

describe('a loaded model', () => {
  test.each(['loading', 'transcribing'] as const)(
    'whose request was given up is freed at once, also while it is %s',
    async (stage) => {
      const { engine, begun } = uninterruptible(stage)
      const { loaded, model } = loadedModels({ ...scriptedCatalogue({ it: {} }), engines: [engine] })
      const controller = new AbortController()
      const outcome = loaded.transcribe(model, clip, { ...plain, signal: controller.signal })
      await begun
      controller.abort()
      expect(await outcome).toEqual({ ok: false, failure: 'abandoned' })
      await loaded.unloadAll()
    },
  )

  test('works on as many clips at once as it may, and on the others in the order in which they came', async () => {
    const { events, outcomes } = askMany(
      8,
      { otherwise: ({ index }) => ({ text: `${index}` }) },
      { concurrency: 3 },
    )
    const texts = (await outcomes).map((outcome) => (outcome.ok ? outcome.value.spoken.text : ''))
    expect(texts).toEqual(['0', '1', '2', '3', '4', '5', '6', '7'])
    expect(Math.max(...underWay(events))).toBe(3)
  })

  test('is not given more clips at once than its engine can work on', async () => {
    const { events, outcomes } = askMany(
      4,
      { otherwise: { delayMs: 1 } },
      { concurrency: 4, maxConcurrency: 1 },
    )
    await outcomes
    expect(Math.max(...underWay(events))).toBe(1)
  })

  test('is loaded once, and every call that waited for it says so', async () => {
    const { events, outcomes } = askMany(3, { loadMs: 5 }, { concurrency: 2 })
    const loadMs = (await outcomes).map((outcome) => (outcome.ok ? outcome.value.loadMs : null))
    expect(loadMs).toEqual([expect.any(Number), expect.any(Number), 0])
    expect(Math.min(loadMs[0] ?? 0, loadMs[1] ?? 0)).toBeGreaterThanOrEqual(5)
    expect(events.filter(({ kind }) => kind === 'loaded')).toHaveLength(1)
  })

  test('refuses what may not wait, while it is loaded as well', async () => {
    const { outcomes } = askMany(4, { loadMs: 5 }, { concurrency: 1, maxQueue: 2 })
    expect((await outcomes).map((outcome) => outcome.ok)).toEqual([true, true, true, false])
    expect((await outcomes)[3]).toMatchObject({ failure: { code: 'RATE_LIMITED' } })
  })

  test('that throws has failed, and takes the next clip', async () => {
    const throwing = ({ index }: { readonly index: number }) => {
      if (index === 0) throw new Error('out of memory')
      return { text: 'fine' }
    }
    const { outcomes, loaded } = askMany(2, { otherwise: throwing }, { concurrency: 1 })
    expect(await outcomes).toMatchObject([
      { ok: false, failure: { code: 'TRANSCRIPTION_FAILED', message: 'The engine failed: out of memory' } },
      { ok: true, value: { spoken: { text: 'fine' } } },
    ])
    await loaded.unloadAll()
  })

  test('with several copies shares the clips among them', async () => {
    const { events, outcomes, loaded } = askMany(
      8,
      { loadMs: 1, otherwise: { delayMs: 1 } },
      { concurrency: 1, instances: 3 },
    )
    expect((await outcomes).every((outcome) => outcome.ok)).toBe(true)
    expect(events.filter(({ kind }) => kind === 'loaded')).toHaveLength(3)
    expect(Math.max(...underWay(events))).toBe(3)
    await loaded.unloadAll()
    expect(events.filter(({ kind }) => kind === 'unloaded')).toHaveLength(3)
  })

  test('that was warmed up makes no request wait for it', async () => {
    const { events, outcomes, loaded, model } = askMany(0, { loadMs: 1 }, { concurrency: 1, instances: 2 })
    await outcomes
    await loaded.warmUp([model.id])
    expect(events.filter(({ kind }) => kind === 'loaded')).toHaveLength(2)
    expect(await loaded.transcribe(model, clip, plain)).toMatchObject({ ok: true, value: { loadMs: 0 } })
    await loaded.unloadAll()
  })

  test('without work is freed, and loaded again when it is asked for', async () => {
    const { events, outcomes, loaded, model } = askMany(2, {}, { concurrency: 1, idleUnloadSeconds: 0.02 })
    await outcomes
    while (!events.some(({ kind }) => kind === 'unloaded')) await nextTurn()
    expect(events.filter(({ kind }) => kind === 'loaded')).toHaveLength(1)
    expect(await loaded.transcribe(model, clip, plain)).toMatchObject({ ok: true })
    expect(events.filter(({ kind }) => kind === 'loaded')).toHaveLength(2)
    await loaded.unloadAll()
    expect(events.filter(({ kind }) => kind === 'unloaded')).toHaveLength(2)
  })
})
