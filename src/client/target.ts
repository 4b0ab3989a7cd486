import type { Stats } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { isAbsolute, join, posix, resolve, win32 } from 'node:path'
import { isLoopbackHost } from '#contract/enums'
import { describeFailure } from '#contract/failures'
import { discoveryFileName } from '#contract/resources'
import { isRunning } from '#installation/processes'
import { systemClock } from '#load/clock'
import { BenchError, type Problem, shellWord, withoutCredentials } from '#prelude'
import { findProvider } from '#providers/providers'
import { Channel, type Connection, callEndpoint, connectionOver } from './connection.ts'
import { clientErrors } from './errors.ts'
import type { TimedPoolOptions } from './exchange.ts'
import {
  addressLocator,
  discoveryLocator,
  type Environment,
  type ForwardedPort,
  howToSwitchOn,
  type Locator,
  parseServerAddress,
  type ServiceLocation,
} from './location.ts'

/** A condition of a target that the user should know, but that does not stop the command. */
export interface TargetWarning {
  readonly code:
    | 'DISCOVERY_FILE_OPEN'
    | 'TARGET_NOT_LOOPBACK'
    | 'MODEL_RETIRES'
    | 'MODEL_UNLISTED'
    | 'TRANSPORT_UNUSED'
  readonly message: string
  readonly hint: string
}

/** A service that already runs. It holds no token; `locate` reads the token when it is needed. */
export interface RunningTarget {
  readonly kind: 'discovered' | 'address'
  /** Absolute path of the discovery file, or the address; followed by the forwarded port if there is one. */
  readonly text: string
  readonly isForwarded: boolean
  /** Reads port and token on each call; the result must not be printed or stored. */
  readonly locate: Locator
  readonly warnings: readonly TargetWarning[]
}

/** The service that a run measures. */
export type Target = { readonly kind: 'embedded' } | RunningTarget

/**
 * Parses a target as the user writes it. `auto` looks for running services and is replaced by the one found.
 *
 * - `embedded`: the service that the caller starts itself
 * - `auto`: the one live `local-api.json` under the per-user data folders
 * - a path: a discovery file, or the folder that holds one; `~` is the home folder
 * - `http://127.0.0.1:39201`: an address; the token comes from `TRANSCRIBENCH_TOKEN` or `TRANSCRIBENCH_TOKEN_FILE`
 *
 * A file or an address may end in `@127.0.0.1:4000`. The service is then reached through that forwarded port,
 * with `Host: 127.0.0.1:<its own port>`, the only host that it accepts.
 *
 * @throws BenchError `TARGET_INVALID`, `TARGET_TOKEN_MISSING`, `TARGET_HAS_NO_MODES`; for `auto` also
 * `TARGET_NOT_FOUND`, `TARGET_AMBIGUOUS`
 */
export async function resolveTarget(text: string, environment: Environment): Promise<Target> {
  const written = text.trim()
  if (written === 'embedded') return { kind: 'embedded' }
  if (written === 'auto') return discovered(await findLiveDiscoveryFile(environment), null, environment)
  if (parseServerAddress(written) !== null || findProvider(written) !== null) {
    throw clientErrors.make('TARGET_HAS_NO_MODES', {
      message: `${written} is a transcription server, not a Local Transcription API`,
      hint: `measure it with: transcribench run --target ${shellWord(written)}`,
    })
  }
  const { service, via } = splitForwardedPort(written)
  if (service === '' || service === 'embedded' || service === 'auto') throw invalid(text)
  if (looksLikeAddress(service)) {
    const url = service.includes('://') ? service : `http://${service}`
    const origin = parseOrigin(url)
    if (origin === null) throw invalid(text, serverTarget(url))
    return address(origin, via, environment)
  }
  const path = absolutePath(service, environment)
  return discovered((await isFolder(path)) ? join(path, discoveryFileName) : path, via, environment)
}

