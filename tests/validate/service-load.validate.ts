import { describe, expect, test } from 'vitest'
import { encodeWav } from '#audio'
import { limits } from '#contract'
import { temporaryFolder } from '../service/running-service.ts'
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
  test('200 clients with 48 MiB bodies at once are all answered in less than 600 MB', async () => {
    await using folder = await temporaryFolder()
    await using service = await startServiceProcess({ dataDir: folder.path })
    const body = bodyWithTone(48 * mebibyte)
    expect(body.length).toBeLessThanOrEqual(limits.requestBytes)
    const startedAtMs = performance.now()
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => service.send('POST', '/transcribe', { body })),
    )
    const { mostBytes } = await service.memory()
    const counts = Map.groupBy(answers, ({ status, text }) => `${status} ${text.slice(0, 60)}`)
    const seconds = ((performance.now() - startedAtMs) / 1000).toFixed(0)
    process.stdout.write(
      `200 bodies of 48 MiB: ${[...counts].map(([answer, { length }]) => `${length} × ${answer}`).join(', ')}; ` +
        `${(mostBytes / 1e6).toFixed(0)} MB at most, ${seconds} s\n`,
    )
    for (const { status, text } of answers) {
      expect(status).toBe(200)
      expect(text).toMatch(/^\{"ok":true|"RATE_LIMITED"/)
    }
    expect(mostBytes).toBeLessThan(600e6)
  })

  test('until a 37 MiB recording is decoded, its base64 takes at most three times its size', async () => {
    await using folder = await temporaryFolder()
    await using service = await startServiceProcess({ dataDir: folder.path })
    // No decoder takes it, so that what is measured ends where decoding would begin.
    const audio = Buffer.alloc(37 * mebibyte, 'no audio')
    await service.send('POST', '/transcribe', { body: bodyOf(audio.subarray(0, 1_000)) })
    const before = await service.memory()
    const { text } = await service.send('POST', '/transcribe', { body: bodyOf(audio) })
    expect(text).toContain('AUDIO_DECODE_FAILED')
    const growthBytes = (await service.memory()).mostBytes - before.nowBytes
    process.stdout.write(`37 MiB as base64: ${(growthBytes / audio.length).toFixed(2)} times its size\n`)
    expect(growthBytes).toBeLessThan(3 * audio.length)
  })
})
