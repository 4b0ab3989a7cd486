import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { encodeWav } from '#audio/sound-stream'
import { noise } from '../../noise.ts'

/** What the hub does with the next request for a file; then it answers as it should. */
type Fault = { readonly status: number; readonly retryAfter?: string } | { readonly breakAfterBytes: number }

/** A server on the loopback that answers as the hub does: information, lists of files by pages, files redirected to another one, texts to itself. */
interface LocalHub extends AsyncDisposable {
  readonly env: Readonly<Record<string, string>>
  /** Addresses of the questions, in order. */
  readonly asked: string[]
  /** Each answered transfer: path, first byte and bytes sent. */
  readonly transfers: { readonly path: string; readonly from: number; sent: number }[]
  /** Requests that carried a token to the server that stores the files, which must not see one. */
  leakedTokens: number
  /** How long the client waited after each status that was sent instead of a file. */
  readonly waitsMs: number[]
  fail(...faults: readonly Fault[]): void
  /** From now on the storage has other bytes under the path, of which the list says nothing. */
  replace(path: string, bytes: Uint8Array): void
}

interface HubOptions {
  /** Default: `voices/speech`. */
  readonly dataset?: string
  readonly files: Readonly<Record<string, Uint8Array>>
  /** A token without which nothing is answered, and whether its account has accepted the terms. */
  readonly gate?: { readonly token: string; readonly isAccepted: boolean }
  /** Hashes that differ from those of the files. */
  readonly wrongHashes?: readonly string[]
  /** Sizes that the list states of files, where they differ from those of the files. */
  readonly statedSizes?: Readonly<Record<string, number>>
  /** Whether it sends parts of files. Default: true. */
  readonly knowsRanges?: boolean
  /** Whether it has a branch with its own Parquet files. Default: true. */
  readonly isConverted?: boolean
  /** Whether its storage compares the ETag of `If-Range`. Default: true. */
  readonly knowsIfRange?: boolean
}

const sha = 'c0ffee'.padEnd(40, '0')
const pageSize = 2

const hashes = new WeakMap<Uint8Array, string>()

/** Known of files that were asked for before. */
function sha256(file: Uint8Array): string {
  const hash = hashes.get(file) ?? createHash('sha256').update(file).digest('hex')
  hashes.set(file, hash)
  return hash
}

