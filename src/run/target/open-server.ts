import { clientErrors } from '#client/errors'
import { parseServerAddress, readServerKey } from '#client/location'
import { openProviderServer } from '#client/provider-server'
import type { TargetWarning } from '#client/target'
import {
  type ListedModel,
  openTranscriptionServer,
  type TranscriptionServer,
} from '#client/transcription-server'
import type { ContenderConfig } from '#config/bench-config'
import { isLoopbackHost } from '#contract/enums'
import { describeFailure } from '#contract/failures'
import type { ModelEntry } from '#contract/resources'
import { type ProviderAccess, providerAccess } from '#providers/access'
import type { ProviderData } from '#providers/providers'
import { describeRetirement, findProvider } from '#providers/providers'
import { findListeningProcesses } from '#telemetry/listening-process'
import type { WatchedServer } from '#telemetry/sampling'
import { type OpenTarget, openTarget, type TargetRequest } from './open-target.ts'

/** A server of `/v1/audio/transcriptions`, or a cloud provider. Disposing closes the connections. */
export interface OpenServer extends AsyncDisposable {
  readonly kind: 'openai' | 'provider'
  readonly description: string
  readonly server: TranscriptionServer
  /** It has no such thing. */
  readonly health: null
  /** Empty where it does not list them; then any model may be asked for. */
  readonly models: readonly ModelEntry[]
  /** When models stop answering, by what the server itself lists. */
  readonly shutdownDates: ReadonlyMap<string, string>
  readonly warnings: readonly TargetWarning[]
  /** Such a server does not report it. */
  readonly serverPid: null
  /** What is known of it; null for any server but a provider's. */
  readonly provider: ProviderData | null
}

/** Whatever a target names. */
export type AnyTarget = OpenTarget | OpenServer

export function isServer(target: AnyTarget): target is OpenServer {
  return target.kind === 'openai' || target.kind === 'provider'
}

/**
 * Whether a target is a transcription server or a provider, which has models and no Modes.
 *
 * @throws BenchError TARGET_INVALID for what is no address
 */
export function namesServer(target: string): boolean {
  return findProvider(target.trim()) !== null || parseServerAddress(target) !== null
}

export interface AnyTargetRequest extends TargetRequest {
  /** Environment variable with the key of a transcription server; null where it wants none. */
  readonly keyFrom: string | null
}

/**
 * Opens whatever a target names: a service of the Local Transcription API, a transcription server, or a provider.
 *
 * @throws BenchError of the client's and the session's tables
 */
export async function openAnyTarget(request: AnyTargetRequest): Promise<AnyTarget> {
  const provider = findProvider(request.target.trim())
  const address = provider === null ? parseServerAddress(request.target) : null
  const { clock, connections, keyFrom, env } = request
  const server =
    provider !== null
      ? openProviderServer(provider, { access: accessTo(provider, request), clock, connections })
      : address !== null
        ? openTranscriptionServer(address, {
            ...{ key: readServerKey(keyFrom, { env }), keyFrom, clock, connections },
          })
        : null
  if (server === null) return openTarget(request)
  const listed = await server.listModels()
  const failure = listed.ok ? null : listed.failure
  const isSilent = failure?.kind === 'unreachable' || failure?.kind === 'timedOut'
  // A key may be for transcripts alone, and a proxy may hide the list: both show when a recording is sent.
  const isRefused =
    failure?.kind === 'refused' &&
    (failure.httpStatus === 401 || (failure.httpStatus === 403 && provider !== null))
  if (failure !== null && (isSilent || isRefused)) {
    await server[Symbol.asyncDispose]()
    throw clientErrors.make('TARGET_UNREACHABLE', {
      message: `${server.baseUrl} ${isSilent ? 'does not answer' : 'refuses the key'}: ${describeFailure(failure)}`,
      hint: isSilent
        ? failure.kind === 'timedOut' && failure.during === 'waiting'
          ? 'it takes connections: it may be loading a model, or be busy; type the command again when it is done'
          : 'start the server, and see that the address ends where /audio/transcriptions begins'
        : ((failure.kind === 'refused' ? failure.hint : null) ??
          'name the environment variable that holds its key: --key-from <variable>'),
    })
  }
  return describeServer(server, provider, listed.ok ? listed.value : [])
}

/**
 * Where a provider or a transcription server is, without asking it.
 *
 * @returns null for a target that has to be found first, and for a provider that lacks what its address is made of
 * @throws BenchError TARGET_INVALID for what is no address
 */
