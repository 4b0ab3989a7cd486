import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AudioInput, Connection, TranscribeResult } from '#client/connection'
import { noise } from '../noise.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import {
  connectTo,
  type Handler,
  type OddServer,
  sendJson,
  serviceWith,
  startOddServer,
  writeDiscovery,
} from './odd-server.ts'

export const modeId: string = '7c9e6679-7425-40de-944b-e07fc1f90ae7'
export const answer: object = {
  ok: true,
  text: 'seven of hearts',
  engine: 'moonshine',
  model: 'moonshine-tiny',
}
export const answering: Handler = (_, response) => sendJson(response, answer)

export interface Bench extends AsyncDisposable {
  readonly folder: string
  readonly server: OddServer
  readonly connection: Connection
}

/** A service that does what the test says with `/transcribe`, connected. */
export async function startBench(handle: Handler, connections = 4, accepts?: () => string): Promise<Bench> {
  const folder = await temporaryFolder()
  const server = await startOddServer(serviceWith(handle, accepts))
  const connection = await connectTo(await writeDiscovery(folder.path, { port: server.port }), connections)
  return {
    folder: folder.path,
    server,
    connection,
    async [Symbol.asyncDispose]() {
      await connection[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
      await folder[Symbol.asyncDispose]()
    },
  }
}

/** A file of reproducible bytes, as a recording to be sent in base64. */
export async function recordingOf(
  folder: string,
  sizeBytes: number,
): Promise<AudioInput & { transport: 'base64' }> {
  const path = join(folder, `${sizeBytes}.wav`)
  await writeFile(path, noise(sizeBytes, sizeBytes))
  return { transport: 'base64', path, sizeBytes, mimeType: 'audio/wav' }
}

export function transcribe(
  connection: Connection,
  audio: AudioInput,
  more: { readonly timeoutMs?: number; readonly signal?: AbortSignal } = {},
): Promise<TranscribeResult> {
  return connection.transcribe({
    audio,
    options: { mode_id: modeId },
    timeoutMs: more.timeoutMs ?? 20_000,
    signal: more.signal,
  })
}