async function discovered(
  path: string,
  via: ForwardedPort | null,
  environment: Environment,
): Promise<RunningTarget> {
  const warnings: TargetWarning[] = via === null ? [] : loopbackWarnings(via.host, via.origin)
  if (await isOpenToOthers(path, environment.platform)) {
    warnings.push({
      code: 'DISCOVERY_FILE_OPEN',
      message: `${path} can be read by other users of this machine, and holds the access token`,
      hint: `chmod 600 ${shellWord(path)}`,
    })
  }
  return {
    kind: 'discovered',
    text: withVia(path, via),
    isForwarded: via !== null,
    locate: discoveryLocator(path, via),
    warnings,
  }
}

function address(origin: URL, via: ForwardedPort | null, environment: Environment): RunningTarget {
  const reached = via ?? { host: origin.hostname, origin: origin.origin }
  return {
    kind: 'address',
    text: withVia(`${origin.protocol}//${hostAndPort(origin)}`, via),
    isForwarded: via !== null,
    locate: addressLocator(
      { origin: reached.origin, hostHeader: via === null ? null : origin.host },
      environment,
    ),
    warnings: loopbackWarnings(reached.host, reached.origin),
  }
}

/** Parses an origin with an explicit port; null for others. `URL` drops a default port, so the text is tested. */
function parseOrigin(text: string): URL | null {
  const hasPort = /:\d+\/?$/.test(text)
  const url = URL.canParse(text) && hasPort ? new URL(text) : null
  if (url === null || !/^https?:$/.test(url.protocol)) return null
  return url.pathname === '/' && url.username === '' && url.password === '' ? url : null
}

function splitForwardedPort(text: string): { service: string; via: ForwardedPort | null } {
  const match = /^(?<service>.*)@(?<via>[^@/\\]+:\d+)$/.exec(text)
  const service = match?.groups?.['service']
  const origin = parseOrigin(`http://${match?.groups?.['via']}`)
  if (service === undefined || origin === null) return { service: text, via: null }
  return { service, via: { host: origin.hostname, origin: origin.origin } }
}

function looksLikeAddress(text: string): boolean {
  return text.includes('://') || /^(localhost|\d+\.\d+\.\d+\.\d+|\[[0-9a-f:]+\]):\d+(\/|$)/i.test(text)
}

function absolutePath(text: string, environment: Environment): string {
  if (text === '~') return environment.home
  if (/^~[/\\]/.test(text)) return join(environment.home, text.slice(2))
  return isAbsolute(text) ? text : resolve(text)
}

function loopbackWarnings(host: string, origin: string): TargetWarning[] {
  if (isLoopbackHost(host)) return []
  return [
    {
      code: 'TARGET_NOT_LOOPBACK',
      message: `${origin} is not on this machine: the token and the audio travel over the network, which is measured too`,
      hint: `forward the port instead: ssh -L 4000:127.0.0.1:<port> <host>, then --target <discovery file>@127.0.0.1:4000`,
    },
  ]
}

const serverPaths = '/audio/transcriptions under this address'

function withVia(text: string, via: ForwardedPort | null): string {
  return via === null ? text : `${text}@${hostAndPort(new URL(via.origin))}`
}

/** Host and port. The port is always included, so that the text is a valid target again. */
function hostAndPort({ protocol, hostname, port }: URL): string {
  return `${hostname}:${port === '' ? usualPorts[protocol] : port}`
}

const usualPorts: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' }

/** The target `openai:http://127.0.0.1:8000/v1` for an address with a path, which belongs to another API; else null. */
function serverTarget(written: string): string | null {
  const url = URL.canParse(written) ? new URL(written) : null
  if (url === null || !/^https?:$/.test(url.protocol) || url.pathname === '/') return null
  return `openai:${withoutCredentials(written)}`
}

/** @param server the text as a target of a transcription server, where it may be one */
function invalid(text: string, server: string | null = null): Error {
  const meant =
    server === null ? '' : `for a server with ${serverPaths}, write --target ${server}; otherwise `
  return clientErrors.make('TARGET_INVALID', {
    message: `"${withoutCredentials(text)}" is not a target`,
    hint:
      `${meant}write embedded, auto, the path of a local-api.json, or an address with its port such as ` +
      'http://127.0.0.1:39201 (the token comes from TRANSCRIBENCH_TOKEN)',
  })
}

/**
 * The per-user folders in which applications keep their data.
 *
 * @see XDG Base Directory Specification for `XDG_DATA_HOME`, which counts only when it is absolute
 */
