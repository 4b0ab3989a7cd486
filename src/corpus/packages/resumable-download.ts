import { open, rm, stat } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import type { Dispatcher, EnvHttpProxyAgent } from 'undici'
import { isFileError, parseRetryAfter, withoutUndefined } from '#prelude'
import { keepVersion, readVersion } from '../files.ts'

export interface DownloadProgress {
  readonly receivedBytes: number
  /** Null where the server does not send it. */
  readonly totalBytes: number | null
}

interface RequestOptions {
  readonly url: string
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Additional headers, such as a token. Credentials are not sent to another host after a redirect. */
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
}

export interface DownloadOptions extends RequestOptions {
  /** Path of the file; an existing part is resumed. */
  readonly path: string
  readonly onProgress?: ((progress: DownloadProgress) => void) | undefined
}

export interface RangeOptions extends RequestOptions {
  /** Version of earlier parts; null where there are none, or the server sends no versions. */
  readonly version: string | null
  /** Offset of the first byte. */
  readonly from: number
  /** Offset after the last byte. */
  readonly to: number
}

export interface FilePart {
  readonly bytes: Uint8Array
  /** Null where the server sends no versions. */
  readonly version: string | null
}

/** undici is loaded with the first download, because most corpora and models are installed already. */
const httpLibrary = (): Promise<typeof import('undici')> => import('undici')

/** Maximum number of consecutive breaks without progress. */
const maxBreaks = 4
const firstPauseMs = 200
const stallMs = 30_000

/** Maximum delay that a server may ask for. */
const maxWaitMs = 5 * 60_000

/** The server refused; a retry would not change that. */
export class Refused extends Error {
  readonly status: number
  constructor(message: string, status: number) {
    super(message)
    this.status = status
  }
}

/** The server is busy, and sent a `Retry-After`. */
class Busy extends Error {
  readonly waitMs: number
  constructor(message: string, waitMs: number) {
    super(message)
    this.waitMs = waitMs
  }
}

/** The file on the server has another version than the earlier parts. */
export class OtherVersion extends Error {}

/**
 * Downloads a file, and resumes after a broken connection or an earlier call. The server's ETag or date is
 * stored next to the part. If it changed or is unknown, the download restarts, so that versions never mix.
 *
 * @throws Error when the server refuses or the connection breaks too often (received bytes stay); the signal's reason;
 *   file system errors
 */
export async function downloadResumably(options: DownloadOptions): Promise<void> {
  const { path } = options
  await patiently(
    options,
    () => readSize(path),
    (dispatcher, reached) => receiveRest(options, dispatcher, reached),
  )
  await keepVersion(path, null)
}

/** The version of a file: a strong ETag, else the date, because a weak ETag does not imply equal bytes. */
function versionOf({ headers }: Dispatcher.ResponseData): string | null {
  const etag = /^"[^"]*"$/.exec(String(headers['etag'] ?? ''))?.[0]
  return etag ?? (headers['last-modified'] === undefined ? null : String(headers['last-modified']))
}

/**
 * Fetches a part of a file, in the version of earlier parts.
 *
 * @returns null where the server only sends whole files
 * @throws OtherVersion; as `downloadResumably`
 */
export async function downloadRange(options: RangeOptions): Promise<FilePart | null> {
  const { from, to } = options
  let { version } = options
  const parts: Uint8Array[] = []
  const received = (): number => parts.reduce((sum, { length }) => sum + length, 0)
  return await patiently(
    options,
    async () => received(),
    async (dispatcher) => {
      // Without a known version, earlier parts are discarded, because they may be of another one.
      if (version === null) parts.length = 0
      const start = from + received()
      const answer = await ask(options, dispatcher, { range: `bytes=${start}-${to - 1}`, version })
      if (![200, 206].includes(answer.statusCode)) {
        answer.body.destroy()
        throw toError(answer)
      }
      if (isOther(answer, version)) {
        answer.body.destroy()
        throw new OtherVersion('it has changed on the server since its first part was fetched')
      }
      if (answer.statusCode === 200) {
        answer.body.destroy()
        return null
      }
      version ??= versionOf(answer)
      if (readRange(answer).start !== start) throw new Error('the server sent another part of the file')
      for await (const piece of answer.body) parts.push(piece as Buffer)
      if (received() !== to - from) throw new Error('the connection broke')
      return { bytes: Buffer.concat(parts), version }
    },
  )
}

/**
 * Retries after a broken connection, or when the server is busy, up to a number of times without progress.
 *
 * @param progress number of received bytes
 */
