import { readFileSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createDecoder, type Decoder } from '../../src/service/transcription/decoder.ts'
import { childrenRunning } from './child-processes.ts'
import { tone } from './running-service.ts'

const patient = new AbortController().signal
let decoder: Decoder

beforeEach(() => {
  decoder = createDecoder(1)
})
afterEach(() => decoder.close())

const bytesOf = (durationSeconds: number): Uint8Array<ArrayBuffer> => new Uint8Array(tone(durationSeconds))

function sampleCountOf(outcome: Awaited<ReturnType<Decoder['decode']>>): number | null {
  return outcome.ok ? (outcome.value?.length ?? null) : null
}

describe('a decoder', () => {
  test.skipIf(process.platform !== 'linux')(
    'works in a process that knows no key of a provider',
    async () => {
      process.env['OPENAI_API_KEY'] = 'sk-planted'
      const before = new Set(childrenRunning('decode-program'))
      await using own = { decoder: createDecoder(1), [Symbol.asyncDispose]: async () => own.decoder.close() }
      await own.decoder.decode(bytesOf(0.1), 60, patient)
      delete process.env['OPENAI_API_KEY']
      const [started = 0] = childrenRunning('decode-program').filter((pid) => !before.has(pid))
      const environment = readFileSync(`/proc/${started}/environ`, 'utf8').split('\0')
      expect(environment.some((line) => line.startsWith('PATH='))).toBe(true)
      expect(environment.filter((line) => line.includes('sk-planted'))).toEqual([])
    },
  )

  test.each([
    ['its process cannot be started', 'execPath', '/nowhere/node'],
    ['its process ends before it has started', 'execArgv', '--import=/nowhere.js'],
  ])('does not blame a recording where %s', async (_when, what, value) => {
    const { execPath, env } = process
    if (what === 'execPath') process.execPath = value
    else process.env = { ...env, NODE_OPTIONS: value }
    const failing = createDecoder(1)
    const outcome = await failing.decode(bytesOf(0.1), 60, patient)
    process.execPath = execPath
    process.env = env
    await failing.close()
    expect(outcome).toMatchObject({ ok: false, failure: { code: 'TRANSCRIPTION_FAILED' } })
  })

  test('says of a recording that is too long that it is', async () => {
    const outcome = await decoder.decode(bytesOf(2), 1.5, patient)
    expect(outcome).toEqual({ ok: true, value: null })
    expect(sampleCountOf(await decoder.decode(bytesOf(2), 2, patient))).toBe(32_000)
  })

  test('frees the memory of a file that it decoded or refused, and leaves that of a recording that is too long', async () => {
    const [heard, refused, long] = [bytesOf(0.1), new Uint8Array(100_000).fill(7), bytesOf(2)]
    for (const bytes of [heard, refused, long]) await decoder.decode(bytes, 1, patient)
    expect([heard, refused, long].map(({ length }) => length)).toEqual([0, 0, bytesOf(2).length])
  })

  test('gives no clip to a process that it ends, even if that has answered meanwhile', async () => {
    await decoder.decode(bytesOf(0.1), 60, patient)
    const controller = new AbortController()
    const given = decoder.decode(bytesOf(0.1), 60, controller.signal)
    await nextTurn()
    controller.abort()
    expect(await given).toEqual({ ok: false, failure: 'abandoned' })
    // As on a busy machine: this process comes back when the time is up, before it has read the answer.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500)
    expect(sampleCountOf(await decoder.decode(bytesOf(0.2), 60, patient))).toBe(3_200)
  })

  test.each([
    ['at once', false],
    ['in the middle', true],
  ])('gives up a clip %s and takes the next one', async (_when, isInTheMiddle) => {
    const controller = new AbortController()
    const given = decoder.decode(bytesOf(200), 600, controller.signal)
    const waiting = decoder.decode(bytesOf(0.1), 60, controller.signal)
    if (isInTheMiddle) await nextTurn()
    controller.abort()
    expect(await given).toEqual({ ok: false, failure: 'abandoned' })
    expect(await waiting).toEqual({ ok: false, failure: 'abandoned' })
    const next = await decoder.decode(bytesOf(0.1), 60, patient)
    expect(sampleCountOf(next)).toBe(1_600)
  })
})
