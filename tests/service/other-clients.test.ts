import { readFile, writeFile } from 'node:fs/promises'
import { Agent, request as httpRequest, type OutgoingHttpHeaders } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { base64, startTestService, type TestService, tone } from './running-service.ts'

/** The service as clients find it that know nothing of this project: by its discovery file alone. */
let started: TestService
let found: { readonly port: number; readonly token: string }
let file: string

beforeAll(async () => {
  started = await startTestService()
  found = JSON.parse(await readFile(join(started.folder, 'local-api.json'), 'utf8'))
  file = join(started.folder, 'recordings', 'dictation.wav')
  await writeFile(file, tone(0.2))
})
afterAll(() => started[Symbol.asyncDispose]())

interface Sent {
  readonly status: number
  readonly json: Readonly<Record<string, unknown>>
  readonly isContinued: boolean
}

/** What a client of the old school does: one connection, headers in capitals, bodies in pieces. */
function send(
  agent: Agent,
  path: string,
  headers: OutgoingHttpHeaders,
  pieces: readonly (string | Uint8Array)[],
): Promise<Sent> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      agent,
      host: '127.0.0.1',
      port: found.port,
      path,
      method: pieces.length === 0 ? 'GET' : 'POST',
      headers: { AUTHORIZATION: `Bearer ${found.token}`, ...headers },
    })
    let isContinued = false
    request.once('continue', () => {
      isContinued = true
    })
    request.once('error', reject)
    request.once('response', async (response) => {
      const json = JSON.parse(await text(response)) as Sent['json']
      resolve({ status: response.statusCode ?? 0, json, isContinued })
    })
    for (const piece of pieces) request.write(piece)
    request.end()
  })
}

const transcript = { ok: true, text: 'Hello world.', engine: 'scripted', model: 'echo' }

describe('a script that keeps one connection', () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  afterAll(() => agent.destroy())

  test('sends file, engine, model and language, with extra fields and nulls for what it leaves open', async () => {
    const body = JSON.stringify({
      file,
      engine: 'engine_d',
      model: 'echo',
      language: 'en-GB',
      mode_id: null,
      audio_base64: null,
      timestamp_granularities: null,
      client: { name: 'shell', version: 3 },
    })
    const pieces = [body.slice(0, 7), body.slice(7, 40), body.slice(40)]
    const headers = { 'CONTENT-TYPE': 'Application/JSON; Charset=UTF-8', 'TRANSFER-ENCODING': 'chunked' }
    expect(await send(agent, '/transcribe', headers, pieces)).toMatchObject({ status: 200, json: transcript })
  })

  test('waits for 100 Continue before it sends its audio', async () => {
    const body = JSON.stringify({ audio_base64: base64(tone(0.2)), engine: 'local', model: 'echo' })
    const headers = { EXPECT: '100-continue', 'CONTENT-LENGTH': Buffer.byteLength(body) }
    const answer = await send(agent, '/transcribe', headers, [body])
    expect(answer).toMatchObject({ status: 200, isContinued: true, json: transcript })
  })

  test('breaks its base64 into lines, as older encoders do', async () => {
    const lines = base64(tone(0.2)).replaceAll(/.{76}/g, '$&\r\n')
    const body = JSON.stringify({
      audio_base64: lines,
      mime_type: 'audio/wav',
      engine: 'local',
      model: 'echo',
    })
    expect(await send(agent, '/transcribe', {}, [body])).toMatchObject({ status: 200, json: transcript })
  })

  test('asks on the same connection after every kind of refusal', async () => {
    for (const body of ['{', '[]', '{"file":"/etc/passwd","engine":"local","model":"echo"}']) {
      expect((await send(agent, '/transcribe', {}, [body])).json['ok']).toBe(false)
    }
    expect(await send(agent, '/health', {}, [])).toMatchObject({ status: 200, json: { ok: true } })
    expect(Object.values(agent.freeSockets).flat()).toHaveLength(1)
  })
})

describe('an application that fetches', () => {
  const call = async (path: string, init: RequestInit = {}): Promise<Record<string, unknown>> => {
    const response = await fetch(`http://localhost:${found.port}${path}`, {
      ...init,
      headers: { authorization: `bearer ${found.token}`, ...init.headers },
    })
    return (await response.json()) as Record<string, unknown>
  }

  test('sends a file and the id of a Mode, in whatever case it has it', async () => {
    const [mode] = (await call('/modes'))['modes'] as { id: string }[]
    for (const mode_id of [mode?.id, mode?.id.toUpperCase()]) {
      expect(
        await call('/transcribe', { method: 'POST', body: JSON.stringify({ file, mode_id }) }),
      ).toMatchObject(transcript)
    }
  })

  test('sends the fields of its form that are empty, and JSON with empty texts', async () => {
    const form = new FormData()
    for (const name of ['mode_id', 'language', 'file']) form.set(name, '')
    form.set('engine', 'local')
    form.set('model', 'echo')
    form.set('audio', new Blob([new Uint8Array(tone(0.2))]), 'dictation.wav')
    expect(await call('/transcribe', { method: 'POST', body: form })).toMatchObject(transcript)
    const body = JSON.stringify({
      file,
      engine: 'local',
      model: 'echo',
      language: '',
      mode_id: '',
      mime_type: '',
    })
    expect(await call('/transcribe', { method: 'POST', body })).toMatchObject(transcript)
  })

  test('leaves out with null what it does not want of a post-processing', async () => {
    const body = JSON.stringify({ text: 'hello', preset: 'note', prompt: null, mode_id: null, model: null })
    expect(await call('/post-process', { method: 'POST', body })).toMatchObject({ ok: true, preset: 'note' })
  })
})

test('two requests in one packet are answered one after the other', async () => {
  const socket = connect(found.port, '127.0.0.1')
  const head = (path: string, connection: string): string =>
    `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:${found.port}\r\nauthorization: Bearer ${found.token}\r\nconnection: ${connection}\r\n\r\n`
  socket.write(head('/modes', 'keep-alive') + head('/models', 'close'))
  const answers = await text(socket)
  expect(answers.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(2)
  expect(answers.indexOf('"modes"')).toBeLessThan(answers.indexOf('"models"'))
})
