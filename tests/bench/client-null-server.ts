/**
 * A service that does nothing, as fast as it can, so that what is measured is the client: a program of its
 * own, which prints its port. It reads just enough HTTP to find the end of a request.
 */
import { type AddressInfo, createServer, type Socket } from 'node:net'

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

function answer(value: unknown): Buffer {
  const body = JSON.stringify(value)
  const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`
  return Buffer.from(head + body)
}

const answers: readonly (readonly [start: string, answer: Buffer])[] = [
  ['POST /transcribe', answer(transcription)],
  ['GET /health', answer(health)],
  ['GET /models', answer({ ok: true, models: [] })],
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
    head = ''
    finish()
  })
}

const server = createServer(serve)
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`))
