import { monitorEventLoopDelay } from 'node:perf_hooks'
import { describe, expect, test } from 'vitest'
import { encodeWav } from '#audio/sound-stream'
import { limits } from '#contract/enums'
import { startTestService } from '../service/running-service.ts'
import { scriptedCatalogue } from '../service/scripted-catalogue.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { startServiceProcess } from './service-process.ts'

const mebibyte = 2 ** 20
const sampleRateHz = 16_000

/** A body of that many bytes whose audio is real: a tone as 16 bit WAV. */
function bodyWithTone(sizeBytes: number): Buffer {
  const audioBytes = Math.floor(((sizeBytes - 200) * 3) / 4)
  const samples = new Float32Array(Math.floor((audioBytes - 44) / 2))
  for (let index = 0; index < samples.length; index += 1) samples[index] = 0.3 * Math.sin(index / 6)
  return bodyOf(Buffer.from(encodeWav(samples, sampleRateHz)))
}

function bodyOf(audio: Buffer): Buffer {
  const audio_base64 = audio.toString('base64')
  return Buffer.from(JSON.stringify({ engine: 'scripted', model: 'echo', audio_base64 }))
}

describe('memory', () => {
  test('200 clients with 48 MiB bodies at once are all answered, the service in less than 600 MB and all its processes in 700', async () => {
    await using folder = await temporaryFolder()
    await using service = await startServiceProcess({ dataDir: folder.path })
    const body = bodyWithTone(48 * mebibyte)
    expect(body.length).toBeLessThanOrEqual(limits.requestBytes)
    const startedAtMs = performance.now()
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => service.send('POST', '/transcribe', { body })),
    )
    const { mostBytes, most } = service.memory()
    const serviceMegabytes = Number(/^served (\d+) MB/.exec(most)?.[1])
    const counts = Map.groupBy(answers, ({ status, text }) => `${status} ${text.slice(0, 60)}`)
    const seconds = ((performance.now() - startedAtMs) / 1000).toFixed(0)
    process.stdout.write(
      `200 bodies of 48 MiB: ${[...counts].map(([answer, { length }]) => `${length} × ${answer}`).join(', ')}; ` +
        `${(mostBytes / 1e6).toFixed(0)} MB at most (${most}), ${seconds} s\n`,
    )
    for (const { status, text } of answers) {
      expect(status).toBe(200)
      expect(text).toMatch(/^\{"ok":true|"RATE_LIMITED"/)
    }
    // The decoder holds one such recording, and what it makes of it, a second time.
    expect(serviceMegabytes).toBeLessThan(600)
    expect(mostBytes).toBeLessThan(700e6)
  })

  test('until a 37 MiB recording is decoded, its base64 takes at most three times its size', async () => {
    await using folder = await temporaryFolder()
    await using service = await startServiceProcess({ dataDir: folder.path })
    // No decoder takes it, so that what is measured ends where decoding would begin.
    const audio = Buffer.alloc(37 * mebibyte, 'no audio')
    await service.send('POST', '/transcribe', { body: bodyOf(audio.subarray(0, 1_000)) })
    const before = service.memory()
    const { text } = await service.send('POST', '/transcribe', { body: bodyOf(audio) })
    expect(text).toContain('AUDIO_DECODE_FAILED')
    const { mostBytes, most } = service.memory()
    const growthBytes = mostBytes - before.nowBytes
    process.stdout.write(
      `37 MiB as base64: ${(growthBytes / audio.length).toFixed(2)} times its size (${before.now}; then ${most})\n`,
    )
    expect(growthBytes).toBeLessThan(3 * audio.length)
  })
})

describe('a vocabulary of 10,000 words', () => {
  test('adds less than 5 ms to a request, and never holds the event loop for 50 ms', async () => {
    await using folder = await temporaryFolder()
    const text = 'We met at the harbour and spoke of entry 77 and type script for an hour. '.repeat(40)
    await using started = await startTestService({
      dataDir: folder.path,
      catalogue: scriptedCatalogue({ echo: { otherwise: { text } } }),
    })
    const words = Array.from({ length: 9_998 }, (_, index) => `Entry${index}`)
    const modeWith = async (name: string, customVocabulary: readonly string[]): Promise<string> => {
      const made = await started.send('POST', '/modes', { body: { name, model: 'echo', customVocabulary } })
      return made.json.mode?.id ?? ''
    }
    const [empty, full] = [
      await modeWith('none', []),
      await modeWith('many', [...words, 'TypeScript', 'Harbour']),
    ]
    const audio_base64 = Buffer.from(encodeWav(new Float32Array(8_000).fill(0.1), sampleRateHz)).toString(
      'base64',
    )
    /** Milliseconds of a hundred requests with this Mode, one after the other, and how long the event loop was held. */
    const ask = async (mode_id: string): Promise<{ readonly timesMs: number[]; readonly heldMs: number }> => {
      const timesMs: number[] = []
      const loop = monitorEventLoopDelay({ resolution: 1 })
      loop.enable()
      for (let count = 0; count < 100; count += 1) {
        const sentAtMs = performance.now()
        const { json } = await started.transcribe({ mode_id, audio_base64 })
        timesMs.push(performance.now() - sentAtMs)
        if (mode_id === full) expect(json['text']).toContain('Harbour and spoke of Entry77 and TypeScript')
      }
      loop.disable()
      return { timesMs, heldMs: loop.max / 1e6 }
    }
    await ask(empty)
    const [without, withWords] = [await ask(empty), await ask(full)]
    const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[50] ?? 0
    const addedMs = median(withWords.timesMs) - median(without.timesMs)
    process.stdout.write(
      `10,000 words: ${addedMs.toFixed(2)} ms more (medians of 100), first request ${withWords.timesMs[0]?.toFixed(1)} ms, ` +
        `event loop held for ${withWords.heldMs.toFixed(1)} ms at most, ${without.heldMs.toFixed(1)} ms without words\n`,
    )
    expect(addedMs).toBeLessThan(5)
    // On a machine with other work the loop is held without any word as well.
    expect(withWords.heldMs).toBeLessThan(Math.max(50, 2 * without.heldMs))
  })
})
