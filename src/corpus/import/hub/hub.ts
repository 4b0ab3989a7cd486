import { createHash } from 'node:crypto'
import { mkdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { datasetInfo, HubApiError, type ListFileEntry, listFiles } from '@huggingface/hub'
import type { AsyncBuffer } from 'hyparquet'
import { isFileError, parseRetryAfter } from '#prelude'
import type { CorpusEnvironment } from '../../corpus-environment.ts'
import { corpusErrors } from '../../errors.ts'
import { hashFile } from '../../hash-file.ts'
import {
  type DownloadOptions,
  downloadRange,
  downloadResumably,
  openAgent,
  Refused,
} from '../../packages/resumable-download.ts'
import type { PartContext } from '../source.ts'
import { hubFailure, unreachable } from './hub-errors.ts'
import { openLocalFile, openRangeFile, PartsRefused } from './range-file.ts'

/** A file of a data set, as the hub lists it. */
export interface HubFile {
  readonly path: string
  readonly sizeBytes: number
  /** Null for small files, which are not in large file storage. */
  readonly sha256: string | null
  /** The commit or branch that it is listed in. */
  readonly revision: string
}

/** A data set on the hub. */
export interface HubDataset {
  readonly name: string
  readonly licence: string | null
  /** Parquet files. */
  readonly files: readonly HubFile[]
  /** Files next to them, by path: audio that rows name. */
  readonly others: ReadonlyMap<string, HubFile>
  /** @returns the path of the file in the context's folder, with its hash checked; at once when it is there already */
  fetch(file: HubFile, context: PartContext): Promise<string>
  /**
   * Where only a part of a large file may be needed, the parts that are read are fetched, and its hash is not compared.
   * Otherwise as `fetch`.
   */
  read(file: HubFile, context: PartContext): Promise<AsyncBuffer>
  /** Removes what was fetched of a file. */
  discard(file: HubFile, context: PartContext): Promise<void>
}

/** Smaller files are fetched as a whole. */
const minRangedBytes = 8 << 20

/** Where the hub keeps Parquet files that it made of data sets in other forms. */
const convertedRevision = 'refs/convert/parquet'
const maxTries = 5
const maxWaitMs = 5 * 60_000

/**
 * Asks the hub for a data set and its Parquet files. Endpoint and token come from HF_ENDPOINT and HF_TOKEN (or
 * HUGGING_FACE_HUB_TOKEN), as for its own clients.
 *
 * @throws BenchError IMPORT_SOURCE_UNKNOWN, IMPORT_REFUSED, IMPORT_UNREACHABLE
 */
export async function openHubDataset(name: string, { env }: CorpusEnvironment): Promise<HubDataset> {
  const endpoint = (env['HF_ENDPOINT'] ?? 'https://huggingface.co').replace(/\/+$/, '')
  // An empty variable is none, as for its own clients, and the line end of a file with a token is not part of it.
  const [token] = [env['HF_TOKEN'], env['HUGGING_FACE_HUB_TOKEN']].flatMap((value) => value?.trim() || [])
  const { fetch } = await import('undici')
  const agent = await openAgent(env)
  // The library names the types of Node's own, whose proxy is set when the process begins.
  const proxied = ((url: string, request: object) =>
    fetch(url, { ...request, dispatcher: agent })) as unknown as typeof globalThis.fetch
  const access = {
    hubUrl: endpoint,
    fetch: patiently(proxied),
    ...(token === undefined ? {} : { accessToken: token }),
  }
  try {
    const { sha, tags } = await datasetInfo({ name, additionalFields: ['sha', 'tags'], ...access })
    const repo = { type: 'dataset', name } as const
    const own = await allFiles(listFiles({ repo, recursive: true, revision: sha, ...access }), sha)
    const listed = own.some(isParquet)
      ? own
      : await allFiles(
          listFiles({ repo, recursive: true, revision: convertedRevision, ...access }),
          convertedRevision,
        ).catch((error: unknown) => {
          // What the hub cannot convert has no such branch.
          if (error instanceof HubApiError && error.statusCode === 404) return own
          throw error
        })
    const hub = { name, endpoint, token, env }
    return {
      name,
      licence: (tags ?? []).find((tag) => tag.startsWith('license:'))?.slice('license:'.length) ?? null,
      files: listed.filter(isParquet).sort((left, right) => (left.path < right.path ? -1 : 1)),
      others: new Map(listed.filter((file) => !isParquet(file)).map((file) => [file.path, file])),
      fetch: (file, context) => fetchFile(hub, file, context),
      read: (file, context) => readFile(hub, file, context),
      async discard(file, context) {
        const path = placeOf(file, context)
        for (const each of [path, `${path}.blocks`]) await rm(each, { force: true })
      },
    }
  } catch (error) {
    if (error instanceof HubApiError) throw hubFailure(name, endpoint, error.statusCode, error)
    // A login page of the network, for instance, is no JSON.
    if (error instanceof TypeError || error instanceof SyntaxError)
      throw unreachable(`the list of files of ${name}`, error)
    throw error
  } finally {
    await agent.destroy()
  }
}

function isParquet({ path }: HubFile): boolean {
  return path.endsWith('.parquet')
}

async function allFiles(entries: AsyncIterable<ListFileEntry>, revision: string): Promise<HubFile[]> {
  const files: HubFile[] = []
  for await (const { path, size, lfs } of entries) {
    files.push({ path, sizeBytes: lfs?.size ?? size, sha256: lfs?.oid ?? null, revision })
  }
  return files
}

/** `fetch` that asks again when the hub is busy, after the time that it names. */
function patiently(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (...request) => {
    for (let tries = 1; ; tries += 1) {
      const answer = await fetch(...request)
      const askedSeconds = parseRetryAfter(answer.headers.get('retry-after') ?? '', () => new Date())
      const waitMs = askedSeconds === null ? 500 * 2 ** tries : 1000 * askedSeconds
      const isBusy = answer.status === 429 || answer.status >= 500
      if (!isBusy || tries >= maxTries || waitMs > maxWaitMs) return answer
      await answer.body?.cancel()
      await setTimeout(waitMs)
    }
  }
}

interface HubAccess {
  readonly name: string
  readonly endpoint: string
  readonly token: string | undefined
  readonly env: CorpusEnvironment['env']
}

/**
 * Paths of a data set may be longer than a name on disk may be. Another version of a file has another place, so that no
 * parts of both are put together.
 */
function placeOf({ path, sha256 }: HubFile, { workFolder }: PartContext): string {
  const name = createHash('sha256').update(`${path} ${sha256}`).digest('hex')
  return join(workFolder, 'fetched', name)
}

function requestFor(
  { name, endpoint, token, env }: HubAccess,
  { path, revision }: HubFile,
): Pick<DownloadOptions, 'url' | 'environment' | 'headers'> {
  const steps = path.split('/').map(encodeURIComponent).join('/')
  return {
    url: `${endpoint}/datasets/${name}/resolve/${encodeURIComponent(revision)}/${steps}`,
    environment: env,
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
  }
}

async function readFile(access: HubAccess, file: HubFile, context: PartContext): Promise<AsyncBuffer> {
  const whole = async (): Promise<AsyncBuffer> => openLocalFile(await fetchFile(access, file, context))
  if (!context.isPartial || file.sizeBytes < minRangedBytes) return await whole()
  const path = placeOf(file, context)
  await mkdir(dirname(path), { recursive: true })
  let receivedBytes = 0
  const ranged = await openRangeFile({
    path,
    sizeBytes: file.sizeBytes,
    async fetch(from, to) {
      const bytes = await explained(access, file, context, () =>
        downloadRange({ ...requestFor(access, file), from, to, signal: context.signal }),
      )
      receivedBytes += bytes?.length ?? 0
      context.onDownload(`parts of ${file.path}`, receivedBytes, null)
      return bytes
    },
  })
  // The end of a Parquet file is what is read of it first.
  try {
    await ranged.slice(file.sizeBytes - 1)
    return ranged
  } catch (error) {
    if (error instanceof PartsRefused) return await whole()
    throw error
  }
}

async function explained<Result>(
  { name, endpoint }: HubAccess,
  { path }: HubFile,
  { signal }: PartContext,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    signal?.throwIfAborted()
    if (isFileError(error)) throw error
    throw error instanceof Refused
      ? hubFailure(name, endpoint, error.status, error)
      : unreachable(path, error)
  }
}

