import { mkdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { datasetInfo, HubApiError, type ListFileEntry, listFiles } from '@huggingface/hub'
import type { CorpusEnvironment } from '../../corpus-environment.ts'
import { corpusErrors } from '../../errors.ts'
import { hashFile } from '../../hash-file.ts'
import { downloadResumably, isFileError, Refused, retryAfterMs } from '../../packages/resumable-download.ts'
import type { PartContext } from '../source.ts'
import { hubFailure, unreachable } from './hub-errors.ts'

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
  readonly files: readonly HubFile[]
  /** @returns the path of the file in the context's folder, with its hash checked; at once when it is there already */
  fetch(file: HubFile, context: PartContext): Promise<string>
}

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
  const token = env['HF_TOKEN'] ?? env['HUGGING_FACE_HUB_TOKEN']
  const access = {
    hubUrl: endpoint,
    fetch: patientFetch,
    ...(token === undefined ? {} : { accessToken: token }),
  }
  try {
    const { sha, tags } = await datasetInfo({ name, additionalFields: ['sha', 'tags'], ...access })
    const repo = { type: 'dataset', name } as const
    const own = await parquetFiles(listFiles({ repo, recursive: true, revision: sha, ...access }), sha)
    const files =
      own.length > 0
        ? own
        : await parquetFiles(
            listFiles({ repo, recursive: true, revision: convertedRevision, ...access }),
            convertedRevision,
          )
    return {
      name,
      licence: (tags ?? []).find((tag) => tag.startsWith('license:'))?.slice('license:'.length) ?? null,
      files,
      fetch: (file, context) => fetchFile({ name, endpoint, token, env }, file, context),
    }
  } catch (error) {
    if (error instanceof HubApiError) throw hubFailure(name, endpoint, error.statusCode, error)
    if (error instanceof TypeError) throw unreachable(`the list of files of ${name}`, error)
    throw error
  }
}

async function parquetFiles(
  entries: AsyncIterable<ListFileEntry>,
  revision: string,
): Promise<readonly HubFile[]> {
  const files: HubFile[] = []
  for await (const { path, size, lfs } of entries) {
    if (path.endsWith('.parquet')) {
      files.push({ path, sizeBytes: lfs?.size ?? size, sha256: lfs?.oid ?? null, revision })
    }
  }
  return files.sort((left, right) => (left.path < right.path ? -1 : 1))
}

/** `fetch` that asks again when the hub is busy, after the time that it names. */
async function patientFetch(...request: Parameters<typeof fetch>): Promise<Response> {
  for (let tries = 1; ; tries += 1) {
    const answer = await fetch(...request)
    const waitMs = retryAfterMs(answer.headers.get('retry-after') ?? '') ?? 500 * 2 ** tries
    const isBusy = answer.status === 429 || answer.status >= 500
    if (!isBusy || tries >= maxTries || waitMs > maxWaitMs) return answer
    await answer.body?.cancel()
    await setTimeout(waitMs)
  }
}

interface HubAccess {
  readonly name: string
  readonly endpoint: string
  readonly token: string | undefined
  readonly env: CorpusEnvironment['env']
}

async function fetchFile(access: HubAccess, file: HubFile, context: PartContext): Promise<string> {
  const { name, endpoint, token, env } = access
  const { onDownload, signal, workFolder } = context
  const path = join(workFolder, 'fetched', file.path.replace(/[^\w.-]+/g, '_'))
  if (await isWhole(path, file)) return path
  await mkdir(dirname(path), { recursive: true })
  const partial = `${path}.partial`
  const revision = encodeURIComponent(file.revision)
  const url = `${endpoint}/datasets/${name}/resolve/${revision}/${file.path.split('/').map(encodeURIComponent).join('/')}`
  // What an earlier call left may be damaged; then it is fetched once more, from its first byte.
  for (const _attempt of ['with what is there', 'anew']) {
    try {
      await downloadResumably({
        url,
        path: partial,
        environment: env,
        headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
        onProgress: ({ receivedBytes, totalBytes }) => onDownload(file.path, receivedBytes, totalBytes),
        signal,
      })
    } catch (error) {
      signal?.throwIfAborted()
      if (isFileError(error)) throw error
      throw error instanceof Refused
        ? hubFailure(name, endpoint, error.status, error)
        : unreachable(file.path, error)
    }
    if (await isWhole(partial, file)) {
      await rename(partial, path)
      return path
    }
    await rm(partial, { force: true })
  }
  throw corpusErrors.make('IMPORT_REFUSED', {
    message: `${file.path} of ${name} is not the file that the hub lists: its sha256 is not ${file.sha256}`,
    hint: 'a proxy or a mirror may have changed it; type the same command again on another connection',
  })
}

async function isWhole(path: string, { sizeBytes, sha256 }: HubFile): Promise<boolean> {
  const found = await stat(path).catch(() => null)
  if (found?.size !== sizeBytes) return false
  return sha256 === null || (await hashFile(path)) === sha256
}
