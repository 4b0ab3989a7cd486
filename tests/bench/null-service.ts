import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Pool } from 'undici'
import type { Connection, TranscribeCall } from '#client/connection'
import { connect, resolveTarget } from '#client/target'
import { discoveryFile } from '#contract/resources'
import { systemClock } from '#load/clock'
import { quantile, sortSamples } from '#statistics/quantiles'

/** The null server in a separate process, with a discovery file, and a folder that goes with it. */
export interface NullService extends AsyncDisposable {
  readonly port: number
  readonly folder: string
  readonly discoveryPath: string
}

/** @param delayMs how long a transcription is waited for */
export async function startNullService(delayMs = 0): Promise<NullService> {
  const program = fileURLToPath(import.meta.resolve('./client-null-server.ts'))
  const child = spawn(process.execPath, [program, String(delayMs)], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const port = Number(line.toString())
  const folder = await mkdtemp(join(tmpdir(), 'transcribench-bench-'))
  const discoveryPath = join(folder, 'local-api.json')
  await writeFile(discoveryPath, JSON.stringify({ port, token: 'bench', pid: child.pid }), { mode: 0o600 })
  return {
    port,
    folder,
    discoveryPath,
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit')
      child.kill()
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/**
 * Our client on a null service.
 *
 * @param connections by default more than are ever in flight: an open schedule must not wait for a free connection
 */
export async function connectTo(discoveryPath: string, connections = 1_000): Promise<Connection> {
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

/** A small request. */
export const smallCall: TranscribeCall = {
  audio: { transport: 'path', path: '/audio/0001.wav' },
  options: { engine: 'null', model: 'null' },
  timeoutMs: 60_000,
}

/** Sends one small request. */
export async function probe(connection: Connection, dueAtMs: number): Promise<Probe> {
  const { outcome, times } = await connection.transcribe(smallCall)
  if (!outcome.ok) throw new Error(`the null service failed: ${JSON.stringify(outcome.failure)}`)
  return { dueAtMs, sentAtMs: times.sentAtMs, endedAtMs: times.endedAtMs }
}

/** Sends a recording as base64, read from its file piece by piece. */
export async function uploadStreamed(connection: Connection, path: string): Promise<void> {
  const { size: sizeBytes } = await stat(path)
  const { outcome } = await connection.transcribe({
    audio: { transport: 'base64', path, sizeBytes, mimeType: 'audio/wav' },
    options: { engine: 'null', model: 'null' },
    timeoutMs: 60_000,
  })
  if (!outcome.ok) throw new Error(`the null service failed: ${JSON.stringify(outcome.failure)}`)
}

/** The same as it is done without care: the JSON document in one piece. */
export async function uploadWhole(discoveryPath: string, path: string): Promise<void> {
  const { port, token } = discoveryFile.parse(JSON.parse(await readFile(discoveryPath, 'utf8')))
  const pool = new Pool(`http://127.0.0.1:${port}`)
  const audio = (await readFile(path)).toString('base64')
  const response = await pool.request({
    method: 'POST',
    path: '/transcribe',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ engine: 'null', model: 'null', mime_type: 'audio/wav', audio_base64: audio }),
  })
  await response.body.text()
  await pool.destroy()
}

export function shareOf(values: readonly number[], share: number): number {
  return quantile(sortSamples(values), share) ?? Number.NaN
}
