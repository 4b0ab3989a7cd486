import { createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Dispatcher, EnvHttpProxyAgent, interceptors, request } from 'undici'

/** A broken connection is taken up again where it broke, this many times. */
const attempts = 4
const waitBeforeRetryMs = 500
const silenceTimeoutMs = 30_000

export interface Download {
  /** What is there already is gone on from. */
  readonly path: string
  readonly signal: AbortSignal | undefined
  readonly onReceived: (receivedBytes: number) => void
}

/** The server answered, and it was not the file. */
class RefusedDownload extends Error {}

/**
 * Fetches an address into a file, through the proxy that the environment names. Whether the file is the right
 * one is for the caller to check.
 *
 * @throws what the network, the server or the disk said last
 */
export async function downloadByHttp(address: string, download: Download): Promise<void> {
  const agent = new EnvHttpProxyAgent({ headersTimeout: silenceTimeoutMs, bodyTimeout: silenceTimeoutMs })
  const dispatcher = agent.compose(interceptors.redirect({ maxRedirections: 5 }))
  try {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await downloadOnce(address, download, dispatcher)
      } catch (error) {
        const isFinal = attempt === attempts || error instanceof RefusedDownload || isDiskError(error)
        if (isFinal || download.signal?.aborted === true) throw error
        await sleep(waitBeforeRetryMs * attempt, undefined, { signal: download.signal })
      }
    }
  } finally {
    await agent.close()
  }
}

async function downloadOnce(
  address: string,
  { path, signal, onReceived }: Download,
  dispatcher: Dispatcher,
): Promise<void> {
  const presentBytes = await sizeOf(path)
  const headers = presentBytes > 0 ? { range: `bytes=${presentBytes}-` } : {}
  const { statusCode, body } = await request(address, { dispatcher, headers, signal: signal ?? null })
  if (statusCode !== 200 && statusCode !== 206) {
    await body.dump()
    throw new RefusedDownload(`HTTP ${statusCode}`)
  }
  const isContinued = statusCode === 206
  let receivedBytes = isContinued ? presentBytes : 0
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      receivedBytes += chunk.length
      onReceived(receivedBytes)
      done(null, chunk)
    },
  })
  await pipeline(body, counted, createWriteStream(path, { flags: isContinued ? 'a' : 'w' }))
}

/** Whether the disk is what failed: another way of fetching would not help. */
export function isDiskError(error: unknown): boolean {
  const codes = ['ENOSPC', 'EDQUOT', 'EACCES', 'EPERM', 'EROFS', 'EISDIR', 'ENOTDIR']
  return error instanceof Error && 'code' in error && codes.includes(String(error.code))
}

/** 0 for a file that is not there. */
export async function sizeOf(path: string): Promise<number> {
  return (await stat(path).catch(() => null))?.size ?? 0
}
