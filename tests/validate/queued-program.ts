/**
 * A transcription server of known capacity: so many workers, one queue, first come, first served. When an answer is due is
 * computed from the moments of arrival, so that a late timer delays one answer and not the queue behind it.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { randomLogNormal } from 'd3-random'
import type { QueuedServer } from './queued-server.ts'

const { workers, workMs, spread, failureShare, text } = JSON.parse(process.argv[2] ?? '{}') as QueuedServer
const drawMs = (): number =>
  spread === 0 ? workMs : workMs * randomLogNormal.source(Math.random)(-(spread ** 2) / 2, spread)()
const freeAtMs = new Array<number>(workers).fill(0)

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const arrivedAtMs = performance.now()
  await request.resume().toArray()
  if (request.method === 'GET') {
    response.end(JSON.stringify({ data: [{ id: 'tiny' }] }))
    return
  }
  const worker = freeAtMs.indexOf(Math.min(...freeAtMs))
  const endsAtMs = Math.max(arrivedAtMs, freeAtMs[worker] ?? 0) + drawMs()
  freeAtMs[worker] = endsAtMs
  await sleep(endsAtMs - performance.now())
  if (Math.random() < failureShare) response.writeHead(500).end('{"error":{"message":"the decoder failed"}}')
  else response.end(JSON.stringify({ text }))
}

const server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1')
server.once('listening', () => process.send?.((server.address() as AddressInfo).port))
process.once('disconnect', () => process.exit(0))
