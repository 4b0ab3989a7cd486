/**
 * A process that sends requests to the null server in one of two ways, and prints the processor time of each in microseconds: `ours` is
 * our schedule and client, `bare` what anybody would write.
 */

import { readFile } from 'node:fs/promises'
import { Pool } from 'undici'
import { discoveryFile } from '#contract/resources'
import { systemClock } from '#load/clock'
import { closedSchedule } from '#load/loads/closed'
import { connectTo, smallCall } from './null-service.ts'

const [way, discoveryPath = ''] = process.argv.slice(2)
const inFlight = 8
const warmUpCount = 8_000
const measuredCount = 40_000

interface Contestant extends AsyncDisposable {
  /** Sends so many requests, and resolves when every answer has been read. */
  readonly send: (count: number) => Promise<void>
}

/** What anybody would write: the same body, the same headers, the answer read as text. */
async function bareLoop(): Promise<Contestant> {
  const { port } = discoveryFile.parse(JSON.parse(await readFile(discoveryPath, 'utf8')))
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

async function ourClient(): Promise<Contestant> {
  const connection = await connectTo(discoveryPath, inFlight)
  const schedule = closedSchedule(inFlight)
  return {
    async send(count) {
      await schedule.dispatch({
        count,
        clock: systemClock,
        stop: new AbortController().signal,
        async send() {
          const { outcome } = await connection.transcribe(smallCall)
          if (!outcome.ok) throw new Error(`the null server failed: ${JSON.stringify(outcome.failure)}`)
        },
      })
    },
    [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose](),
  }
}

await using contestant = await (way === 'bare' ? bareLoop() : ourClient())
await contestant.send(warmUpCount)
const before = process.cpuUsage()
await contestant.send(measuredCount)
const { user, system } = process.cpuUsage(before)
process.stdout.write(String((user + system) / measuredCount))
