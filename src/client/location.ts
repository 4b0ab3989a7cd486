import { readFile } from 'node:fs/promises'
import { discoveryFile } from '#contract/resources'
import { hasCredentials, ownValue, parseJson, serverAddressIn, withoutCredentials } from '#prelude'
import { clientErrors } from './errors.ts'

export interface Environment {
  readonly env: Readonly<Record<string, string | undefined>>
  /** The user's home folder. */
  readonly home: string
  readonly platform: NodeJS.Platform
}

/** A local port that is forwarded to the service's port on another machine. */
export interface ForwardedPort {
  readonly host: string
  readonly origin: string
}

/** Everything that a request needs to reach the service. It holds the token, so never print or store it. */
export interface ServiceLocation {
  /** Origin that the socket connects to: `http://127.0.0.1:39201`. */
  readonly origin: string
  /** `Host` header that the service expects; null where it is that of the origin. */
  readonly hostHeader: string | null
  /** Bearer token; empty where requests carry none. */
  readonly token: string
  /** Process that wrote the discovery file; null where unknown or not on this machine. */
  readonly pid: number | null
}

/** Reads the location again on each call, because a service may restart with another port and token. */
export type Locator = () => Promise<ServiceLocation>

/** @returns a locator that reads the discovery file on each call */
export function discoveryLocator(path: string, via: ForwardedPort | null): Locator {
  return async () => {
    const { port, token, pid } = await readDiscoveryFile(path)
    const host = `127.0.0.1:${port}`
    if (via === null) {
      return { origin: `http://${host}`, hostHeader: null, token, pid: pid ?? null }
    }
    return { origin: via.origin, hostHeader: host, token, pid: null }
  }
}

async function readDiscoveryFile(
  path: string,
): Promise<{ port: number; token: string; pid?: number | undefined }> {
  const text = await readFile(path, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') throw notFound(path)
    throw clientErrors.make('DISCOVERY_FILE_UNREADABLE', {
      message: `${path} cannot be read (${cause.code})`,
      hint: 'run as the user who runs the application',
      cause,
    })
  })
  // Invalid JSON is treated like JSON of another shape, because a parser error would quote the token.
  // Trimming also removes a byte order mark.
  const parsed = discoveryFile.safeParse(parseJson(text.trim()))
  if (parsed.success && fitsHeader(parsed.data.token)) return parsed.data
  // The message omits the text and the parser's message, because both may contain the token.
  throw clientErrors.make('DISCOVERY_FILE_UNREADABLE', {
    message: `${path} is not a discovery file: it needs "port" (1 to 65535) and "token"`,
    hint: 'restart the service, which writes the file anew',
  })
}

function notFound(path: string): Error {
  return clientErrors.make('TARGET_NOT_FOUND', {
    message: `there is no discovery file ${withoutCredentials(path)}`,
    hint: howToSwitchOn,
  })
}

/** Advice where no service is running. */
export const howToSwitchOn: string =
  "switch the application's API server on (macOS: Settings → API Server, Windows: Settings → Local API; it is " +
  'off by default), start `transcribench serve`, or use the built-in service: --target embedded'

/**
 * @returns a locator for a service whose address is known, with the token of the environment
 * @throws BenchError `TARGET_TOKEN_MISSING`
 */
export function addressLocator(
  place: Pick<ServiceLocation, 'origin' | 'hostHeader'>,
  environment: Environment,
): Locator {
  const { origin } = place
  const withToken = (token: string): ServiceLocation => ({ ...place, token, pid: null })
  const token = environment.env['TRANSCRIBENCH_TOKEN']?.trim()
  const tokenFile = environment.env['TRANSCRIBENCH_TOKEN_FILE']
  if (token && !fitsHeader(token))
    throw tokenMissing(`TRANSCRIBENCH_TOKEN does not hold a token for ${origin}`)
  if (token) return async () => withToken(token)
  if (!tokenFile) throw tokenMissing(`no token for ${origin}`)
  return async () => withToken(await readTokenFile(tokenFile, origin))
}

