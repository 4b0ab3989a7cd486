import { randomBytes, timingSafeEqual } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { maxHeaderSize } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { BenchError } from '#prelude'
import type { CorrectionRequest } from '#reports/layout/page-document'
import { reviewErrors } from './correction-file.ts'

/** A request of a page to correct a reference; the server adds the time and the author. */
const correctionRequest: z.ZodType<CorrectionRequest> = z.strictObject({
  utteranceId: z.string().min(1),
  before: z.string(),
  after: z.string(),
  seen: z.enum(['seen', 'blind']),
})

/** Path and type of a recording. */
export interface ServedRecording {
  readonly path: string
  readonly mediaType: string
}

export interface PageServerOptions {
  /** The page without data, which is served without a token. */
  readonly html: string
  /** Port number; 0 for a free one. */
  readonly port: number
  /**
   * Returns the data of a page, serialisable as JSON; called for every request.
   *
   * @param query of the page's address, which selects one of several pages. A BenchError is shown on the page.
   */
  document(query: Readonly<Record<string, string>>): Promise<unknown>
  /** Recordings by the last part of their address. */
  readonly recordings: ReadonlyMap<string, ServedRecording>
  /** Null if nothing can be corrected. */
  readonly correcting: {
    /** Writes a correction and returns it as stored in the file. */
    correct(request: CorrectionRequest): Promise<unknown>
    /** The figures with all corrections. */
    board(): Promise<unknown>
  } | null
}

export interface PageServer extends AsyncDisposable {
  /** Address with the single-use token after a `#`, so that no log and no referrer contains it. */
  readonly address: string
}

/**
 * Starts to serve on 127.0.0.1.
 *
 * @throws BenchError REVIEW_PORT_TAKEN
 */
export async function startPageServer(options: PageServerOptions): Promise<PageServer> {
  // The import is dynamic, because a run loads this file too, and serves no page.
  const { default: fastify } = await import('fastify')
  const server = fastify({
    logger: false,
    bodyLimit: 1_000_000,
    forceCloseConnections: true,
    // Parameters may be as long as a request head, because the id of an utterance is often a path.
    routerOptions: { maxParamLength: maxHeaderSize },
  })
  const admission = makeAdmission()
  guardOrigin(server)
  explainErrors(server)
  addRoutes(server, admission, options)
  await server.listen({ host: '127.0.0.1', port: options.port }).catch((cause: unknown) => {
    throw reviewErrors.make('REVIEW_PORT_TAKEN', {
      message: `127.0.0.1:${options.port} cannot be listened on: ${(cause as Error).message}`,
      hint: 'name another port with --port, or leave it out for a free one',
      cause,
    })
  })
  return {
    address: `${findOrigin(server)}/#token=${admission.token}`,
    [Symbol.asyncDispose]: () => server.close(),
  }
}

function findOrigin(server: FastifyInstance): string {
  const { port } = server.server.address() as AddressInfo
  return `http://127.0.0.1:${port}`
}

/** Accepts only requests to this address from its own page, to exclude other sites and DNS rebinding. */
function guardOrigin(server: FastifyInstance): void {
  server.addHook('onRequest', async (request, reply) => {
    const origin = findOrigin(server)
    const { host, origin: from, 'sec-fetch-site': site } = request.headers
    const isForeign =
      `http://${host}` !== origin ||
      (from !== undefined && from !== origin) ||
      (request.method !== 'GET' && from !== origin) ||
      (site !== undefined && site !== 'same-origin' && site !== 'none')
    if (isForeign) return refuse(reply, 403, 'This address serves its own page only.')
    reply.headers({
      'cache-control': 'no-store',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    })
    return undefined
  })
}

/** Shows errors that the user can solve in full; any other is a bug in transcribench, and keeps its status. */
function explainErrors(server: FastifyInstance): void {
  server.setErrorHandler(async (error, _request, reply) => {
    if (!(error instanceof BenchError)) return reply.send(error)
    const problems = error.problems.map(({ where, what }) => (where === null ? what : `${where}: ${what}`))
    return reply.code(409).send({ message: error.message, problems, hint: error.hint })
  })
}

function refuse(reply: FastifyReply, status: number, message: string): FastifyReply {
  return reply.code(status).send({ message })
}

/** The name contains the port, because cookies apply to all ports of a host: pages would end each other. */
function cookieName(request: FastifyRequest): string {
  return `transcribench-${request.socket.localPort}`
}

