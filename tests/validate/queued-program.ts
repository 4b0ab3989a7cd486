/**
 * A transcription server of known capacity: so many workers, one queue, first come, first served. When an answer is due is
 * computed from the moments of arrival, so that a late timer delays one answer and not the queue behind it.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { randomLogNormal } from 'd3-random'

/** What decides the capacity of a server, and the text that it answers to every recording. */
export interface QueuedServer {
  readonly workers: number
  /** Mean time of one request. */
  readonly workMs: number
  /** Standard deviation of the logarithm of that time; 0: all take the same. */
  readonly spread: number
  /** Share of requests that fail after their time, at random. */
  readonly failureShare: number
  /** Requests that may wait; further ones are refused. No bound where left out. */
  readonly queueBound?: number
  /** Requests a second that are let in, so many of them at once. No limit where left out. */
  readonly rate?: { readonly perSecond: number; readonly burst: number }
  /** How many times its time a request takes from four minutes after the first one on, evenly more until then. 1 where left out. */
  readonly slowsTo?: number
  readonly text: string
}

const {
  workers,
  workMs,
  spread,
  failureShare,
  queueBound,
  rate,
  slowsTo = 1,
  text,
} = JSON.parse(process.argv[2] ?? '{}') as QueuedServer
const drawMs = (): number =>
  spread === 0 ? workMs : workMs * randomLogNormal.source(Math.random)(-(spread ** 2) / 2, spread)()
const freeAtMs = new Array<number>(workers).fill(0)
const slowedAfterMs = 240_000
let [tokens, countedAtMs, firstAtMs] = [rate?.burst ?? 0, 0, Number.NaN]
let endsMs: number[] = []

function isRefused(nowMs: number): boolean {
  endsMs = endsMs.filter((endMs) => endMs > nowMs)
  if (queueBound !== undefined && endsMs.length >= workers + queueBound) return true
  if (rate === undefined) return false
  tokens = Math.min(rate.burst, tokens + ((nowMs - countedAtMs) * rate.perSecond) / 1000)
  countedAtMs = nowMs
  if (tokens < 1) return true
  tokens -= 1
  return false
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const arrivedAtMs = performance.now()
  await request.resume().toArray()
  if (request.method === 'GET') {
    response.end(JSON.stringify({ data: [{ id: 'tiny' }] }))
    return
  }
  if (Number.isNaN(firstAtMs)) firstAtMs = arrivedAtMs
  if (isRefused(arrivedAtMs)) {
    response.writeHead(rate === undefined ? 503 : 429).end('{"error":{"message":"no more at the moment"}}')
    return
  }
  const slowdown = 1 + (slowsTo - 1) * Math.min(1, (arrivedAtMs - firstAtMs) / slowedAfterMs)
  const worker = freeAtMs.indexOf(Math.min(...freeAtMs))
  const endsAtMs = Math.max(arrivedAtMs, freeAtMs[worker] ?? 0) + slowdown * drawMs()
  freeAtMs[worker] = endsAtMs
  endsMs.push(endsAtMs)
  await sleep(endsAtMs - performance.now())
  if (Math.random() < failureShare) response.writeHead(500).end('{"error":{"message":"the decoder failed"}}')
  else response.end(JSON.stringify({ text }))
}

const server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1')
server.once('listening', () =>
  process.send?.(`openai:http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`),
)
process.once('disconnect', () => process.exit(0))