async function readTokenFile(path: string, origin: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    throw tokenMissing(
      `no token for ${origin}: TRANSCRIBENCH_TOKEN_FILE names ${path}, which cannot be read (${cause.code})`,
    )
  })
  const token = text.trim()
  if (fitsHeader(token)) return token
  throw tokenMissing(
    `no token for ${origin}: ${path} (TRANSCRIBENCH_TOKEN_FILE) does not hold one line with a token`,
  )
}

/**
 * Whether a token or a key can be in a header: visible ASCII, at least one character. Others would break the request
 * head.
 */
function fitsHeader(token: string): boolean {
  return /^[\x21-\x7e]+$/.test(token)
}

function tokenMissing(message: string): Error {
  return clientErrors.make('TARGET_TOKEN_MISSING', {
    message,
    hint:
      'set TRANSCRIBENCH_TOKEN, or TRANSCRIBENCH_TOKEN_FILE to a file that holds the token; or name the discovery file; a server ' +
      'with /v1/audio/transcriptions is another kind of target: --target openai:http://…/v1',
  })
}

/** A server with `/v1/audio/transcriptions`, named by its address up to `/v1`. */
export interface ServerAddress {
  readonly origin: string
  /** Path before `/audio/transcriptions`: `/v1`. */
  readonly basePath: string
  /** Query that each request carries: `?api-version=2025-04-01`; may be empty. */
  readonly query: string
}

/**
 * Reads a target such as `openai:http://127.0.0.1:8000/v1`.
 *
 * @returns null for every target that does not begin with `openai:`
 * @throws BenchError TARGET_INVALID
 */
export function parseServerAddress(target: string): ServerAddress | null {
  const written = serverAddressIn(target)
  if (written === null) return null
  const url = URL.canParse(written) ? new URL(written) : null
  const isAddress = url !== null && /^https?:$/.test(url.protocol) && url.username + url.password === ''
  const secret = [...(url?.searchParams.keys() ?? [])].find((name) => secretName.test(name))
  if (!isAddress || secret !== undefined) {
    const why =
      secret === undefined ? '' : `: its parameter "${secret}" may hold a key, and targets are recorded`
    throw clientErrors.make('TARGET_INVALID', {
      message: `"openai:${withoutCredentials(written)}" is not the address of a transcription server${why}`,
      hint: 'write it with its path, openai:http://127.0.0.1:8000/v1; a key comes from the variable that --key-from names',
    })
  }
  return { origin: url.origin, basePath: url.pathname.replace(/\/+$/, ''), query: url.search }
}

/** Query parameters that may grant access, which are rejected because targets are printed and recorded. */
const secretName =
  /key(?!board|term|word|phrase)|token|secret|passw|signature|credential|^(?:auth|authorization|sig|code|pwd)$/i

/** The address in the form that `parseServerAddress` reads after its prefix. */
export function addressText({ origin, basePath, query }: ServerAddress): string {
  return origin + basePath + query
}

/**
 * Rejects a target with a user or a password, because targets are printed and recorded.
 *
 * @throws BenchError TARGET_INVALID
 */
export function refuseCredentials(target: string): void {
  if (!hasCredentials(target)) return
  throw clientErrors.make('TARGET_INVALID', {
    message: `"${withoutCredentials(target)}" has a user or a password in it, which would be printed and recorded`,
    hint: 'write it without them: the token of a service comes from TRANSCRIBENCH_TOKEN, the key of a server from the variable that --key-from names',
  })
}

/**
 * Reads the server's key from an environment variable.
 *
 * @param variable null for a server without a key
 * @throws BenchError TARGET_KEY_MISSING
 */
export function readServerKey(variable: string | null, { env }: Pick<Environment, 'env'>): string | null {
  if (variable === null) return null
  const key = ownValue(env, variable)?.trim() ?? ''
  if (fitsHeader(key)) return key
  throw clientErrors.make('TARGET_KEY_MISSING', {
    message: `the environment variable ${variable}, which should hold the key of the server, ${key === '' ? 'is not set' : 'does not hold a key'}`,
    hint: `export ${variable}=<key>, or name another one: --key-from <variable>`,
  })
}