export function findServerAddress(
  target: string,
  place: Pick<AnyTargetRequest, 'env' | 'keyFrom'>,
): string | null {
  const provider = findProvider(target.trim())
  if (provider !== null) {
    const access = providerAccess(provider, place)
    return 'missing' in access ? null : access.baseUrl
  }
  const address = parseServerAddress(target)
  return address === null ? null : address.origin + address.basePath
}

/** @throws BenchError TARGET_KEY_MISSING with every variable that is needed and not set */
function accessTo(provider: ProviderData, place: Pick<AnyTargetRequest, 'env' | 'keyFrom'>): ProviderAccess {
  const access = providerAccess(provider, place)
  if (!('missing' in access)) return access
  const { missing } = access
  const [first] = missing
  throw clientErrors.make('TARGET_KEY_MISSING', {
    message: `${provider.displayName} needs ${missing.map(({ variable }) => variable).join(', ')} in the environment`,
    hint: `export ${first?.variable}=<${first?.holds}>`,
    problems: missing.map(({ variable, holds, isEmpty }) => ({
      where: variable,
      what: isEmpty ? `${holds}, is not set` : `${holds}, does not hold it`,
    })),
  })
}

function describeServer(
  server: TranscriptionServer,
  provider: ProviderData | null,
  listed: readonly ListedModel[],
): OpenServer {
  const { hostname, protocol } = new URL(server.baseUrl)
  const isHere = isLoopbackHost(hostname)
  const providerName = provider?.id ?? (isHere ? 'local' : hostname)
  return {
    kind: provider === null ? 'openai' : 'provider',
    description:
      provider === null
        ? `the transcription server ${server.baseUrl}`
        : `${provider.displayName} (${server.baseUrl})`,
    server,
    health: null,
    models: listed.map(({ id }) => modelEntry(id, providerName)),
    shutdownDates: new Map(
      listed.flatMap(({ id, shutdownDate }) => (shutdownDate === null ? [] : [[id, shutdownDate] as const])),
    ),
    warnings: isHere || protocol === 'https:' ? [] : [openNetwork(server.baseUrl)],
    serverPid: null,
    provider,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

/** Where it is reached now: a service may move while it is open. */
export function findBaseUrl(target: AnyTarget): string {
  return isServer(target) ? target.server.baseUrl : target.connection.baseUrl
}

/**
 * The processes that a target works in. A server that does not name its own is found by the socket that it listens on, where
 * that is on this machine.
 */
export async function watchedServer(
  id: string | null,
  target: AnyTarget,
  env: TargetRequest['env'],
): Promise<WatchedServer> {
  if (target.serverPid !== null) return { id, pids: [target.serverPid], reason: null }
  const { hostname, port, protocol } = new URL(findBaseUrl(target))
  // A discovery file without a process is that of a forwarded port.
  if (!isLoopbackHost(hostname) || target.kind === 'discovered') return { id, pids: [], reason: null }
  const place = { hostname, port: Number(port || (protocol === 'https:' ? 443 : 80)) }
  return { id, ...(await findListeningProcesses(place, { env })) }
}

/** Whether what it is sent may be billed: a provider, and any server on another machine. */
export function mayBill({ provider, server }: Pick<OpenServer, 'provider' | 'server'>): boolean {
  return provider !== null || !isLoopbackHost(new URL(server.baseUrl).hostname)
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

/** Models of contenders that stop answering, by what their server lists and by what is known of their provider. */
export function retirementWarnings(
  contenders: readonly Pick<ContenderConfig, 'engine' | 'model'>[],
  target: AnyTarget,
): readonly TargetWarning[] {
  const messages = contenders.flatMap(({ engine, model }) => {
    const message = model === null ? null : retirementText(model, { engine, target })
    return message === null ? [] : [message]
  })
  return [...new Set(messages)].map((message) => ({
    code: 'MODEL_RETIRES',
    message,
    hint: 'measure its successor next to it',
  }))
}

/** When a model stops answering, in words; null where nothing is known of it. */
export function retirementText(
  model: string,
  { engine, target }: { readonly engine: string | null; readonly target: AnyTarget },
): string | null {
  const listed = isServer(target) ? target.shutdownDates.get(model) : undefined
  const known = describeRetirement((isServer(target) ? target.provider?.id : null) ?? engine ?? '', model)
  return known ?? (listed === undefined ? null : `${model} is shut down on ${listed}, as its server lists it`)
}
