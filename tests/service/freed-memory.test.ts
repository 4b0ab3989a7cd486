import { describe, expect, test } from 'vitest'
import { encodeWav } from '#audio/sound-stream'
import { succeeded } from '#prelude'
import { createMemory, usualMemoryBytes } from '../../src/service/waiting.ts'
import { startTestService } from './running-service.ts'
import { scriptedCatalogue } from './scripted-catalogue.ts'

const mebibyte = 2 ** 20
const second = new Float32Array(16_000).fill(0.1)
const body = {
  engine: 'scripted',
  model: 'echo',
  audio_base64: Buffer.from(encodeWav(second, 16_000)).toString('base64'),
}

/** A service whose one engine keeps every clip that it was given, and answers when it is let go. */
async function startKeepingService(): Promise<
  Awaited<ReturnType<typeof startTestService>> & {
    readonly clips: Float32Array[]
    readonly begun: Promise<void>
    readonly finish: () => void
  }
> {
  const clips: Float32Array[] = []
  const begun = Promise.withResolvers<void>()
  const finished = Promise.withResolvers<void>()
  const scripted = scriptedCatalogue({ echo: {} })
  const [engine] = scripted.engines
  if (engine === undefined) throw new Error('A scripted catalogue has an engine.')
  const keeping = {
    ...engine,
    load: async () =>
      succeeded({
        async transcribe({ samples }: { readonly samples: Float32Array }) {
          clips.push(samples)
          begun.resolve()
          await finished.promise
          return succeeded({ text: `${samples.length} samples`, language: null })
        },
        unload: async () => undefined,
      }),
  }
  const service = await startTestService({ catalogue: { ...scripted, engines: [keeping] } })
  return { ...service, clips, begun: begun.promise, finish: finished.resolve }
}

describe('the memory of a request', () => {
  test('is freed with its answer, without waiting for the collector', async () => {
    const service = await startKeepingService()
    try {
      service.finish()
      const { json } = await service.transcribe(body)
      expect(json).toMatchObject({ ok: true, text: '16000 samples' })
      expect(service.clips.map((clip) => clip.length)).toEqual([0])
    } finally {
      await service[Symbol.asyncDispose]()
    }
  })

  test('stays as long as an engine works on a clip that its client gave up', async () => {
    const service = await startKeepingService()
    try {
      const leaving = new AbortController()
      const asked = service.transcribe(body, leaving.signal).catch(() => 'left')
      await service.begun
      leaving.abort()
      expect(await asked).toBe('left')
      // By its answer this request shows that the service has seen the other one leave.
      expect((await service.send('GET', '/models')).status).toBe(200)
      expect(service.clips.map((clip) => clip.length)).toEqual([16_000])
    } finally {
      service.finish()
      await service[Symbol.asyncDispose]()
    }
  })

  test('is collected after every 16 MiB of bodies that were read', () => {
    const memory = createMemory(usualMemoryBytes(4))
    const before = process.memoryUsage().arrayBuffers
    let maxBytes = 0
    for (let count = 0; count < 128; count += 1) {
      memory.read(new ArrayBuffer(mebibyte).byteLength)
      maxBytes = Math.max(maxBytes, process.memoryUsage().arrayBuffers - before)
    }
    // The sixteen that may wait, and as many that the collector has not given back yet; 104 without it.
    expect(maxBytes).toBeLessThan(48 * mebibyte)
  })
})