function addRoutes(server: FastifyInstance, admission: Admission, options: PageServerOptions): void {
  const { html, recordings, correcting } = options
  const isAdmitted = (request: FastifyRequest, key: string | undefined): boolean =>
    admission.isAdmitted(findCookie(request), key)
  const admitted = async (
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply | undefined> => {
    const key = request.headers['x-transcribench-tab']
    if (isAdmitted(request, typeof key === 'string' ? key : undefined)) return undefined
    return refuse(
      reply,
      403,
      'This page belongs to the tab that its link was opened in. Start transcribench again for a new link.',
    )
  }

  server.get('/', async (_request, reply) => reply.type('text/html; charset=utf-8').send(html))
  server.post('/session', async (request, reply) => {
    const body = z.object({ token: z.string() }).safeParse(request.body)
    const given = body.success ? admission.admit(body.data.token) : null
    if (given === null)
      return refuse(
        reply,
        403,
        'This link was used before, or is not whole. Start transcribench again for a new one.',
      )
    return reply
      .header('set-cookie', `${cookieName(request)}=${given.cookie}; HttpOnly; SameSite=Strict; Path=/`)
      .send({ key: given.key })
  })
  server.get('/document', { preHandler: admitted }, async (request) => {
    // A repeated key is ignored.
    const single = Object.entries(request.query as object).filter(([, value]) => typeof value === 'string')
    return await options.document(Object.fromEntries(single))
  })
  server.get<{ Params: { id: string }; Querystring: { key?: string } }>(
    '/audio/:id',
    async (request, reply) => {
      if (!isAdmitted(request, request.query.key)) return refuse(reply, 403, 'Not from this tab.')
      const recording = recordings.get(request.params.id)
      if (recording === undefined) return refuse(reply, 404, 'There is no such recording.')
      return await sendRecording(request, reply, recording)
    },
  )
  if (correcting === null) return
  server.get('/board', { preHandler: admitted }, async () => await correcting.board())
  server.post('/corrections', { preHandler: admitted }, async (request, reply) => {
    const body = correctionRequest.safeParse(request.body)
    if (!body.success) return refuse(reply, 400, 'That is no correction.')
    return await correcting.correct(body.data)
  })
}

function findCookie(request: FastifyRequest): string | undefined {
  const { cookie = '' } = request.headers
  const start = `${cookieName(request)}=`
  return cookie
    .split(/; */)
    .find((each) => each.startsWith(start))
    ?.slice(start.length)
}

/** Sends the requested range of a recording directly from the file, as seeking needs. */
async function sendRecording(
  request: FastifyRequest,
  reply: FastifyReply,
  { path, mediaType }: ServedRecording,
): Promise<FastifyReply> {
  const file = await stat(path).catch(() => null)
  if (file === null) return refuse(reply, 404, 'The recording is gone.')
  reply.type(mediaType).header('accept-ranges', 'bytes')
  const range = readByteRange(request.headers.range, file.size)
  if (range === 'unsatisfiable') {
    return reply.code(416).header('content-range', `bytes */${file.size}`).send()
  }
  if (range === null) return reply.header('content-length', file.size).send(createReadStream(path))
  const { start, end } = range
  return reply
    .code(206)
    .header('content-range', `bytes ${start}-${end}/${file.size}`)
    .header('content-length', end - start + 1)
    .send(createReadStream(path, { start, end }))
}

/** Access control: only the tab in which the link was opened has access. */
interface Admission {
  /** Single-use token for the printed link. */
  readonly token: string
  /** Exchanges the token for the credentials of the tab; null if it is wrong or was used before. */
  admit(token: string): { readonly cookie: string; readonly key: string } | null
  /** Whether the cookie of the browser and the key of the tab are both the issued ones. */
  isAdmitted(cookie: string | undefined, key: string | undefined): boolean
}

/**
 * Issues two credentials. The cookie, which scripts cannot read, excludes pages of other programs. The key, which
 * stays in one tab's storage, excludes other tabs of the same browser.
 */
function makeAdmission(): Admission {
  const token = secret()
  const [cookie, key] = [secret(), secret()]
  let isUsed = false
  return {
    token,
    admit(given) {
      if (isUsed || !isSame(given, token)) return null
      isUsed = true
      return { cookie, key }
    },
    isAdmitted: (givenCookie, givenKey) =>
      isUsed && isSame(givenCookie ?? '', cookie) && isSame(givenKey ?? '', key),
  }
}

function secret(): string {
  return randomBytes(32).toString('base64url')
}

function isSame(given: string, wanted: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(wanted)]
  return left.length === right.length && timingSafeEqual(left, right)
}

/** A requested range of a file, both ends inclusive. */
interface ByteRange {
  readonly start: number
  readonly end: number
}

/**
 * Reads a Range header with a single range.
 *
 * @param sizeBytes of the whole file
 * @returns null for the whole file (no header, several ranges, or an invalid one); `unsatisfiable` if the range is
 * outside of the file
 * @see RFC 9110, section 14
 */
function readByteRange(header: string | undefined, sizeBytes: number): ByteRange | null | 'unsatisfiable' {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? []
  if (first === '' && last === '') return null
  if (first === '') {
    const length = Math.min(sizeBytes, Number(last))
    return length === 0 ? 'unsatisfiable' : { start: sizeBytes - length, end: sizeBytes - 1 }
  }
  const start = Number(first)
  if (start >= sizeBytes) return 'unsatisfiable'
  const end = last === '' ? sizeBytes - 1 : Math.min(sizeBytes - 1, Number(last))
  return end < start ? null : { start, end }
}
