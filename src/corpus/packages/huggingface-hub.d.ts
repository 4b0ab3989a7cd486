/**
 * The used part of `@huggingface/hub`. Its own declarations of version 2.17.5 do not compile with Node's
 * types, because they override properties of `Blob` with accessors (TS2611).
 */
export interface ListFileEntry {
  readonly path: string
  readonly size: number
  readonly oid?: string
  readonly lfs?: { readonly oid: string; readonly size: number }
}

interface Access {
  readonly hubUrl: string
  readonly fetch: typeof fetch
  readonly accessToken?: string
}

export function listFiles(
  params: Access & {
    readonly repo: { readonly type: 'dataset' | 'model'; readonly name: string }
    readonly recursive: boolean
    readonly revision: string
  },
): AsyncGenerator<ListFileEntry>

type Info = (
  params: Access & {
    readonly name: string
    readonly revision?: string
    readonly additionalFields: readonly ('sha' | 'tags')[]
  },
) => Promise<{ readonly sha: string; readonly tags?: readonly string[] }>

export const datasetInfo: Info
export const modelInfo: Info

export class HubApiError extends Error {
  readonly statusCode: number
}
