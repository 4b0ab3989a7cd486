import { open, rm, stat } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import { type Dispatcher, EnvHttpProxyAgent, interceptors, request } from 'undici'

export interface DownloadProgress {
  readonly receivedBytes: number
  /** Null where the server does not say. */
  readonly totalBytes: number | null
}

export interface DownloadOptions {
  readonly url: string
  /** What is there already is gone on from. */
  readonly path: string
  readonly environment: Readonly<Record<string, string | undefined>>
  /** A token, for instance. Credentials are not sent on to another host. */
  readonly headers?: Readonly<Record<string, string>>
  readonly onProgress?: ((progress: DownloadProgress) => void) | undefined
  readonly signal?: AbortSignal | undefined
}

/** Breaks in a row, without a byte in between, after which a download is given up. */
const maxBreaks = 4
const firstPauseMs = 200
const stallMs = 30_000

/** A server that asks to wait longer than this is given up. */
const maxWaitMs = 5 * 60_000

/** The server answered, and asking again would not change the answer. */
export class Refused extends Error {
  readonly status: number
  constructor(message: string, status: number) {
    super(message)
    this.status = status
  }
}

/** The server is busy, and says when to ask again. */
class Busy extends Error {
  readonly waitMs: number
  constructor(message: string, waitMs: number) {
    super(message)
    this.waitMs = waitMs
  }
}

/**
 * Downloads a file and goes on where a broken connection, or an earlier call, left off.
 *
 * @throws Error when the server refuses or the connection breaks too often (what was received stays); the signal's
 *   reason; file system errors
 */
export async function downloadResumably(options: DownloadOptions): Promise<void> {
  const { environment, path, signal } = options
  const agent = new EnvHttpProxyAgent({
    ...proxyOf(environment),
    headersTimeout: stallMs,
    bodyTimeout: stallMs,
    connections: 1,
  })
  const dispatcher = agent.compose(interceptors.redirect({ maxRedirections: 5 }))
  try {
    for (let breaks = 0, reached = await sizeOf(path); ; breaks += 1) {
      try {
        return await receiveRest(options, dispatcher, reached)
      } catch (error) {
        signal?.throwIfAborted()
        const now = await sizeOf(path)
        if (now > reached) breaks = 0
        reached = now
        if (error instanceof Refused || isFileError(error) || breaks + 1 >= maxBreaks) throw error
        const waitMs = Math.max(firstPauseMs * 2 ** breaks, error instanceof Busy ? error.waitMs : 0)
        if (waitMs > maxWaitMs) throw error
        await setTimeout(waitMs, undefined, signal === undefined ? {} : { signal })
      }
    }
  } finally {
    await agent.destroy()
  }
}

function proxyOf(environment: DownloadOptions['environment']): EnvHttpProxyAgent.Options {
  const [http, https, none] = ['http_proxy', 'https_proxy', 'no_proxy'].map(
    (name) => environment[name] ?? environment[name.toUpperCase()],
  )
  return {
    ...(http === undefined ? {} : { httpProxy: http }),
    ...(https === undefined ? {} : { httpsProxy: https }),
    ...(none === undefined ? {} : { noProxy: none }),
  }
}

async function receiveRest(options: DownloadOptions, dispatcher: Dispatcher, offset: number): Promise<void> {
  const { url, path, onProgress, signal } = options
  const answer = await request(url, {
    dispatcher,
    headers: { ...options.headers, ...(offset === 0 ? {} : { range: `bytes=${offset}-` }) },
    ...(signal === undefined ? {} : { signal }),
  })
  const start = await startOf(answer, offset, path)
  if (start === null) return
  const length = Number(answer.headers['content-length'])
  const totalBytes = Number.isNaN(length) ? null : start + length
  let receivedBytes = start
  onProgress?.({ receivedBytes, totalBytes })
  // Piece by piece, and not through a stream of the file: that would drop what it holds when the connection breaks.
  await using file = await open(path, start === 0 ? 'w' : 'a')
  for await (const piece of answer.body) {
    await file.appendFile(piece as Buffer)
    receivedBytes += (piece as Buffer).length
    onProgress?.({ receivedBytes, totalBytes })
  }
  if (totalBytes !== null && receivedBytes < totalBytes) throw new Error('the connection broke')
}

/** @returns the offset that the body begins at, or null when nothing is left to receive */
async function startOf(
  answer: Dispatcher.ResponseData,
  offset: number,
  path: string,
): Promise<number | null> {
  const range = /^bytes (?:(\d+)-\d+|\*)\/(\d+|\*)$/.exec(String(answer.headers['content-range'] ?? ''))
  if (answer.statusCode === 200) return 0
  if (answer.statusCode === 206 && Number(range?.[1]) === offset) return offset
  await answer.body.dump()
  if (answer.statusCode === 416 && Number(range?.[2]) === offset) return null
  if (answer.statusCode === 416 || answer.statusCode === 206) {
    await rm(path, { force: true })
    throw new Error('the server has another length for this file')
  }
  const message = `the server answered ${answer.statusCode}`
  const wait = retryAfterMs(String(answer.headers['retry-after'] ?? ''))
  if (wait !== null) throw new Busy(message, wait)
  throw answer.statusCode >= 500 || answer.statusCode === 429
    ? new Error(message)
    : new Refused(message, answer.statusCode)
}

/**
 * @param header seconds, or a date of HTTP
 * @returns null where it is neither
 * @see RFC 9110, section 10.2.3
 */
export function retryAfterMs(header: string): number | null {
  if (/^\d+$/.test(header)) return Number(header) * 1000
  const at = Date.parse(header)
  return Number.isNaN(at) ? null : Math.max(0, at - Date.now())
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size
  } catch {
    // Nothing there is nothing received.
    return 0
  }
}

/** A full disk or a folder without permission: errors of system calls on files. */
export function isFileError(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return [
    'ENOSPC',
    'EDQUOT',
    'EACCES',
    'EPERM',
    'EROFS',
    'EIO',
    'EMFILE',
    'EFBIG',
    'ENOTDIR',
    'EISDIR',
  ].includes(code)
}