export async function startHub({
  dataset = 'voices/speech',
  files,
  gate,
  wrongHashes = [],
  statedSizes = {},
  knowsRanges = true,
  isConverted = true,
  knowsIfRange = true,
}: HubOptions): Promise<LocalHub> {
  const faults: Fault[] = []
  const stored = new Map(Object.entries(files))
  const transfers: LocalHub['transfers'] = []
  let refusedAtMs: number | null = null
  const storage = createServer((request, response) => sendFile(request, response))
  await new Promise<void>((resolve) => storage.listen(0, '127.0.0.1', resolve))
  const storageAt = `http://127.0.0.1:${(storage.address() as AddressInfo).port}`

  function sendFile(request: IncomingMessage, response: ServerResponse): void {
    if (request.headers.authorization !== undefined) hub.leakedTokens += 1
    const path = decodeURIComponent((request.url ?? '').slice(1))
    const file = stored.get(path) ?? new Uint8Array()
    const etag = `"${sha256(file)}"`
    const fault = faults.shift()
    if (refusedAtMs !== null) hub.waitsMs.push(performance.now() - refusedAtMs)
    refusedAtMs = null
    if (fault !== undefined && 'status' in fault) {
      refusedAtMs = performance.now()
      const headers = fault.retryAfter === undefined ? {} : { 'retry-after': fault.retryAfter }
      return void response.writeHead(fault.status, headers).end()
    }
    const isSame =
      !knowsIfRange || [undefined, etag].includes(request.headers['if-range'] as string | undefined)
    const wanted = knowsRanges && isSame ? /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') : null
    const from = Number(wanted?.[1] ?? 0)
    const to = Math.min(file.length, wanted?.[2] ? Number(wanted[2]) + 1 : file.length)
    if (from >= file.length)
      return void response.writeHead(416, { 'content-range': `bytes */${file.length}` }).end()
    const range = { 'content-range': `bytes ${from}-${to - 1}/${file.length}` }
    response.writeHead(wanted === null ? 200 : 206, {
      'content-length': to - from,
      etag,
      ...(wanted === null ? {} : range),
    })
    const transfer = { path, from, sent: 0 }
    transfers.push(transfer)
    const end = fault === undefined ? to : Math.min(to, from + fault.breakAfterBytes)
    const sendPiece = (at: number): void => {
      if (response.destroyed) return
      if (at >= end) {
        // The client has written what it received: what it holds when the connection breaks is lost.
        return void (fault === undefined ? response.end() : setTimeout(() => response.socket?.end(), 500))
      }
      const piece = file.subarray(at, Math.min(end, at + 65_536))
      response.write(piece, () => {
        transfer.sent += piece.length
        setImmediate(sendPiece, at + piece.length)
      })
    }
    sendPiece(from)
  }

  const api = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://hub')
    hub.asked.push(url.pathname)
    const json = (status: number, value: unknown, headers = {}): void =>
      void response
        .writeHead(status, { 'content-type': 'application/json', ...headers })
        .end(JSON.stringify(value))
    if (gate !== undefined && request.headers.authorization !== `Bearer ${gate.token}`) {
      return json(401, { error: 'Invalid username or password.' })
    }
    if (!isConverted && url.pathname.endsWith('/refs/convert/parquet'))
      return json(404, { error: 'Invalid rev id: refs/convert/parquet' })
    if (url.pathname.startsWith('/api/resolve-cache/')) {
      delete request.headers.authorization
      request.url = url.pathname.slice('/api/resolve-cache'.length)
      return sendFile(request, response)
    }
    if (!url.pathname.includes(`/${dataset}`)) return json(404, { error: 'Repository not found' })
    if (url.pathname.includes('/tree/')) {
      const entries = Object.keys(files).map((path) => ({
        type: 'file',
        path,
        size: sizeOf(path),
        // Texts are in Git itself.
        oid: gitHashOf(path),
        ...(path.endsWith('.txt')
          ? {}
          : { lfs: { oid: hashOf(path), size: sizeOf(path), pointerSize: 134 } }),
      }))
      const start = Number(url.searchParams.get('cursor') ?? 0)
      const next = `${hub.env['HF_ENDPOINT']}${url.pathname}?recursive=true&cursor=${start + pageSize}`
      const isMore = start + pageSize < entries.length
      return json(
        200,
        entries.slice(start, start + pageSize),
        isMore ? { link: `<${next}>; rel="next"` } : {},
      )
    }
    if (url.pathname.includes('/resolve/')) {
      if (gate?.isAccepted === false) return json(403, { error: 'Access to this dataset is restricted.' })
      const path = decodeURIComponent(url.pathname.replace(/^.*\/resolve\/[^/]+\//, ''))
      if (path.endsWith('.txt'))
        return void response
          .writeHead(307, { location: `/api/resolve-cache/${encodeURIComponent(path)}` })
          .end()
      return void response.writeHead(302, { location: `${storageAt}/${encodeURIComponent(path)}` }).end()
    }
    json(200, {
      _id: '1',
      id: dataset,
      sha,
      tags: ['license:cc-by-4.0'],
      lastModified: '2026-01-01T00:00:00Z',
    })
  })
  const sizeOf = (path: string): number | undefined => statedSizes[path] ?? files[path]?.length
  const hashOf = (path: string): string =>
    wrongHashes.includes(path) ? '0'.repeat(64) : sha256(files[path] ?? new Uint8Array())
  const gitHashOf = (path: string): string =>
    wrongHashes.includes(path)
      ? '0'.repeat(40)
      : createHash('sha1')
          .update(`blob ${files[path]?.length}\0`)
          .update(files[path] ?? '')
          .digest('hex')
  await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve))
  const hub: LocalHub = {
    env: {
      HF_ENDPOINT: `http://127.0.0.1:${(api.address() as AddressInfo).port}`,
      ...(gate === undefined ? {} : { HF_TOKEN: gate.token }),
    },
    asked: [],
    transfers,
    leakedTokens: 0,
    waitsMs: [],
    fail: (...next) => void faults.push(...next),
    replace: (path, bytes) => void stored.set(path, bytes),
    async [Symbol.asyncDispose]() {
      for (const server of [api, storage]) {
        server.closeAllConnections()
        await new Promise((resolve) => server.close(resolve))
      }
    },
  }
  return hub
}

