import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { create } from 'tar'
import { temporaryFolder } from '../temporary-folder.ts'

export const packageName = '@voices/some-speech'
const packageVersion = '1.2.3'

interface Registry extends AsyncDisposable {
  /** What makes npm ask this registry, with a separate cache. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly tarballUrl: string
  readonly package: { readonly name: string; readonly version: string; readonly integrity: string }
  /** Of each request for the tarball, the first byte that it asked for. */
  readonly tarballRequests: number[]
  /** `If-Range` of each. */
  readonly conditions: (string | undefined)[]
  /** What the next answer with the tarball does; then it is whole again. */
  next(
    answer:
      | 'whole'
      | { readonly status: number }
      /** The connection breaks behind these bytes, when the client says that it has them. */
      | { readonly breakAfterBytes: number; readonly arrived: Promise<void> },
  ): void
  /** From now on the tarball is refused to everybody but npm, as by a registry that wants a token. */
  barDirectWay(): void
  /** From now on the tarball has other bytes. */
  replaceTarball(bytes: Uint8Array): void
  /** From now on ranges are ignored. */
  ignoreRanges(): void
  /** From now on answers have the date of the tarball and no ETag. */
  sendDateOnly(): void
}

export const tarballDate = 'Wed, 25 Nov 2026 08:00:00 GMT'

/** The ETag of a tarball. */
export function tarballVersion(tarball: Uint8Array): string {
  return `"${createHash('sha256').update(tarball).digest('hex')}"`
}

/** An npm registry on the loopback, with one package in it. */
export async function startRegistry(files: Readonly<Record<string, Uint8Array | string>>): Promise<Registry> {
  const folder = await temporaryFolder()
  let tarball = await pack(files)
  const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`
  const tarballRequests: number[] = []
  let answer: Parameters<Registry['next']>[0] = 'whole'
  const conditions: Registry['conditions'] = []
  let [isBarred, hasRanges, sendsDateOnly] = [false, true, false]

  const sendTarball = (request: IncomingMessage, response: ServerResponse): void => {
    const isNpm = (request.headers['user-agent'] ?? '').includes('npm/')
    if (isBarred && !isNpm) return void response.writeHead(401).end()
    const version = sendsDateOnly ? { 'last-modified': tarballDate } : { etag: tarballVersion(tarball) }
    const condition = request.headers['if-range'] as string | undefined
    conditions.push(condition)
    const isSame = [undefined, ...Object.values(version)].includes(condition)
    const range = isSame ? request.headers.range : undefined
    const asked = Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0)
    tarballRequests.push(asked)
    const now = answer
    answer = 'whole'
    if (typeof now === 'object' && 'status' in now) return void response.writeHead(now.status).end()
    const start = hasRanges ? asked : 0
    if (start >= tarball.length) {
      return void response.writeHead(416, { 'content-range': `bytes */${tarball.length}` }).end()
    }
    const rest = tarball.subarray(start)
    const part = { 'content-range': `bytes ${start}-${tarball.length - 1}/${tarball.length}` }
    const headers = { 'content-length': rest.length, ...version, ...(start > 0 ? part : {}) }
    response.writeHead(start > 0 ? 206 : 200, headers)
    if (now === 'whole') return void response.end(rest)
    response.write(rest.subarray(0, now.breakAfterBytes))
    void now.arrived.then(() => response.destroy())
  }

  const server = createServer((request, response) => {
    if (request.url?.endsWith('.tgz') === true) return sendTarball(request, response)
    const dist = { tarball: tarballUrl(), integrity }
    const version = { name: packageName, version: packageVersion, dist }
    const isOurs = decodeURIComponent(request.url ?? '').startsWith(`/${packageName}`)
    response.writeHead(isOurs ? 200 : 404, { 'content-type': 'application/json' }).end(
      JSON.stringify({
        name: packageName,
        'dist-tags': { latest: packageVersion },
        versions: { [packageVersion]: version },
      }),
    )
  })
  const addressOf = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const tarballUrl = (): string => `${addressOf()}/some-speech-1.2.3.tgz`
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return {
    env: {
      PATH: process.env['PATH'],
      HOME: folder.path,
      XDG_DATA_HOME: join(folder.path, 'data'),
      npm_config_registry: addressOf(),
      npm_config_cache: join(folder.path, 'cache'),
      npm_config_fetch_retries: '0',
    },
    tarballUrl: tarballUrl(),
    package: { name: packageName, version: packageVersion, integrity },
    tarballRequests,
    next: (wanted) => {
      answer = wanted
    },
    barDirectWay: () => {
      isBarred = true
    },
    replaceTarball: (bytes) => {
      tarball = Buffer.from(bytes)
    },
    ignoreRanges: () => {
      hasRanges = false
    },
    sendDateOnly: () => {
      sendsDateOnly = true
    },
    conditions,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
      await folder[Symbol.asyncDispose]()
    },
  }
}

/** Packs files as `npm pack` does: below `package/`. */
export async function pack(files: Readonly<Record<string, Uint8Array | string>>): Promise<Buffer> {
  await using folder = await temporaryFolder()
  const manifest = JSON.stringify({ name: packageName, version: packageVersion })
  for (const [name, content] of Object.entries({ 'package.json': manifest, ...files })) {
    await folder.write(join('package', name), content)
  }
  const pieces: Buffer[] = []
  for await (const piece of create({ gzip: true, cwd: folder.path, portable: true }, ['package'])) {
    pieces.push(piece as Buffer)
  }
  return Buffer.concat(pieces)
}
