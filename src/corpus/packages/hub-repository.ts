import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { setTimeout } from 'node:timers/promises'
import { datasetInfo, HubApiError, listFiles, modelInfo } from '@huggingface/hub'
import { type BenchError, isFileError, parseRetryAfter } from '#prelude'
import { hashFile } from '../files.ts'
import {
  type DownloadOptions,
  downloadRange,
  downloadResumably,
  type FilePart,
  OtherVersion,
  openAgent,
  type RangeOptions,
  Refused,
} from './resumable-download.ts'

/** A file of a repository, as listed by the hub. */
export interface HubFile {
  readonly path: string
  readonly sizeBytes: number
  /** SHA-256 of a file in Git LFS; null for others. */
  readonly sha256: string | null
  /** SHA-1 of the Git blob of a file outside of Git LFS; null for others. */
  readonly gitSha1: string | null
  /** The commit or branch of the listing. */
  readonly revision: string
}

type HubRange = Pick<RangeOptions, 'from' | 'to' | 'version' | 'signal'>

/** A data set or model on the hub, at one commit. */
export interface HubRepository {
  readonly name: string
  /** 40 hexadecimal digits. */
  readonly commit: string
  /** The licence that the repository states. */
  readonly licence: string | null
  /** @param revision default: the commit; null where the hub has no such branch */
  list(revision?: string): Promise<readonly HubFile[] | null>
  /** Fetches the file to the path, and checks its hash; existing files are kept, and partial downloads resumed. */
  fetch(file: HubFile, path: string, options: Pick<DownloadOptions, 'onProgress' | 'signal'>): Promise<void>
  /**
   * Fetches a part without checking a hash; null where the server only sends whole files.
   *
   * @throws OtherVersion where the file is of another version than earlier parts
   */
  fetchRange(file: HubFile, range: HubRange): Promise<FilePart | null>
}

/** `unknown`: no such repository. `refused`: the hub refuses access, or a file differs. `unreachable`: no answer. */
export type HubProblem = 'unknown' | 'refused' | 'unreachable'

