import { isAbsolute, join, resolve } from 'node:path'
import { discoveryFileName, isLoopbackHost } from '#contract'
import { withoutCredentials } from '#prelude'
import { findProvider } from '#providers'
import { findLiveDiscoveryFile, isFolder, isOpenToOthers } from './discovery/discovery.ts'
import {
  addressLocator,
  discoveryLocator,
  type Environment,
  type ForwardedPort,
  type Locator,
} from './discovery/location.ts'
import { clientErrors } from './errors.ts'
import { parseServerAddress } from './server-address.ts'

/** Something about a target that a person should know, and that does not stop the work. */
export interface TargetWarning {
  readonly code: 'DISCOVERY_FILE_OPEN' | 'TARGET_NOT_LOOPBACK' | 'MODEL_RETIRES' | 'MODEL_UNLISTED'
  readonly message: string
  readonly hint: string
}

/** A service that runs already. Holds no token: `locate` reads it when it is needed. */
export interface RunningTarget {
  readonly kind: 'discovered' | 'address'
  /** The discovery file's absolute path, or the address; with the forwarded port, if there is one. */
  readonly text: string
  readonly isForwarded: boolean
  /** Reads port and token anew each time. Keep what it gives out of everything that is printed or stored. */
  readonly locate: Locator
  readonly warnings: readonly TargetWarning[]
}

/** Where the requests of a run go. */
export type Target = { readonly kind: 'embedded' } | RunningTarget

/**
 * Reads a target as a person writes it. `auto` looks for running services and is replaced by the one found.
 *
 * - `embedded`: the service that the caller starts itself
 * - `auto`: the one live `local-api.json` under the per-user data folders
 * - a path: a discovery file, or the folder that holds one; `~` is the home folder
 * - `http://127.0.0.1:39201`: an address; the token comes from `TRANSCRIBENCH_TOKEN` or `TRANSCRIBENCH_TOKEN_FILE`
 *
 * A file or an address may end in `@127.0.0.1:4000`: the service is reached through that forwarded port, and
 * still sent `Host: 127.0.0.1:<its own port>`, which is the only one it accepts.
 *
 * @throws BenchError `TARGET_INVALID`, `TARGET_TOKEN_MISSING`, `TARGET_HAS_NO_MODES`; for `auto` also `TARGET_NOT_FOUND`, `TARGET_AMBIGUOUS`
 */
export async function resolveTarget(text: string, environment: Environment): Promise<Target> {
  const written = text.trim()
  if (written === 'embedded') return { kind: 'embedded' }
  if (written === 'auto') return discovered(await findLiveDiscoveryFile(environment), null, environment)
  if (parseServerAddress(written) !== null || findProvider(written) !== null) {
    throw clientErrors.make('TARGET_HAS_NO_MODES', {
      message: `${written} is a transcription server, not a Local Transcription API`,
      hint: `measure it with: transcribench run --target ${written}`,
    })
  }
  const { service, via } = splitForwardedPort(written)
  if (service === '' || service === 'embedded' || service === 'auto') throw invalid(text)
  if (looksLikeAddress(service)) {
    const written = service.includes('://') ? service : `http://${service}`
    const origin = parseOrigin(written)
    if (origin === null) throw invalid(text, serverTarget(written))
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
      hint: `chmod 600 '${path}'`,
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

/** An origin with an explicit port and nothing after it, or null. A URL has no port where it is the usual one. */
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

/** The port is always said, so that what is written down can be typed again. */
function hostAndPort({ protocol, hostname, port }: URL): string {
  return `${hostname}:${port === '' ? usualPorts[protocol] : port}`
}

const usualPorts: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' }

/** An address with a path is that of another API: `openai:http://127.0.0.1:8000/v1`, or null. */
function serverTarget(written: string): string | null {
  const url = URL.canParse(written) ? new URL(written) : null
  if (url === null || !/^https?:$/.test(url.protocol) || url.pathname === '/') return null
  return `openai:${withoutCredentials(written)}`
}

/** @param server the same as a transcription server, where it may be meant as one */
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