function userDataRoots(environment: Environment): readonly string[] {
  const { env, home, platform } = environment
  if (platform === 'darwin') return [posix.join(home, 'Library', 'Application Support')]
  if (platform === 'win32') return [env['LOCALAPPDATA'] || win32.join(home, 'AppData', 'Local')]
  const dataHome = env['XDG_DATA_HOME']
  return [dataHome && posix.isAbsolute(dataHome) ? dataHome : posix.join(home, '.local', 'share')]
}

/**
 * Looks for `*\/local-api.json` under the user's data folders.
 *
 * @returns the path of the only file whose service is alive
 * @throws BenchError `TARGET_NOT_FOUND` with the fault of each file, `TARGET_AMBIGUOUS`
 */
async function findLiveDiscoveryFile(environment: Environment): Promise<string> {
  const roots = userDataRoots(environment)
  const paths = (await Promise.all(roots.map(discoveryFilesUnder))).flat()
  const checked = await Promise.all(
    paths.map(async (path) => ({ path, state: await checkLiveness(discoveryLocator(path, null)) })),
  )
  const live = checked.filter(({ state }) => state.kind === 'alive')
  const [found] = live
  if (found !== undefined && live.length === 1) return found.path
  if (found !== undefined) throw ambiguous(live.map(({ path }) => path))
  const stale = checked.flatMap(({ path, state }) =>
    state.kind === 'alive' ? [] : [{ where: path, what: state.reason }],
  )
  throw nothingFound(roots, stale)
}

async function discoveryFilesUnder(root: string): Promise<string[]> {
  // A folder that is missing or unreadable holds no service that this user can measure.
  const names = await readdir(root).catch(() => [])
  const paths = names.sort().map((name) => join(root, name, discoveryFileName))
  const exists = await Promise.all(paths.map(isFile))
  return paths.filter((_, position) => exists[position])
}

function ambiguous(paths: readonly string[]): Error {
  return clientErrors.make('TARGET_AMBIGUOUS', {
    message: `${paths.length} services are running here, and "auto" does not choose between them`,
    hint: `name one: --target ${shellWord(paths[0] ?? '')}`,
    problems: paths.map((path) => ({ where: path, what: 'a live service' })),
  })
}

function nothingFound(roots: readonly string[], stale: readonly Problem[]): Error {
  const pattern = roots.map((root) => join(root, '*', discoveryFileName)).join(', ')
  const message =
    stale.length === 0
      ? `no service was found: looked for ${pattern}`
      : `no running service was found: every file that matches ${pattern} is stale`
  return clientErrors.make('TARGET_NOT_FOUND', { message, hint: howToSwitchOn, problems: stale })
}

/** Whether users other than the owner can read the file; always false on Windows, which has no such permission bits. */
async function isOpenToOthers(path: string, platform: NodeJS.Platform): Promise<boolean> {
  if (platform === 'win32') return false
  const status = await statOrNull(path)
  return status !== null && (status.mode & 0o077) !== 0
}

async function isFolder(path: string): Promise<boolean> {
  return (await statOrNull(path))?.isDirectory() ?? false
}

async function isFile(path: string): Promise<boolean> {
  return (await statOrNull(path))?.isFile() ?? false
}

/** Null where the path does not exist, or this user may not access it. */
async function statOrNull(path: string): Promise<Stats | null> {
  return stat(path).catch(() => null)
}

/**
 * Opens a connection and checks the service: `/health` answers, the process that wrote the discovery file is
 * alive, and the token is accepted. The answers are not kept; request again what you record.
 *
 * @param target a result of `resolveTarget`; the embedded service is started first and named by its discovery
 * file
 * @throws BenchError `TARGET_NOT_FOUND`, `DISCOVERY_FILE_UNREADABLE`, `TARGET_TOKEN_MISSING`, `TARGET_STALE`,
 *   `TARGET_UNREACHABLE`, `TARGET_NOT_THE_API`, `TARGET_TOKEN_REFUSED`
 */
