/**
 * A transcription server of known truth for comparisons of load generators: `POST /v1/audio/transcriptions` is answered
 * after a time that is drawn from the number of the request, so that every client meets the same ones. Its log is what
 * each client's own report is held against. A program of its own: it prints its port, and writes its log, one JSON
 * array of `LoggedRequest`, when its standard input ends. Arguments: manifest, path of the log.
 */
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { seededRandom } from '#prelude'

/** One request as the server saw it; times in milliseconds of its monotonic clock. */
export interface LoggedRequest {
  /** The head was read. */
  readonly arrivedAtMs: number
  /** The answer was given to the socket. */
  readonly answeredAtMs: number
  readonly audioSeconds: number
}

const medianServiceMs = 20
/** Standard deviation of the logarithm: the slowest of 100 requests takes about twice the median. */
const spread = 0.3

const [manifestPath = '', logPath = ''] = process.argv.slice(2)
const clips = readFileSync(manifestPath, 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => {
    const clip = JSON.parse(line) as { audio: string; text: string; durationSeconds: number }
    return { ...clip, sizeBytes: statSync(join(dirname(manifestPath), clip.audio)).size }
  })
const log: LoggedRequest[] = []
const random = seededRandom(1)

/** The part of a form that has a file name, by its length: some clients write the head of a file anew. */
function clipOf(body: Buffer, contentType: string): (typeof clips)[number] | undefined {
  const boundary = /boundary="?([^";]+)/.exec(contentType)?.[1] ?? ''
  const from = body.indexOf('\r\n\r\n', body.indexOf('filename=')) + 4
  const sizeBytes = body.indexOf(`\r\n--${boundary}`, from) - from
  return clips.find((clip) => Math.abs(clip.sizeBytes - sizeBytes) < 200)
}

/** Box and Muller's normal deviate. */
function drawServiceMs(): number {
  const normal = Math.sqrt(-2 * Math.log(1 - random.unit())) * Math.cos(2 * Math.PI * random.unit())
  return medianServiceMs * Math.exp(spread * normal)
}

const server = createServer(async (request, response) => {
  const arrivedAtMs = performance.now()
  const body = await buffer(request)
  response.setHeader('content-type', 'application/json')
  if (request.method !== 'POST') {
    response.end(JSON.stringify({ object: 'list', data: [{ id: 'm1', object: 'model' }] }))
    return
  }
  const clip = clipOf(body, request.headers['content-type'] ?? '')
  if (clip === undefined) {
    response
      .writeHead(400)
      .end(JSON.stringify({ error: { message: 'this recording is not in the manifest' } }))
    return
  }
  await sleep(drawServiceMs())
  response.end(JSON.stringify({ text: clip.text }))
  log.push({ arrivedAtMs, answeredAtMs: performance.now(), audioSeconds: clip.durationSeconds })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`))
process.stdin.resume().on('end', () => {
  writeFileSync(logPath, JSON.stringify(log))
  process.exit(0)
})
