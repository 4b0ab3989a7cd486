import {
  clientErrors,
  openTranscriptionServer,
  parseServerAddress,
  readServerKey,
  type TargetWarning,
  type TranscriptionServer,
} from '#client'
import { describeFailure, isLoopbackHost, type ModelEntry } from '#contract'
import { type OpenTarget, openTarget, type TargetRequest } from './open-target.ts'

/** A server of `/v1/audio/transcriptions`. Disposing closes the connections. */
export interface OpenServer extends AsyncDisposable {
  readonly kind: 'openai'
  readonly description: string
  readonly server: TranscriptionServer
  /** It has no such thing. */
  readonly health: null
  /** Empty where it does not list them; then any model may be asked for. */
  readonly models: readonly ModelEntry[]
  readonly warnings: readonly TargetWarning[]
  /** Such a server does not report it. */
  readonly serverPid: null
}

/** Whatever a target names. */
export type AnyTarget = OpenTarget | OpenServer

export interface AnyTargetRequest extends TargetRequest {
  /** Environment variable with the key of a transcription server; null where it wants none. */
  readonly keyFrom: string | null
}

/**
 * Opens whatever a target names: a service of the Local Transcription API, or a transcription server.
 *
 * @throws BenchError of the client's and the session's tables
 */
export async function openAnyTarget(request: AnyTargetRequest): Promise<AnyTarget> {
  const address = parseServerAddress(request.target)
  if (address === null) return openTarget(request)
  const key = readServerKey(request.keyFrom, { env: request.env })
  const { clock, connections } = request
  const server = openTranscriptionServer(address, { key, clock, connections })
  const listed = await server.listModels()
  const isSilent = !listed.ok && ['unreachable', 'timedOut'].includes(listed.failure.kind)
  const isRefused =
    !listed.ok && listed.failure.kind === 'refused' && [401, 403].includes(listed.failure.httpStatus)
  if (!listed.ok && (isSilent || isRefused)) {
    await server[Symbol.asyncDispose]()
    throw clientErrors.make('TARGET_UNREACHABLE', {
      message: `${server.baseUrl} ${isSilent ? 'does not answer' : 'refuses the key'}: ${describeFailure(listed.failure)}`,
      hint: isSilent
        ? 'start the server, and see that the address ends where /audio/transcriptions begins'
        : 'name the environment variable that holds its key: --key-from <variable>',
    })
  }
  const { hostname, protocol } = new URL(address.origin)
  const isHere = isLoopbackHost(hostname)
  return {
    kind: 'openai',
    description: `the transcription server ${server.baseUrl}`,
    server,
    health: null,
    models: (listed.ok ? listed.value : []).map((id) => modelEntry(id, isHere ? 'local' : hostname)),
    warnings: isHere || protocol === 'https:' ? [] : [openNetwork(server.baseUrl)],
    serverPid: null,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

/** Where it is reached now: a service may move while it is open. */
export function baseUrlOf(target: AnyTarget): string {
  return target.kind === 'openai' ? target.server.baseUrl : target.connection.baseUrl
}

/** A server on another machine counts as a provider, whose minutes may be billed. */
function modelEntry(id: string, provider: string): ModelEntry {
  return { id, kind: 'voice', provider, displayName: id, installed: true, size_mb: null }
}

function openNetwork(baseUrl: string): TargetWarning {
  return {
    code: 'TARGET_NOT_LOOPBACK',
    message: `${baseUrl} is not on this machine: key and audio travel over the network in the clear, which is measured too`,
    hint: 'use https, or forward the port: ssh -L 8000:127.0.0.1:<port> <host>',
  }
}