export async function connect(target: RunningTarget, options: TimedPoolOptions): Promise<Connection> {
  const location = await target.locate()
  const channel = new Channel(target.locate, location, options)
  try {
    const liveness = await askLiveness(channel, location)
    if (liveness.kind !== 'alive') throw notReady(target, channel.baseUrl, liveness)
    await checkToken(target, channel)
    return connectionOver(channel)
  } catch (error) {
    await channel[Symbol.asyncDispose]()
    throw error
  }
}

/** Checks only for a 401; other failures are reported where the response is needed. */
async function checkToken(target: RunningTarget, channel: Channel): Promise<void> {
  const models = await callEndpoint(channel, 'listModels', { query: { kind: 'voice' } })
  if (models.ok || !('httpStatus' in models.failure) || models.failure.httpStatus !== 401) return
  throw clientErrors.make('TARGET_TOKEN_REFUSED', {
    message: `the service at ${channel.baseUrl} does not take the token of ${target.kind === 'address' ? 'TRANSCRIBENCH_TOKEN or TRANSCRIBENCH_TOKEN_FILE' : target.text}`,
    hint:
      target.kind === 'address'
        ? 'copy the token from the settings of the application again, or name its discovery file as the target'
        : 'restart the service, which writes the file anew; a copy of the file has to be copied again',
    problems: [{ where: `${channel.baseUrl}/models`, what: describeFailure(models.failure) }],
  })
}

function notReady(
  target: RunningTarget,
  baseUrl: string,
  { kind, reason }: { readonly kind: 'gone' | 'foreign'; readonly reason: string },
): Error {
  const problems = [{ where: target.text, what: reason }]
  if (kind === 'foreign') {
    return clientErrors.make('TARGET_NOT_THE_API', {
      message: `${baseUrl} answers, but not as the Local Transcription API`,
      hint:
        'see which program has the port; behind a forwarded port write <discovery file>@127.0.0.1:<forwarded ' +
        'port>, so that the service gets the Host that it expects',
      problems,
    })
  }
  if (target.kind === 'discovered' && !target.isForwarded) {
    return clientErrors.make('TARGET_STALE', {
      message: `${target.text} is stale: ${reason}`,
      hint: 'start the service again, or use the built-in one: --target embedded',
    })
  }
  return clientErrors.make('TARGET_UNREACHABLE', {
    message: `no service answers at ${baseUrl}`,
    hint: target.isForwarded
      ? 'see whether the port is still forwarded and the service runs on the other side'
      : 'start the service, or name its discovery file as the target: --target auto',
    problems,
  })
}

/** Time-out of `/health` in milliseconds; the service answers it from memory. */
const healthMs = 10_000

/** `gone`: no response, or one of another process. `foreign`: a response that is not of this API. */
type Liveness = { readonly kind: 'alive' } | { readonly kind: 'gone' | 'foreign'; readonly reason: string }

/** Requests `/health`, and checks that the process that wrote the discovery file answers. */
async function askLiveness(channel: Channel, location: ServiceLocation): Promise<Liveness> {
  const health = await callEndpoint(channel, 'health', { timeoutMs: healthMs })
  const deadPid = location.pid !== null && !isRunning(location.pid) ? location.pid : null
  if (health.ok) {
    // The same pid in the response: the service runs in a container, which has separate process ids.
    if (deadPid === null || health.value.pid === deadPid) return { kind: 'alive' }
    return {
      kind: 'gone',
      reason: `${ended(deadPid)}, and process ${health.value.pid} answers on its port now`,
    }
  }
  if (deadPid !== null) return { kind: 'gone', reason: ended(deadPid) }
  const { failure } = health
  const isSilent = failure.kind === 'unreachable' || failure.kind === 'timedOut'
  return { kind: isSilent ? 'gone' : 'foreign', reason: `GET /health: ${describeFailure(failure)}` }
}

function ended(pid: number): string {
  return `process ${pid}, which wrote it, has ended`
}

/** Checks a discovery file over a separate channel; failures of the file or the port are returned, not thrown. */
async function checkLiveness(locate: Locator): Promise<Liveness> {
  try {
    const location = await locate()
    await using channel = new Channel(locate, location, { clock: systemClock, connections: 1 })
    return await askLiveness(channel, location)
  } catch (error) {
    if (error instanceof BenchError) return { kind: 'gone', reason: error.message }
    throw error
  }
}
