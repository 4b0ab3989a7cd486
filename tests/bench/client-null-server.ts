/**
 * A service that does nothing, as fast as it can, so that what is measured is the client: a program of its
 * own, which prints its port. It reads just enough HTTP to find the end of a request. Its argument: how long each
 * transcription is waited for, in milliseconds; default: nothing.
 */
import { type AddressInfo, createServer, type Socket } from 'node:net'

const delayMs = Number(process.argv[2] ?? 0)
const health = { ok: true, app_version: '0', api_version: 1, port: 0, pid: process.pid }
const transcription = {
  ok: true,
  text: 'the quick brown fox jumps over the lazy dog',
  engine: 'null',
  model: 'null',
  language: 'en',
  timings: { load_ms: 0, decode_ms: 1 },
  latency_ms: 1,
}

const model = {
  id: 'null',
  kind: 'voice',
  provider: 'local',
  displayName: 'Null',
  installed: true,
  size_mb: 0,
}
const mode = {
  id: '00000000-0000-4000-8000-000000000000',
  name: 'null',
  preset: 'custom',
  language: 'auto',
  model: 'null',
  punctuation: true,
  capitalization: true,
  profanityFilter: false,
  isDefault: false,
  isSystemProvided: false,
  sortOrder: 0,
  createdDate: '2026-11-21T00:00:00Z',
  modifiedDate: '2026-11-21T00:00:00Z',
}

function answer(value: unknown): Buffer {
  const body = JSON.stringify(value)
  const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`
  return Buffer.from(head + body)
}

const answers: readonly (readonly [start: string, answer: Buffer])[] = [
  ['POST /transcribe', answer(transcription)],
  ['GET /health', answer(health)],
  ['GET /models', answer({ ok: true, models: [model] })],
  ['POST /modes', answer({ ok: true, mode })],
]

function serve(socket: Socket): void {
  let head = ''
  let bodyBytesLeft = 0
  let pending: Buffer | null = null
  const finish = (): void => {
    if (pending === null || bodyBytesLeft > 0) return
    socket.write(pending)
    pending = null
  }
  socket.setNoDelay(true)
  socket.on('error', () => socket.destroy())
  socket.on('data', (chunk) => {
    if (bodyBytesLeft > 0) {
      bodyBytesLeft -= chunk.length
      return finish()
    }
    head += chunk.toString('latin1')
    const end = head.indexOf('\r\n\r\n')
    if (end < 0) return
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0)
    bodyBytesLeft = length - (head.length - end - 4)
    pending = answers.find(([start]) => head.startsWith(start))?.[1] ?? answer({ ok: true })
    const isDelayed = delayMs > 0 && head.startsWith('POST /transcribe')
    head = ''
    if (isDelayed) setTimeout(finish, delayMs)
    else finish()
  })
}

const server = createServer(serve)
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`))
