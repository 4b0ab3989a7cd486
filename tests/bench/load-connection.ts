import { homedir } from 'node:os'
import type { Connection, TranscribeCall } from '#client/connection'
import { connect, resolveTarget } from '#client/target'
import { systemClock } from '#load/clock'

/** More than are ever in flight here: an open schedule must not wait for a free connection. */
const connections = 1_000

/** Our client on a null service. */
export async function connectTo(discoveryPath: string): Promise<Connection> {
  const world = { env: process.env, home: homedir(), platform: process.platform }
  const target = await resolveTarget(discoveryPath, world)
  if (target.kind === 'embedded') throw new TypeError('a discovery file is never embedded')
  return connect(target, { clock: systemClock, connections })
}

/** When a request was due, left and came back, in milliseconds of the system clock. */
export interface Probe {
  readonly dueAtMs: number
  readonly sentAtMs: number
  readonly endedAtMs: number
}

const call: TranscribeCall = {
  audio: { transport: 'path', path: '/audio/0001.wav' },
  options: { engine: 'null', model: 'null' },
  timeoutMs: 60_000,
}

/** Sends one small request. */
export async function probe(connection: Connection, dueAtMs: number): Promise<Probe> {
  const { outcome, times } = await connection.transcribe(call)
  if (!outcome.ok) throw new Error(`the null service failed: ${JSON.stringify(outcome.failure)}`)
  return { dueAtMs, sentAtMs: times.sentAtMs, endedAtMs: times.endedAtMs }
}
