import { homedir } from 'node:os'
import { Pool } from 'undici'
import { connect, resolveTarget } from '#client/target'
import { systemClock } from '#load/clock'
import { closedSchedule } from '#load/loads/closed'
import type { BenchRow } from './bench-row.ts'
import { startNullService } from './client-null-service.ts'

const inFlight = 8
const requestsPerRound = 4_000
const rounds = 40
const goal = 0.95

/** Sends one round, and resolves when every answer has been read. */
type Sender = (count: number) => Promise<void>

/**
 * Processor time per request of our schedule and client against a bare loop of `Pool.request`, on a server that does
 * nothing. The two take turns within one run, so that whatever else the machine does meets both. Requests per second
 * depend on who else has the processors; how often a processor could send such a request does not.
 */
export async function benchThroughput(): Promise<BenchRow[]> {
  await using service = await startNullService()
  await using bare = bareLoop(service.port)
  await using ours = await ourClient(service.discoveryPath)
  for (const { send } of [bare, ours]) await send(requestsPerRound)
  const costs: { readonly bare: number[]; readonly ours: number[] } = { bare: [], ours: [] }
  for (let round = 0; round < rounds; round += 1) {
    const turns = [
      async () => costs.bare.push(await measureCost(bare.send)),
      async () => costs.ours.push(await measureCost(ours.send)),
    ]
    for (const turn of round % 2 === 0 ? turns : turns.toReversed()) await turn()
  }
  const [oursMicroseconds, bareMicroseconds] = [median(costs.ours), median(costs.bare)]
  const ratio = median(costs.bare.map((cost, round) => cost / (costs.ours[round] ?? Number.NaN)))
  return [
    {
      name: `dispatcher and client, ${inFlight} in flight, null server`,
      value: `${oursMicroseconds.toFixed(1)} µs of processor time a request`,
      baseline: `${bareMicroseconds.toFixed(1)} µs, bare undici`,
      ratio,
      goal: `at least ${goal} of its requests per processor second`,
      met: ratio >= goal,
    },
  ]
}

interface Contestant extends AsyncDisposable {
  readonly send: Sender
}

/** What anybody would write: the same body, the same headers, the answer read as text. */
function bareLoop(port: number): Contestant {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: inFlight })
  const headers = { authorization: 'Bearer bench', 'content-type': 'application/json' }
  const body = JSON.stringify({ engine: 'null', model: 'null', file: '/audio/0001.wav' })
  return {
    async send(count) {
      let next = 0
      const loop = async (): Promise<void> => {
        while (next < count) {
          next += 1
          const response = await pool.request({ method: 'POST', path: '/transcribe', headers, body })
          await response.body.text()
        }
      }
      await Promise.all(Array.from({ length: inFlight }, loop))
    },
    [Symbol.asyncDispose]: () => pool.destroy(),
  }
}

async function ourClient(discoveryPath: string): Promise<Contestant> {
  const world = { env: process.env, home: homedir(), platform: process.platform }
  const target = await resolveTarget(discoveryPath, world)
  if (target.kind === 'embedded') throw new TypeError('a discovery file is never embedded')
  const connection = await connect(target, { clock: systemClock, connections: inFlight })
  const schedule = closedSchedule(inFlight)
  const call = {
    audio: { transport: 'path', path: '/audio/0001.wav' },
    options: { engine: 'null', model: 'null' },
    timeoutMs: 60_000,
  } as const
  return {
    async send(count) {
      await schedule.dispatch({
        count,
        clock: systemClock,
        stop: new AbortController().signal,
        async send() {
          const { outcome } = await connection.transcribe(call)
          if (!outcome.ok) throw new Error(`the null server failed: ${JSON.stringify(outcome.failure)}`)
        },
      })
    },
    [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose](),
  }
}

/** Microseconds of processor time per request. */
async function measureCost(send: Sender): Promise<number> {
  const before = process.cpuUsage()
  await send(requestsPerRound)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / requestsPerRound
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
