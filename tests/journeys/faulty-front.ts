import { readFile, writeFile } from 'node:fs/promises'
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { keepsIdleConnections } from '../client/odd-server.ts'

/** One answer of the service, before it has left the front. */
interface Answer {
  readonly response: ServerResponse
  /** What the service said. */
  readonly text: string
}

/** Does something else with an answer than pass it on. */
export type Fault = (answer: Answer) => void | Promise<void>

/** A request that a front has before it. */
export interface FrontCall {
  readonly method: string
  readonly path: string
  /** Transcriptions that came before this one; null for anything else. */
  readonly transcription: number | null
}

/** A server on a separate port before a service: it passes everything on, but for what a test sets to be damaged. */
export interface FaultyFront extends AsyncDisposable {
  readonly discoveryPath: string
  /** Of all transcriptions that were asked for. */
  readonly transcriptionCount: number
  /** What is done with the answers from now on; null passes one on. */
  spoil(faultOf: (call: FrontCall) => Fault | null): void
  /** Goes to another port, with another token, and says so in the discovery file. */
  move(): Promise<void>
  /** Breaks every connection and takes no more. */
  leave(): Promise<void>
  comeBack(): Promise<void>
}

interface Discovery {
  readonly port: number
  readonly token: string
  readonly pid: number
}

/**
 * @param servicePath discovery file of the service, read for each request: it may be started again meanwhile
 * @param folder for the discovery file of the front
 */
export async function startFaultyFront(servicePath: string, folder: string): Promise<FaultyFront> {
  const discoveryPath = join(folder, 'local-api.json')
  const service = async (): Promise<Discovery> => JSON.parse(await readFile(servicePath, 'utf8'))
  let { token } = await service()
  let faultOf: (call: FrontCall) => Fault | null = () => null
  let transcriptionCount = 0
  let server: Server | null = null

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url: path = '' } = request
    const body = Buffer.concat(await request.toArray())
    const isTranscription = path === '/transcribe'
    const call = { method, path, transcription: isTranscription ? transcriptionCount : null }
    if (isTranscription) transcriptionCount += 1
    const isKnown = path === '/health' || request.headers.authorization === `Bearer ${token}`
    const reply = await ask(await service(), { method, path, body, isKnown })
    const fault = faultOf(call)
    if (fault !== null) return fault({ response, text: reply.text })
    response.writeHead(reply.status, { 'content-type': 'application/json' }).end(reply.text)
  }
  const listen = async (): Promise<void> => {
    // A service that is not there looks like one that is not there.
    server = createServer(keepsIdleConnections, (request, response) =>
      answer(request, response).catch(() => request.destroy()),
    )
    await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const { pid } = await service()
    await writeFile(discoveryPath, JSON.stringify({ port, token, pid }), { mode: 0o600 })
  }
  const close = async (): Promise<void> => {
    server?.closeAllConnections()
    await new Promise((resolve) => server?.close(resolve))
  }
  await listen()
  return {
    discoveryPath,
    get transcriptionCount() {
      return transcriptionCount
    },
    spoil(how) {
      faultOf = how
    },
    async move() {
      const left = server
      token = token.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))
      await listen()
      // Those that hold a connection are still answered.
      left?.close()
    },
    leave: close,
    comeBack: listen,
    [Symbol.asyncDispose]: close,
  }
}

interface Asked {
  readonly method: string
  readonly path: string
  readonly body: Buffer
  readonly isKnown: boolean
}

function ask(
  { port, token }: Discovery,
  { method, path, body, isKnown }: Asked,
): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${isKnown ? token : 'wrong'}`,
      ...(body.length === 0 ? {} : { 'content-type': 'application/json', 'content-length': body.length }),
    }
    const request = httpRequest({ host: '127.0.0.1', port, method, path, headers }, async (response) => {
      const text = Buffer.concat(await response.toArray()).toString('utf8')
      resolve({ status: response.statusCode ?? 0, text })
    })
    request.once('error', reject)
    request.end(body)
  })
}

/** Half of an answer, on its way, and what comes after it. */
function half({ response, text }: Answer, then: () => void): void {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
  response.write(text.slice(0, text.length / 2), then)
}

const refusing =
  (code: string): Fault =>
  ({ response }) =>
    void response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ ok: false, error: { code, message: 'Not now.' } }))

const saying =
  (status: number, body: string, headers: Readonly<Record<string, string>> = {}): Fault =>
  ({ response }) =>
    void response.writeHead(status, headers).end(body)

type FaultName =
  | 'resetBeforeHead'
  | 'resetInBody'
  | 'stall'
  | 'byteASecond'
  | 'html'
  | 'tooManyRequests'
  | 'rateLimited'
  | 'modelNotFound'
  | 'fileNotAllowed'

/** Everything that a server or a network can make of an answer. */
export const faults: Readonly<Record<FaultName, Fault>> = {
  resetBeforeHead: ({ response }) => void response.socket?.resetAndDestroy(),
  resetInBody: (answer) => half(answer, () => answer.response.socket?.resetAndDestroy()),
  stall: () => undefined,
  /** Begins at once, and goes on with a byte a second to the end. */
  async byteASecond({ response, text }) {
    response.writeHead(200, { 'content-type': 'application/json' })
    for (const letter of text) {
      response.write(letter)
      await sleep(1000)
      if (response.destroyed) return
    }
    response.end()
  },
  html: saying(200, '<!doctype html><title>Sign in</title>', { 'content-type': 'text/html' }),
  tooManyRequests: saying(429, '', { 'retry-after': '1' }),
  rateLimited: refusing('RATE_LIMITED'),
  modelNotFound: refusing('MODEL_NOT_FOUND'),
  fileNotAllowed: refusing('FILE_NOT_ALLOWED'),
}