async function fetchFile(access: HubAccess, file: HubFile, context: PartContext): Promise<string> {
  const { name } = access
  const { onDownload, signal } = context
  const path = placeOf(file, context)
  if (await isWhole(path, file)) return path
  await mkdir(dirname(path), { recursive: true })
  const partial = `${path}.partial`
  // What an earlier call left may be damaged; then it is fetched once more, from its first byte.
  for (const _attempt of ['with what is there', 'anew']) {
    await explained(access, file, context, () =>
      downloadResumably({
        ...requestFor(access, file),
        path: partial,
        onProgress: ({ receivedBytes, totalBytes }) => onDownload(file.path, receivedBytes, totalBytes),
        signal,
      }),
    )
    if (await isWhole(partial, file)) {
      await rename(partial, path)
      return path
    }
    await rm(partial, { force: true })
  }
  const listed = `${file.sizeBytes} bytes${file.sha256 === null ? '' : ` and the sha256 ${file.sha256}`}`
  throw corpusErrors.make('IMPORT_REFUSED', {
    message: `${file.path} of ${name} is not the file that the hub lists, which has ${listed}`,
    hint: 'a proxy or a mirror may have changed it; type the same command again on another connection',
  })
}

async function isWhole(path: string, { sizeBytes, sha256 }: HubFile): Promise<boolean> {
  const found = await stat(path).catch(() => null)
  if (found?.size !== sizeBytes) return false
  return sha256 === null || (await hashFile(path)) === sha256
}
