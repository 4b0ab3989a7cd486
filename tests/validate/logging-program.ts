/**
 * A server of the OpenAI API that writes down when each request came, when its answer left, and how long its work waited for a
 * processor. What writes the log comes before other programs where this user may ask for that; the work is done in a
 * second process like any other. On `log` it sends its parent what was written down.
 */
import { fork } from 'node:child_process'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setPriority } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { randomLogNormal } from 'd3-random'
import { seededRandom } from '#prelude'
import { work } from './work.ts'

/** One request as the server saw it, in milliseconds of the wall clock. */
export interface LoggedRequest {
  readonly utteranceId: string
  readonly cameAtMs: number
  readonly answeredAtMs: number
  /** How long its work took, and the processor time of that. */
  readonly workMs: number
  readonly cpuMs: number
}

/** Of the time in which an answer is not worked at: its median, and the deviation of its logarithm. */
const [medianMs, spread] = [40, 0.4]
const workUnits = 2

function nowMs(): number {
  return performance.timeOrigin + performance.now()
}

function runWorker(): void {
  process.on('message', (request) => {
    const [startedAtMs, used] = [performance.now(), process.cpuUsage()]
    work(workUnits)
    const { user, system } = process.cpuUsage(used)
    process.send?.({ request, tookMs: performance.now() - startedAtMs, cpuMs: (user + system) / 1000 })
  })
  process.once('disconnect', () => process.exit(0))
}

function runServer(): void {
  const log: LoggedRequest[] = []
  const waiting = new Map<number, (done: { readonly tookMs: number; readonly cpuMs: number }) => void>()
  const random = seededRandom(43)
  const draw = randomLogNormal.source(() => random.unit())(Math.log(medianMs), spread)
  const worker = fork(import.meta.filename, ['worker'], { execArgv: process.execArgv })
  worker.on(
    'message',
    (done: { readonly request: number; readonly tookMs: number; readonly cpuMs: number }) => {
      waiting.get(done.request)?.(done)
      waiting.delete(done.request)
    },
  )
  // After the other process was started: it keeps the usual priority.
  try {
    setPriority(-15)
  } catch {
    // Another user than root: the log is then as late as this process is.
  }
  let count = 0
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const cameAtMs = nowMs()
    const body = Buffer.concat(await request.toArray())
    response.setHeader('content-type', 'application/json')
    if (request.method === 'GET') return void response.end(JSON.stringify({ data: [{ id: 'm' }] }))
    const file = /filename="([^"]+)\.wav"/.exec(body.subarray(0, 4096).toString('latin1'))?.[1]
    const utteranceId = file ?? /filename="([^"]+)\.wav"/.exec(body.toString('latin1'))?.[1] ?? ''
    await sleep(draw())
    const own = count
    count += 1
    const { tookMs, cpuMs } = await new Promise<{ readonly tookMs: number; readonly cpuMs: number }>(
      (resolve) => {
        waiting.set(own, resolve)
        worker.send(own)
      },
    )
    response.end(JSON.stringify({ text: 'the cat sat' }))
    log.push({ utteranceId, cameAtMs, answeredAtMs: nowMs(), workMs: tookMs, cpuMs })
  }
  const server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1')
  server.once('listening', () =>
    process.send?.(`openai:http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`),
  )
  process.on('message', () => process.send?.(log))
  process.once('disconnect', () => process.exit(0))
}

if (process.argv[2] === 'worker') runWorker()
else runServer()
