import { clientErrors } from '#client/errors'
import { addressText, parseServerAddress, readServerKey } from '#client/location'
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
import { describeRetirement, findProvider, findProviderAt } from '#providers/providers'
import { findListeningProcesses } from '#telemetry/listening-process'
import type { WatchedServer } from '#telemetry/sampling'
import { type OpenTarget, openTarget, type TargetRequest } from './open-target.ts'

/** A server of `/v1/audio/transcriptions`, or a cloud provider. Disposing closes the connections. */
export interface OpenServer extends AsyncDisposable {
  readonly kind: 'openai' | 'provider'
  readonly description: string
  readonly server: TranscriptionServer
  /** Always null: such a server reports no health. */
  readonly health: null
  /** Empty if the server does not list its models; then any model may be requested. */
  readonly models: readonly ModelEntry[]
  /** Shutdown dates of models that the server itself lists. */
  readonly shutdownDates: ReadonlyMap<string, string>
  readonly warnings: readonly TargetWarning[]
  /** Always null: such a server does not report it. */
  readonly serverPid: null
  /** Built-in data about the provider; null for any other server. */
  readonly provider: ProviderData | null
}

export type AnyTarget = OpenTarget | OpenServer

export function isServer(target: AnyTarget): target is OpenServer {
  return target.kind === 'openai' || target.kind === 'provider'
}

/**
 * Whether a target is a transcription server or a provider, which has models and no Modes.
 *
 * @throws BenchError TARGET_INVALID for an invalid address
 */
export function namesServer(target: string): boolean {
  return findProvider(target.trim()) !== null || parseServerAddress(target) !== null
}

export interface AnyTargetRequest extends TargetRequest {
  /** Environment variable with the key of a transcription server; null if it needs none. */
  readonly keyFrom: string | null
}

/**
 * Opens any target: a service of the Local Transcription API, a transcription server, or a provider.
 *
 * @throws BenchError of the tables of the client and of runs
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
            key: readServerKey(keyFrom, { env }),
            keyFrom,
            clock,
            connections,
          })
        : null
  if (server === null) return openTarget(request)
  const listed = await server.listModels()
  const failure = listed.ok ? null : listed.failure
  const isSilent = failure?.kind === 'unreachable' || failure?.kind === 'timedOut'
  // A key may be valid for transcripts alone, and a proxy may hide the list; sending a recording shows both.
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
 * The address of a provider or a transcription server, without a request.
 *
 * @returns null for a target that has to be found first, and for a provider without its settings
 * @throws BenchError TARGET_INVALID for an invalid address
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
  return address === null ? null : addressText(address)
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

/** The current address of a target: a service may move while it is open. */
export function findBaseUrl(target: AnyTarget): string {
  return isServer(target) ? target.server.baseUrl : target.connection.baseUrl
}

/**
 * The processes of a target. If a server does not report its own, they are found by its listening socket, provided
 * that it is on this machine.
 */
export async function watchedServer(
  id: string | null,
  target: AnyTarget,
  env: TargetRequest['env'],
): Promise<WatchedServer> {
  if (target.serverPid !== null) return { id, pids: [target.serverPid], reason: null }
  const { hostname, port, protocol } = new URL(findBaseUrl(target))
  // A discovery file without a process belongs to a forwarded port.
  if (!isLoopbackHost(hostname) || target.kind === 'discovered') return { id, pids: [], reason: null }
  const place = { hostname, port: Number(port || (protocol === 'https:' ? 443 : 80)) }
  return { id, ...(await findListeningProcesses(place, { env })) }
}

/** Whether requests may be billed: those to a provider, and to any server on another machine. */
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

/** Models of contenders with an end date, from the list of their server and the data of their provider. */
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

/** The end date of a model in words; null if none is known. */
export function retirementText(
  model: string,
  { engine, target }: { readonly engine: string | null; readonly target: AnyTarget },
): string | null {
  const listed = isServer(target) ? target.shutdownDates.get(model) : undefined
  // The engine of a server's contenders is a word for its protocol: a local server may name its model whisper-1 too.
  const providerId = isServer(target)
    ? (target.provider ?? findProviderAt(new URL(target.server.baseUrl).host))?.id
    : engine
  const retirement = describeRetirement(providerId ?? '', model)
  if (retirement !== null || listed === undefined) return retirement
  return `${model} is shut down on ${listed}, as its server lists it`
}