export interface HubRequest {
  readonly kind: 'dataset' | 'model'
  /** Name in the form `<owner>/<name>`. */
  readonly name: string
  /** Branch, tag or commit. Default: the newest commit. */
  readonly revision?: string | undefined
  /** HF_ENDPOINT and HF_TOKEN (or HUGGING_FACE_HUB_TOKEN), as the hub's clients use them, and the proxy. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly fail: (
    problem: HubProblem,
    words: { readonly message: string; readonly hint: string; readonly cause?: unknown },
  ) => BenchError
}

const maxTries = 5
const maxWaitMs = 5 * 60_000

/** Opens a repository of the hub. @throws what `fail` returns */
export async function openHubRepository(request: HubRequest): Promise<HubRepository> {
  const { kind, name, revision, env, fail } = request
  const endpoint = (env['HF_ENDPOINT'] || 'https://huggingface.co').replace(/\/+$/, '')
  // As in the hub's clients an empty variable is unset, and a trailing line end of a token is removed.
  const [token] = [env['HF_TOKEN'], env['HUGGING_FACE_HUB_TOKEN']].flatMap((value) => value?.trim() || [])
  const words = describeProblems(request, endpoint)

  /** Connections are closed after each request, because there may be no further one. */
  async function ask<Answer>(question: (access: HubAccess) => Promise<Answer>): Promise<Answer> {
    const { fetch } = await import('undici')
    const agent = await openAgent(env)
    // The library expects Node's own `fetch`, whose proxy cannot be set here.
    const proxied = ((url: string, options: object) =>
      fetch(url, { ...options, dispatcher: agent })) as unknown as typeof globalThis.fetch
    try {
      return await question({
        hubUrl: endpoint,
        fetch: patiently(proxied),
        ...(token === undefined ? {} : { accessToken: token }),
      })
    } catch (error) {
      if (error instanceof HubApiError) throw words.ofStatus(error.statusCode, error)
      // A login page of the network, for instance, is not JSON.
      if (error instanceof TypeError || error instanceof SyntaxError)
        throw words.unreachable(`the list of files of ${name}`, error)
      throw error
    } finally {
      await agent.destroy()
    }
  }

  const { sha, tags = [] } = await ask((access) => {
    const wanted = { name, additionalFields: ['sha', 'tags'] as const, ...access }
    const at = revision === undefined ? wanted : { ...wanted, revision }
    return kind === 'dataset' ? datasetInfo(at) : modelInfo(at)
  })

  function list(from = sha): Promise<readonly HubFile[] | null> {
    return ask(async (access) => {
      const files: HubFile[] = []
      try {
        const repo = { type: kind, name } as const
        for await (const entry of listFiles({ repo, recursive: true, revision: from, ...access })) {
          const { path, size, oid = null, lfs } = entry
          const hash = lfs === undefined ? { sha256: null, gitSha1: oid } : { sha256: lfs.oid, gitSha1: null }
          files.push({ path, sizeBytes: lfs?.size ?? size, ...hash, revision: from })
        }
        return files
      } catch (error) {
        if (error instanceof HubApiError && error.statusCode === 404 && from !== sha) return null
        throw error
      }
    })
  }

  const urlOf = ({ path, revision: of }: HubFile): string => {
    const steps = path.split('/').map(encodeURIComponent).join('/')
    return `${pageAddress(request, endpoint)}/resolve/${encodeURIComponent(of)}/${steps}`
  }
  const transfer = (file: HubFile): Pick<DownloadOptions, 'url' | 'environment' | 'headers'> => ({
    url: urlOf(file),
    environment: env,
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
  })

  async function explained<Result>(
    { path }: HubFile,
    signal: AbortSignal | undefined,
    work: () => Promise<Result>,
  ): Promise<Result> {
    try {
      return await work()
    } catch (error) {
      signal?.throwIfAborted()
      if (isFileError(error) || error instanceof OtherVersion) throw error
      throw error instanceof Refused ? words.ofStatus(error.status, error) : words.unreachable(path, error)
    }
  }

  return {
    name,
    commit: sha,
    licence: tags.find((tag) => tag.startsWith('license:'))?.slice('license:'.length) ?? null,
    list,
    fetchRange: (file, range) =>
      explained(file, range.signal, () => downloadRange({ ...transfer(file), ...range })),

    async fetch(file, path, { onProgress, signal }) {
      if (await isWhole(path, file)) return
      await mkdir(dirname(path), { recursive: true })
      const partial = `${path}.partial`
      // A partial download may be damaged; then the file is fetched once more from the first byte.
      for (const _attempt of ['with what is there', 'anew']) {
        await explained(file, signal, () =>
          downloadResumably({ ...transfer(file), path: partial, onProgress, signal }),
        )
        if (await isWhole(partial, file)) return await rename(partial, path)
        await rm(partial, { force: true })
      }
      const { sizeBytes, sha256, gitSha1 } = file
      const hash = sha256 === null ? `the Git hash ${gitSha1}` : `the sha256 ${sha256}`
      throw fail('refused', {
        message: `${file.path} of ${name} is not the file that the hub lists, which has ${sizeBytes} bytes and ${hash}`,
        hint: 'a proxy or a mirror may have changed it; type the same command again on another connection',
      })
    },
  }
}

interface HubAccess {
  readonly hubUrl: string
  readonly fetch: typeof globalThis.fetch
  readonly accessToken?: string
}

function pageAddress({ kind, name }: HubRequest, endpoint: string): string {
  return kind === 'dataset' ? `${endpoint}/datasets/${name}` : `${endpoint}/${name}`
}

/** Explains failures of the hub to the user. */
function describeProblems(
  request: HubRequest,
  endpoint: string,
): {
  ofStatus(status: number, cause: unknown): BenchError
  unreachable(what: string, cause: unknown): BenchError
} {
  const { kind, name, revision, fail } = request
  const noun = kind === 'dataset' ? 'data set' : 'model'
  return {
    ofStatus(status, cause) {
      if (status === 401) {
        return fail('refused', {
          message: `the hub wants a login for ${name}, or there is no such ${noun}`,
          hint: `create a token at ${endpoint}/settings/tokens, then: export HF_TOKEN=<token>`,
          cause,
        })
      }
      if (status === 403) {
        return fail('refused', {
          message: `the account of this token has not accepted the terms of ${name}`,
          hint: `accept them at ${pageAddress(request, endpoint)}, then type the same command again`,
          cause,
        })
      }
      if (status === 404) {
        return fail('unknown', {
          message: `the hub has no ${noun} ${name}${revision === undefined ? '' : ` at ${revision}`}`,
          hint: `names are <owner>/<name>, as in the address of its page: ${endpoint}/${kind}s`,
          cause,
        })
      }
      return fail('unreachable', {
        message: `the hub answered ${status} for ${name}`,
        hint: 'type the same command again later: it goes on where it stopped',
        cause,
      })
    },
    unreachable: (what, cause) => fail('unreachable', unreachableWords(what, cause)),
  }
}

/** Message and hint for an unreachable server. */
export function unreachableWords(
  what: string,
  cause: unknown,
): { readonly message: string; readonly hint: string; readonly cause: unknown } {
  const { message, cause: inner } = cause as Error
  const reason = inner instanceof Error ? inner.message : message
  return {
    message: `${what} cannot be fetched: ${reason}`,
    hint: 'type the same command again: it goes on where it stopped',
    cause,
  }
}

/** A `fetch` that retries when the hub is busy, after the delay that it asks for. */
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

async function isWhole(path: string, { sizeBytes, sha256, gitSha1 }: HubFile): Promise<boolean> {
  const found = await stat(path).catch(() => null)
  if (found?.size !== sizeBytes) return false
  if (sha256 !== null) return (await hashFile(path)) === sha256
  return gitSha1 === null || (await gitHash(path, sizeBytes)) === gitSha1
}

/** @see https://git-scm.com/book/en/v2/Git-Internals-Git-Objects */
async function gitHash(path: string, sizeBytes: number): Promise<string> {
  const hash = createHash('sha1').update(`blob ${sizeBytes}\0`)
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}