const codecs = {
  UNCOMPRESSED: undefined,
  SNAPPY: undefined,
  GZIP: (bytes: Uint8Array) => gzipSync(bytes),
  ZSTD: (bytes: Uint8Array) => zstdCompressSync(bytes),
} as const

/** Names of the columns of a shard. */
interface ShardColumns {
  readonly id?: string
  readonly text?: string
  readonly speaker?: string
}

/** A shard as the library `datasets` writes it: `audio` is a group of bytes and path. */
export function shard(
  ids: readonly string[],
  codec: keyof typeof codecs,
  sampleCount?: number,
  { id = 'id', text = 'text', speaker = 'speaker_id' }: ShardColumns = {},
): Uint8Array {
  const compress = codecs[codec]
  return new Uint8Array(
    parquetWriteBuffer({
      codec,
      ...(compress === undefined ? {} : { compressors: { [codec]: compress } }),
      rowGroupSize: 100,
      schema: [
        { name: 'root', num_children: 4 },
        { name: id, type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' },
        { name: 'audio', num_children: 2, repetition_type: 'OPTIONAL' },
        { name: 'bytes', type: 'BYTE_ARRAY', repetition_type: 'OPTIONAL' },
        { name: 'path', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' },
        { name: text, type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' },
        { name: speaker, type: 'INT64', repetition_type: 'OPTIONAL' },
      ],
      columnData: [
        { name: id, data: [...ids] },
        {
          name: 'audio',
          data: ids.map((each) => ({ bytes: audioOf(each, sampleCount), path: `${each}.wav` })),
        },
        { name: text, data: ids.map((each) => `words of ${each}`) },
        { name: speaker, data: ids.map((_, index) => BigInt(index % 7)) },
      ],
    }),
  )
}

/** A shard whose rows name files of the data set: as a struct without bytes, or as a path alone. */
export function shardBeside(
  rows: readonly (readonly [id: string, file: string])[],
  isStruct: boolean,
): Uint8Array {
  const files = rows.map(([, file]) => file)
  const text = { type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' } as const
  const audio = isStruct
    ? ([
        { name: 'audio', num_children: 2, repetition_type: 'OPTIONAL' },
        { name: 'bytes', type: 'BYTE_ARRAY', repetition_type: 'OPTIONAL' },
        { name: 'path', ...text },
      ] as const)
    : ([{ name: 'file_name', ...text }] as const)
  return new Uint8Array(
    parquetWriteBuffer({
      codec: 'SNAPPY',
      schema: [
        { name: 'root', num_children: 3 },
        { name: 'id', ...text },
        ...audio,
        { name: 'text', ...text },
      ],
      columnData: [
        { name: 'id', data: rows.map(([id]) => id) },
        isStruct
          ? { name: 'audio', data: files.map((path) => ({ bytes: null, path })) }
          : { name: 'file_name', data: files },
        { name: 'text', data: rows.map(([id]) => `words of ${id}`) },
      ],
    }),
  )
}

const silences = new Map<number, Uint8Array>()

/** A recording of noise that differs from all others. */
export function audioOf(id: string, sampleCount = 160): Uint8Array {
  const silence = silences.get(sampleCount) ?? encodeWav(new Float32Array(sampleCount), 16_000)
  silences.set(sampleCount, silence)
  const samples = noise(id, 2 * sampleCount)
  return Buffer.concat([silence.subarray(0, -samples.length), samples])
}

/** A page of 256 MB that says that it is small: one of 3 GB would be as bad, and too slow to write. */
export function bomb(): Uint8Array {
  const page = gzipSync(Buffer.alloc(2 ** 28), { level: 1 })
  return new Uint8Array(
    parquetWriteBuffer({
      codec: 'GZIP',
      compressors: { GZIP: () => page },
      columnData: [
        { name: 'text', data: ['a', 'b'], type: 'STRING' },
        { name: 'audio', data: [new Uint8Array(100), new Uint8Array(100)], type: 'BYTE_ARRAY' },
      ],
    }),
  )
}