async function patiently<Result>(
  { environment, signal }: RequestOptions,
  progress: () => Promise<number>,
  receive: (dispatcher: Dispatcher, reached: number) => Promise<Result>,
): Promise<Result> {
  const { interceptors } = await httpLibrary()
  const agent = await openAgent(environment)
  const dispatcher = agent.compose(interceptors.redirect({ maxRedirections: 5 }))
  try {
    for (let breaks = 0, reached = await progress(); ; breaks += 1) {
      try {
        return await receive(dispatcher, reached)
      } catch (error) {
        signal?.throwIfAborted()
        const now = await progress()
        if (now > reached) breaks = 0
        reached = now
        const isFinal = error instanceof Refused || error instanceof OtherVersion || isFileError(error)
        if (isFinal || breaks + 1 >= maxBreaks) throw error
        const waitMs = Math.max(firstPauseMs * 2 ** breaks, error instanceof Busy ? error.waitMs : 0)
        if (waitMs > maxWaitMs) throw error
        await setTimeout(waitMs, undefined, signal === undefined ? {} : { signal })
      }
    }
  } finally {
    await agent.destroy()
  }
}

/** Connections through the proxy of the environment, with a time-out for silent servers. */
export async function openAgent(environment: DownloadOptions['environment']): Promise<EnvHttpProxyAgent> {
  const { EnvHttpProxyAgent } = await httpLibrary()
  return new EnvHttpProxyAgent({
    ...readProxy(environment),
    headersTimeout: stallMs,
    bodyTimeout: stallMs,
    connections: 1,
  })
}

async function ask(
  { url, headers, signal }: RequestOptions,
  dispatcher: Dispatcher,
  { range, version }: { readonly range: string | null; readonly version: string | null },
): Promise<Dispatcher.ResponseData> {
  const { request } = await httpLibrary()
  const ranged = range === null ? {} : { range, ...(version === null ? {} : { 'if-range': version }) }
  return await request(url, {
    dispatcher,
    headers: { ...headers, ...ranged },
    ...withoutUndefined({ signal }),
  })
}

function readProxy(environment: DownloadOptions['environment']): EnvHttpProxyAgent.Options {
  const [http, https, none] = ['http_proxy', 'https_proxy', 'no_proxy'].map(
    (name) => environment[name] ?? environment[name.toUpperCase()],
  )
  return {
    ...withoutUndefined({ httpProxy: http, httpsProxy: https, noProxy: none }),
  }
}

async function receiveRest(options: DownloadOptions, dispatcher: Dispatcher, offset: number): Promise<void> {
  const { path, onProgress } = options
  const version = offset === 0 ? null : await readVersion(path)
  const answer = await ask(options, dispatcher, { range: offset === 0 ? null : `bytes=${offset}-`, version })
  const start = await findStart(answer, { offset, path, version })
  if (start === null) return
  if (start === 0) await keepVersion(path, versionOf(answer))
  const length = Number(answer.headers['content-length'])
  const totalBytes = Number.isNaN(length) ? null : start + length
  let receivedBytes = start
  onProgress?.({ receivedBytes, totalBytes })
  // The file is written chunk by chunk, because a write stream would lose its buffer when the connection breaks.
  await using file = await open(path, start === 0 ? 'w' : 'a')
  for await (const piece of answer.body) {
    await file.appendFile(piece as Buffer)
    receivedBytes += (piece as Buffer).length
    onProgress?.({ receivedBytes, totalBytes })
  }
  if (totalBytes !== null && receivedBytes < totalBytes) throw new Error('the connection broke')
}

/** @returns the offset at which the body begins, or null when nothing is left to receive */
async function findStart(
  answer: Dispatcher.ResponseData,
  partial: { readonly offset: number; readonly path: string; readonly version: string | null },
): Promise<number | null> {
  const { offset, path, version } = partial
  const range = readRange(answer)
  if (answer.statusCode === 200) return 0
  const isSame = version !== null && !isOther(answer, version)
  if (answer.statusCode === 206 && range.start === offset && isSame) return offset
  await answer.body.dump()
  if (answer.statusCode === 416 && range.size === offset) return null
  if (answer.statusCode === 416 || answer.statusCode === 206) {
    await rm(path, { force: true })
    throw new Error('the server has another version of this file, or does not say which one it has')
  }
  throw toError(answer)
}

/** Whether a response reports another version than the known one. */
function isOther(answer: Dispatcher.ResponseData, version: string | null): boolean {
  const found = versionOf(answer)
  return version !== null && found !== null && found !== version
}

/** Parses `Content-Range`; missing numbers are NaN. */
function readRange({ headers }: Dispatcher.ResponseData): { readonly start: number; readonly size: number } {
  const range = /^bytes (?:(\d+)-\d+|\*)\/(\d+|\*)$/.exec(String(headers['content-range'] ?? ''))
  return { start: Number(range?.[1]), size: Number(range?.[2]) }
}

function toError({ statusCode, headers }: Dispatcher.ResponseData): Error {
  const message = `the server answered ${statusCode}`
  const waitSeconds = parseRetryAfter(String(headers['retry-after'] ?? ''), () => new Date())
  if (waitSeconds !== null) return new Busy(message, 1000 * waitSeconds)
  return statusCode >= 500 || statusCode === 429 ? new Error(message) : new Refused(message, statusCode)
}

async function readSize(path: string): Promise<number> {
  try {
    return (await stat(path)).size
  } catch {
    // A missing file means that nothing was received.
    return 0
  }
}
