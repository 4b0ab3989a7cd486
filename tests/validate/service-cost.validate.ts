/** What a client with the token can make the service spend: memory, processor time, and turns of its event loop. */
import { spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { encodeWav } from '#audio/sound-stream'
import { temporaryFolder } from '../temporary-folder.ts'
import { describeWith, missingHere, modelsDir } from './real-speech.ts'
import { type ServiceProcess, startServiceProcess } from './service-process.ts'

const most = { bytes: 600e6, processorSeconds: 1, heldMs: 50 }
/** A collection of garbage from before may fall into any of them: the least counts. */
const tries = 2

interface Hostile {
  readonly name: string
  readonly body: () => string | Uint8Array
  readonly headers?: Readonly<Record<string, string>>
}

const repeated = (text: string, count: number): string => text.repeat(count)
/** 50 MB of one unit, as large as a body may be. */
const filled = (open: string, unit: string, close: string): string =>
  open + unit.repeat(Math.floor(50e6 / unit.length)) + close
const multipart = { 'content-type': 'multipart/form-data; boundary=b' }
const part = (name: string, content: string, head = ''): string =>
  `--b\r\nContent-Disposition: form-data; name="${name}"${head}\r\n\r\n${content}\r\n`
const file = '; filename="a.wav"\r\nContent-Type: audio/wav'

/** The 50 MB of brackets of the first report, and further shapes of what takes more memory or time than its bytes. Each goes to every route. */
const bodies: readonly Hostile[] = [
  { name: '50 MB of brackets', body: () => filled('', '[', '') },
  { name: '5 MB of brackets', body: () => repeated('[', 5e6) },
  { name: 'brackets and braces', body: () => filled('{"x":', '[{"a":', '') },
  { name: 'closed braces', body: () => filled('{"x":[0', ',{}', ']}') },
  { name: 'numbers with a fraction', body: () => filled('{"x":[0', ',1.5', ']}') },
  { name: 'empty texts', body: () => filled('{"x":[0', ',""', ']}') },
  { name: 'short texts', body: () => filled('{"x":[0', ',"ab"', ']}') },
  { name: 'objects', body: () => filled('{"x":[0', ',{"a":1}', ']}') },
  { name: 'nulls', body: () => filled('{"x":[0', ',null', ']}') },
  { name: 'a text', body: () => filled('{"text":"', 'x', '"}') },
  { name: 'a text of quotes', body: () => filled('{"text":"', '\\"', '"}') },
  { name: 'blanks', body: () => filled('{', ' ', '}') },
  { name: 'lines', body: () => filled('{', '\n', '}') },
  { name: 'commas', body: () => filled('{"a":1', ',', '}') },
  { name: '25 million elements', body: () => `{"a":[${repeated('1,', 25_000_000)}1]}` },
  { name: 'brackets that close again', body: () => `{"a":[${repeated('[],', 12_000_000)}1]}` },
  { name: 'objects in objects', body: () => repeated('{"a":', 8_000_000) },
  {
    name: 'a million different keys',
    body: () => `{${Array.from({ length: 1e6 }, (_, index) => `"k${index}":1`).join()}}`,
  },
  { name: 'one key of 40 MB', body: () => `{"${repeated('k', 40e6)}":1}` },
  { name: 'one number of 40 MB', body: () => `{"x":${repeated('9', 40e6)}}` },
  { name: 'one exponent of 40 MB', body: () => `{"x":1e${repeated('9', 40e6)}}` },
  { name: 'one text of escapes', body: () => `{"engine":"${repeated('\\u0061', 8e6)}"}` },
  { name: 'base64 in escapes', body: () => `{"audio_base64":"${repeated('\\u0041', 8e6)}"}` },
  { name: 'base64 of blanks', body: () => `{"audio_base64":"${repeated(' ', 48e6)}"}` },
  {
    name: 'base64 with a blank behind every character',
    body: () => `{"audio_base64":"${repeated('A ', 24e6)}"}`,
  },
  { name: 'base64 of padding', body: () => `{"audio_base64":"${repeated('=', 48e6)}"}` },
  { name: 'blanks before it begins', body: () => `${repeated(' ', 50e6)}{}` },
  { name: 'closing brackets alone', body: () => repeated(']', 50e6) },
  { name: 'NUL bytes', body: () => Buffer.alloc(50e6) },
  { name: 'bytes that are no UTF-8', body: () => Buffer.alloc(50e6, 0xff) },
  { name: 'quotation marks', body: () => repeated('"', 50e6) },
  { name: 'backslashes in a text', body: () => `{"a":"${repeated('\\', 50e6)}` },
  {
    name: 'a bomb in gzip',
    body: () => gzipSync(Buffer.alloc(1e9)),
    headers: { 'content-encoding': 'gzip' },
  },
  {
    name: 'a bomb in deflate',
    body: () => gzipSync(Buffer.alloc(5e8)),
    headers: { 'content-encoding': 'deflate' },
  },
  {
    name: 'a Mode with a vocabulary of nothing',
    body: () => `{"name":"a","vocabulary":[""${repeated(',""', 9e6)}]}`,
  },
  { name: 'post-processing of braces', body: () => repeated('{"text":', 5e6) },
  { name: '100,000 parts', headers: multipart, body: () => `${repeated(part('x', '1'), 1e5)}--b--\r\n` },
  { name: 'form fields', headers: multipart, body: () => filled('', part('a', 'b'), '--b--\r\n') },
  { name: 'form audio', headers: multipart, body: () => filled('', part('audio', 'b'), '--b--\r\n') },
  {
    name: 'a part with a name of 40 MB',
    headers: multipart,
    body: () => `${part(repeated('n', 40e6), '1')}--b--\r\n`,
  },
  {
    name: 'a part with 500,000 headers',
    headers: multipart,
    body: () => `${part('audio', 'x', repeated('\r\nX-A: b', 5e5))}--b--\r\n`,
  },
  {
    name: 'a field of 40 MB',
    headers: multipart,
    body: () => `${part('engine', repeated('e', 40e6))}--b--\r\n`,
  },
  {
    name: 'boundaries that are nearly one',
    headers: multipart,
    body: () => `${part('audio', repeated('\r\n--', 8e6), file)}--b--\r\n`,
  },
  { name: 'a boundary that never comes', headers: multipart, body: () => repeated('-', 50e6) },
  {
    name: 'a manifest of brackets in a part',
    headers: multipart,
    body: () => `${part('manifest', repeated('[', 40e6))}--b--\r\n`,
  },
  {
    name: 'a file that is not sound',
    headers: multipart,
    body: () => `${part('audio', repeated('x', 40e6), file)}--b--\r\n`,
  },
  {
    name: 'a file of heads of MP3',
    headers: multipart,
    body: () =>
      Buffer.concat([
        Buffer.from(part('audio', '', file).slice(0, -2)),
        Buffer.from('fffb90c4'.repeat(1e7), 'hex'),
        Buffer.from('\r\n--b--\r\n'),
      ]),
  },
  {
    name: 'a file of pages of Ogg',
    headers: multipart,
    body: () => `${part('audio', repeated('OggS\0\0', 6e6), file)}--b--\r\n`,
  },
]

/** What one body costs: processor time of the service and its children, and the longest hold of its loop. */
async function costOf(
  service: ServiceProcess,
  path: string,
  body: string | Uint8Array,
  headers: Hostile['headers'] = {},
): Promise<{ readonly status: string; readonly seconds: number; readonly heldMs: number }> {
  const costs: { seconds: number; heldMs: number }[] = []
  let status = ''
  for (let tried = 0; tried < tries; tried += 1) {
    const before = service.processorSeconds()
    await service.heldMs()
    status = await service
      .send('POST', path, { body, headers })
      .then(({ status, text }) => `${status} ${text.slice(0, 110)}`)
      // The connection is closed while the rest of the body is on its way.
      .catch((error: NodeJS.ErrnoException) => String(error.code))
    costs.push({ heldMs: await service.heldMs(), seconds: service.processorSeconds() - before })
  }
  const least = (values: readonly number[]): number => Math.min(...values)
  return {
    status,
    seconds: least(costs.map(({ seconds }) => seconds)),
    heldMs: least(costs.map(({ heldMs }) => heldMs)),
  }
}

test(`no body takes ${most.bytes / 1e6} MB, a second of processor time, or ${most.heldMs} ms of the event loop`, async () => {
  await using folder = await temporaryFolder()
  await using service = await startServiceProcess({ dataDir: join(folder.path, 'data') })
  const faults: string[] = []
  for (const { name, body, headers } of bodies) {
    const sent = body()
    for (const path of ['/transcribe', '/modes', '/post-process']) {
      const { status, seconds, heldMs } = await costOf(service, path, sent, headers)
      const line = `${name} to ${path}: ${seconds.toFixed(2)} s, loop held ${heldMs.toFixed(0)} ms: ${status}`
      process.stdout.write(`${line}\n`)
      if (status.startsWith('200 {"ok":true') || /^(404|5)/.test(status)) faults.push(`answered: ${line}`)
      if (seconds > most.processorSeconds) faults.push(line)
      // What is decoded is decoded by another process, and read as a stream.
      if (heldMs > most.heldMs) faults.push(line)
    }
  }
  const { mostBytes, most: process_ } = service.memory()
  process.stdout.write(`memory at most ${(mostBytes / 1e6).toFixed(0)} MB (${process_})\n`)
  expect(faults).toEqual([])
  expect(mostBytes).toBeLessThan(most.bytes)
})

const hasFfmpeg = spawnSync('ffmpeg', ['-version']).status === 0

describeWith(
  await missingHere('moonshine-tiny', 'silero-vad'),
  'a thousand seconds of digital silence',
  () => {
    /** Processor seconds, with room for a slow machine. What is not 16 kHz and mono is mixed and resampled first. */
    const silences: readonly (readonly [string, number, string])[] = [
      ['flac', 5, '-ar 16000 -ac 1 -frame_size 65535'],
      ['flac', 8, '-ar 48000 -ac 2 -frame_size 65535'],
      ['opus', 10, '-ar 48000 -ac 1 -b:a 6k -frame_duration 60'],
      ['opus', 10, '-ar 48000 -ac 2 -b:a 96k'],
      ['mp3', 5, '-ar 16000 -ac 1 -b:a 8k'],
      ['m4a', 5, '-ar 16000 -ac 1 -b:a 8k'],
    ]

    test.each([['wav', 5, ''] as const, ...(hasFfmpeg ? silences : [])])(
      'is an empty text, and cheap: %s in at most %i s',
      async (ending, mostSeconds, options) => {
        await using folder = await temporaryFolder()
        const path = join(folder.path, `silence.${ending}`)
        const bytes =
          ending === 'wav'
            ? encodeWav(new Int16Array(16_000_000), 16_000)
            : await (async () => {
                const input = '-v error -f lavfi -i anullsrc=r=16000:cl=mono -t 1000'.split(' ')
                const made = spawnSync('ffmpeg', [...input, ...options.split(' '), path])
                if (made.status !== 0) throw new Error(`ffmpeg cannot write ${ending}`)
                return await readFile(path)
              })()
        await using service = await startServiceProcess({
          catalogue: null,
          dataDir: join(folder.path, 'data'),
          modelsDir,
          warmUp: ['moonshine-tiny'],
        })
        const before = service.processorSeconds()
        const body = Buffer.concat([
          Buffer.from(part('engine', 'moonshine') + part('model', 'moonshine-tiny')),
          Buffer.from(part('audio', '', file).slice(0, -2)),
          bytes,
          Buffer.from('\r\n--b--\r\n'),
        ])
        const { text } = await service.send('POST', '/transcribe', { body, headers: multipart })
        const seconds = service.processorSeconds() - before
        process.stdout.write(
          `${ending}, ${bytes.length} bytes: ${seconds.toFixed(2)} s of processor time: ${text.slice(0, 200)}\n`,
        )
        expect(JSON.parse(text)).toMatchObject({ ok: true, text: '' })
        expect(seconds).toBeLessThan(mostSeconds)
      },
    )
  },
)
