import { hasCredentials, withoutCredentials } from '#prelude'
import type { Reply } from './connection/reply-receiver.ts'
import type { Environment } from './discovery/location.ts'
import { clientErrors } from './errors.ts'

/** A server that speaks `/v1/audio/transcriptions`, named by the address that ends in `/v1`. */
export interface ServerAddress {
  readonly origin: string
  /** Path before `/audio/transcriptions`: `/v1`. */
  readonly basePath: string
  /** Goes with every request: `?api-version=2025-04-01`; empty for none. */
  readonly query: string
}

const prefix = 'openai:'

/**
 * Reads a target such as `openai:http://127.0.0.1:8000/v1`.
 *
 * @returns null for every target that does not begin with `openai:`
 * @throws BenchError TARGET_INVALID
 */
export function parseServerAddress(target: string): ServerAddress | null {
  const text = target.trim()
  if (!text.startsWith(prefix)) return null
  const written = text.slice(prefix.length)
  const url = URL.canParse(written) ? new URL(written) : null
  const isAddress = url !== null && /^https?:$/.test(url.protocol) && url.username + url.password === ''
  if (!isAddress || [...url.searchParams.keys()].some((name) => secretName.test(name))) {
    throw clientErrors.make('TARGET_INVALID', {
      message: `"${prefix}${withoutCredentials(written)}" is not the address of a transcription server`,
      hint: 'write it with its path, openai:http://127.0.0.1:8000/v1; a key comes from the variable that --key-from names',
    })
  }
  return { origin: url.origin, basePath: url.pathname.replace(/\/+$/, ''), query: url.search }
}

/** Parameters of an address that grant access: a target is printed and recorded. */
const secretName = /key|token|secret|passw|sig|auth|code/i

/** What is to be given to `parseServerAddress` to come to the same server. */
export function addressText({ origin, basePath, query }: ServerAddress): string {
  return origin + basePath + query
}

/**
 * A target is printed and recorded, so that it has no password in it.
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
 * The key that goes with every request, from the environment variable of this name.
 *
 * @param variable null for a server that wants none
 * @throws BenchError TARGET_KEY_MISSING
 */
export function readServerKey(variable: string | null, { env }: Pick<Environment, 'env'>): string | null {
  if (variable === null) return null
  const key = env[variable]?.trim() ?? ''
  if (/^[\x21-\x7e]+$/.test(key)) return key
  throw clientErrors.make('TARGET_KEY_MISSING', {
    message: `the environment variable ${variable}, which should hold the key of the server, ${key === '' ? 'is not set' : 'does not hold a key'}`,
    hint: `export ${variable}=<key>, or name another one: --key-from <variable>`,
  })
}

/** Where the path of a transcription server may be instead. */
export function addressAdvice(
  { origin, basePath, query }: ServerAddress,
  { text }: Pick<Reply, 'text'>,
): string {
  const pasted = /^(.*?)\/(audio\/transcriptions|audio|inference|transcriptions|models)$/.exec(basePath)
  const target = (path: string): string => `openai:${origin}${path}${query}`
  const likely = [
    ...(pasted === null ? [] : [target(pasted[1] === '' ? '/v1' : (pasted[1] ?? ''))]),
    ...(basePath === '/v1' || pasted !== null ? [] : [target('/v1')]),
    ...(basePath.endsWith('/v1') || basePath === '' || pasted !== null ? [] : [target(`${basePath}/v1`)]),
  ]
  // Its words for every path that it does not have; by default it takes recordings at /inference alone.
  const isWhisperCpp = text.startsWith('File Not Found (')
  return [
    ...(likely.length === 0
      ? []
      : [`the address ends before /audio/transcriptions: try ${[...new Set(likely)].join(' or ')}`]),
    ...(isWhisperCpp || likely.length === 0
      ? [
          `start whisper-server of whisper.cpp with --inference-path ${basePath === '' ? '/v1' : basePath}/audio/transcriptions`,
        ]
      : []),
    ...(likely.length === 0 && !isWhisperCpp
      ? ['see in the documentation of the server where it takes recordings']
      : []),
  ].join('; or ')
}
