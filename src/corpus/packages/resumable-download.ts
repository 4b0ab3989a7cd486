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
  readonly onProgress?: ((progress: DownloadProgress) => void) | undefined
  readonly signal?: AbortSignal | undefined
}

/** Breaks in a row, without a byte in between, after which a download is given up. */
const maxBreaks = 4
const firstPauseMs = 200
const stallMs = 30_000

/** The server answered, and asking again would not change the answer. */
class Refused extends Error {}

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
        await setTimeout(firstPauseMs * 2 ** breaks, undefined, signal === undefined ? {} : { signal })
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
    headers: offset === 0 ? {} : { range: `bytes=${offset}-` },
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
  throw answer.statusCode >= 500 || answer.statusCode === 429 ? new Error(message) : new Refused(message)
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
