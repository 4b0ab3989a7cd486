import { randomUUID } from 'node:crypto'
import { mkdtemp, open, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { Agent, type ClientRequest, type IncomingMessage, request as openRequest } from 'node:http'
import { connect } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { encodeWav } from '#audio/sound-stream'
import { clientErrors } from '#client/errors'
import { type RunningTarget, resolveTarget } from '#client/target'
import type {
  ConformanceCase,
  Exchange,
  RawReply,
  RawRequest,
  ReadableFolder,
} from '#conformance/conformance-case'
import { conformanceRules } from '#conformance/rules'
import {
  type ConformanceReport,
  conformanceCases,
  runConformanceCases,
} from '#conformance/run-conformance-cases'
import { hostPlatform, type Platform } from '#contract/enums'
import { homeDirectory } from '#installation/installation'
import { doctorCommand } from '../commands.ts'
import { runErrors } from '../execute/errors.ts'
import { startEmbeddedService } from './open-target.ts'
import { fetchedClip } from './try-models.ts'

export interface ConformanceRequest {
  /** `embedded`, `auto`, a discovery file, or an address. */
  readonly target: string
  /** Build of the service, or build to emulate for the embedded one; null if unknown. */
  readonly platform: Platform | null
  /** Whether to run cases that create Modes and have audio transcribed. */
  readonly writes: boolean
  /** Whether the service contains nothing of value, so that cases that could lose data run too. */
  readonly isDisposable: boolean
  /** Ids of rules or cases, or the part before the full stop; empty for all of them. */
  readonly only: readonly string[]
  /** A folder that the service may read. Cases about files write theirs into it, and remove them. */
  readonly folder: string | null
  readonly env: Readonly<Record<string, string | undefined>>
  readonly signal?: AbortSignal | undefined
  readonly onCase?: ((id: string) => void) | undefined
}

export type CheckedConformance = Awaited<ReturnType<typeof checkConformance>>

/**
 * Checks a service against the conformance cases. The embedded service may always be written to.
 *
 * @returns the report, and the name of the target, never with a token
 * @throws BenchError CONFORMANCE_RULE_UNKNOWN, and errors of finding or starting the target
 */
export async function checkConformance(request: ConformanceRequest) {
  const cases = chosenCases(request.only)
  const environment = { env: request.env, home: homeDirectory(request.env), platform: process.platform }
  const named = await resolveTarget(request.target, environment)
  if (named.kind !== 'embedded') {
    const platform = request.platform ?? (await platformHere(named))
    return { target: named.text, report: await runAgainst(named, cases, { ...request, platform }) }
  }
  const { defaultModelsDir } = await import('#service/settings')
  const platform = request.platform ?? hostPlatform(process.platform)
  await using folder = await temporaryFolder()
  await using service = await startEmbeddedService({
    profile: platform,
    modelsDir: defaultModelsDir(request.env),
    allowDirs: [folder.path],
    env: request.env,
  })
  const running = await resolveTarget(service.discoveryPath, environment)
  if (running.kind === 'embedded') throw new TypeError('a discovery file is never embedded')
  const options = { ...request, platform, folder: folder.path, writes: true, isDisposable: true }
  return { target: 'the built-in service', report: await runAgainst(running, cases, options) }
}

async function runAgainst(
  target: RunningTarget,
  cases: readonly ConformanceCase[],
  request: ConformanceRequest,
): Promise<ConformanceReport> {
  await using exchange = await openExchange(target, request)
  await checkAnswers(exchange, target)
  const { platform, signal, onCase } = request
  const writes = request.writes ? (['writes'] as const) : []
  const risks = request.isDisposable ? (['risks'] as const) : []
  const allowed = ['reads', ...writes, ...risks] as const
  return await runConformanceCases(exchange, cases, { platform, allowed, signal, onCase })
}

/** Checks that the service answers and accepts the token; otherwise every rule would fail without a clear reason. */
async function checkAnswers({ send, port, token }: Exchange, { text }: RunningTarget): Promise<void> {
  const headers = [
    ['host', `127.0.0.1:${port}`],
    ['authorization', `Bearer ${token}`],
  ] as const
  const { status, fault } = await send({ method: 'GET', target: '/modes', headers })
  if (status !== null && status !== 401) return
  const refusal = status === 401 ? 'refuses the token' : `does not answer (${fault})`
  throw clientErrors.make('TARGET_UNREACHABLE', {
    message: `${text} ${refusal}`,
    hint: `see what the target says: ${doctorCommand({ target: text })}`,
  })
}

/** The platform of a local service is assumed to be that of this machine: the API does not report it. */
async function platformHere(target: RunningTarget): Promise<Platform | null> {
  const { pid } = await target.locate()
  return pid === null ? null : hostPlatform(process.platform)
}

/** @throws BenchError CONFORMANCE_RULE_UNKNOWN with every unknown name */
function chosenCases(only: readonly string[]): readonly ConformanceCase[] {
  if (only.length === 0) return conformanceCases
  const isMeant = ({ id, rule }: ConformanceCase, name: string): boolean =>
    [id, rule, rule.split('.')[0]].includes(name)
  const unknown = only.filter((name) => !conformanceCases.some((one) => isMeant(one, name)))
  if (unknown.length === 0) return conformanceCases.filter((one) => only.some((name) => isMeant(one, name)))
  const subjects = [...new Set(conformanceRules.map(({ subject }) => subject))]
  throw runErrors.make('CONFORMANCE_RULE_UNKNOWN', {
    message: `there is no rule named ${unknown.map((name) => `"${name}"`).join(', ')}`,
    hint: `name a rule as the table of \`transcribench conformance\` does, or a subject: ${subjects.join(', ')}`,
  })
}

async function temporaryFolder(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'transcribench-readable-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

const sampleRateHz = 16_000

/**
 * Opens an exchange with a running service. Disposing removes every file that it created.
 *
 * @param folder that the service may read, for the cases about files; null if none is known
 * @param env for finding the quick corpus, of which a sentence is sent
 * @throws BenchError of the client's table, if the target cannot be located
 */
async function openExchange(
  target: RunningTarget,
  { folder, env }: Pick<ConformanceRequest, 'folder' | 'env'>,
): Promise<Exchange & AsyncDisposable> {
  const { origin, hostHeader, token } = await target.locate()
  const url = new URL(origin)
  const port = Number(new URL(`http://${hostHeader ?? url.host}`).port)
  const isHere = !target.isForwarded && url.hostname === '127.0.0.1'
  const outsideFolder = await mkdtemp(join(tmpdir(), 'transcribench-outside-'))
  const existing = join(outsideFolder, 'existing.wav')
  const tone = makeTone(1)
  await writeFile(existing, tone)
  const files = folder === null ? null : await readableFolder(folder)
  const speech = await fetchedClip(env)
  return {
    send: (request) => sendRaw(url, request),
    port,
    token,
    runId: randomUUID().slice(0, 8),
    audio: {
      // A Uint8Array is required, because `slice` of a Buffer does not copy.
      second: speech === null ? tone : new Uint8Array(await readFile(speech.path)),
      isSpeech: speech !== null,
      minute: minuteOfSound(),
      empty: encodeWav(new Float32Array(0), sampleRateHz),
    },
    outside: { existing, missing: join(outsideFolder, 'missing.wav') },
    files,
    discovery: target.kind === 'discovered' ? await readDiscovery(target.text) : null,
    answeringElsewhere: async () => (isHere ? answeringElsewhere(port) : null),
    base64: (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64'),
    wait: (milliseconds) => sleep(milliseconds),
    async [Symbol.asyncDispose]() {
      await rm(outsideFolder, { recursive: true, force: true })
      await files?.[Symbol.asyncDispose]()
    },
  }
}

let minute: Uint8Array | null = null

/** A cached tone, because many checks of one process send the same. */
function minuteOfSound(): Uint8Array {
  minute ??= makeTone(60)
  return minute
}

function makeTone(durationSeconds: number): Uint8Array {
  const samples = new Float32Array(durationSeconds * sampleRateHz).map(
    (_, index) => 0.3 * Math.sin((2 * Math.PI * 440 * index) / sampleRateHz),
  )
  return encodeWav(samples, sampleRateHz)
}

async function readableFolder(folder: string): Promise<ReadableFolder & AsyncDisposable> {
  const ours = await mkdtemp(join(folder, 'transcribench-conformance-'))
  const pathOf = (name: string): string => join(ours, name)
  return {
    pathOf,
    async place(name, content) {
      const path = pathOf(name)
      await using file = await open(path, 'w')
      if (content instanceof Uint8Array) await file.writeFile(content)
      else await file.truncate(content.zeroBytes)
      return path
    },
    async link(name, target) {
      const path = pathOf(name)
      // On Windows only administrators may create links.
      return symlink(target, path).then(
        () => path,
        () => null,
      )
    },
    [Symbol.asyncDispose]: () => rm(ours, { recursive: true, force: true }),
  }
}

async function readDiscovery(path: string): Promise<Exchange['discovery']> {
  const [text, status] = await Promise.all([readFile(path, 'utf8'), stat(path)])
  return {
    content: JSON.parse(text) as unknown,
    mode: process.platform === 'win32' ? null : status.mode & 0o777,
  }
}

/** Addresses of this machine other than 127.0.0.1 at which the port accepts connections. */
async function answeringElsewhere(port: number): Promise<readonly string[] | null> {
  const addresses = Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .filter(({ address, scopeid }) => address !== '127.0.0.1' && !scopeid)
    .map(({ address }) => address)
  if (addresses.length === 0) return null
  const answered = await Promise.all(addresses.map((address) => accepts(address, port)))
  return addresses.filter((_, index) => answered[index])
}

const connectMs = 1_000

function accepts(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: connectMs })
    const end = (answer: boolean) => (): void => {
      socket.destroy()
      resolve(answer)
    }
    socket.once('connect', end(true))
    socket.once('timeout', end(false))
    socket.once('error', end(false))
  })
}

/** Timeout of a request; no answer of the API takes longer on a machine that is not overloaded. */
const patienceMs = 180_000
/** Maximum time in which a server closes a connection after its answer, if it intends to. */
const closingMs = 2_000

/**
 * Sends one request byte for byte on a separate connection.
 *
 * @returns a reply in any case, even without an answer; never throws for errors of a server or a network
 */
async function sendRaw(origin: URL, raw: RawRequest): Promise<RawReply> {
  const agent = new Agent({ keepAlive: true })
  try {
    return await exchange(origin, raw, agent)
  } finally {
    agent.destroy()
  }
}

function exchange(origin: URL, raw: RawRequest, agent: Agent): Promise<RawReply> {
  return new Promise((resolve) => {
    const request = openRequest({
      host: origin.hostname.replace(/^\[|\]$/g, ''),
      port: origin.port,
      method: raw.method,
      path: raw.target,
      headers: [...raw.headers, ...framing(raw)].flat(),
      setHost: false,
      agent,
      timeout: patienceMs,
    })
    let hasAnswer = false
    request.once('response', (response) => {
      hasAnswer = true
      resolve(read(response, raw.watchesClosing === true))
    })
    request.once('timeout', () => request.destroy(new Error(`no answer within ${patienceMs / 1000} s`)))
    // A server may answer and close before it has read the whole body; then the answer counts.
    request.on('error', (error) => {
      if (hasAnswer) return
      resolve({ status: null, headers: {}, text: '', fault: describe(error), isClosed: true })
    })
    const { hangUp } = raw
    // The hang-up waits for the connection, because otherwise the server might never see this client.
    request.once('socket', async (socket) => {
      if (hangUp === undefined) return
      if (socket.connecting) await new Promise((resolve) => socket.once('connect', resolve))
      await hangUp
      if (!hasAnswer) request.destroy(new Error('the client hung up'))
    })
    void send(request, raw)
  })
}

function framing({ body, announcedBytes }: RawRequest): readonly (readonly [string, string])[] {
  if (announcedBytes !== undefined) return [['content-length', String(announcedBytes)]]
  if (body === undefined) return []
  if (body instanceof Uint8Array) return [['content-length', String(body.length)]]
  return [['transfer-encoding', 'chunked']]
}

async function send(request: ClientRequest, { body, announcedBytes }: RawRequest): Promise<void> {
  if (announcedBytes !== undefined) {
    if (body instanceof Uint8Array) request.write(body)
    else request.flushHeaders()
    return
  }
  if (body === undefined || body instanceof Uint8Array) {
    request.end(body)
    return
  }
  for (const piece of body) {
    if (request.destroyed) return
    if (!request.write(piece)) await drained(request)
  }
  request.end()
}

/** Resolves when the request can be written to again, or has ended. */
function drained(request: ClientRequest): Promise<void> {
  return new Promise((resolve) => {
    const events = ['drain', 'close', 'response'] as const
    const end = (): void => {
      for (const event of events) request.off(event, end)
      resolve()
    }
    for (const event of events) request.on(event, end)
  })
}

async function read(response: IncomingMessage, watchesClosing: boolean): Promise<RawReply> {
  const { socket } = response
  const closed = new Promise<boolean>((resolve) => socket.once('close', () => resolve(true)))
  const chunks: Buffer[] = []
  let fault: string | null = null
  try {
    for await (const chunk of response) chunks.push(chunk as Buffer)
  } catch (error) {
    fault = describe(error as Error)
  }
  const isClosed = watchesClosing && (await Promise.race([closed, sleep(closingMs, false)]))
  return {
    status: response.statusCode ?? null,
    headers: Object.fromEntries(
      Object.entries(response.headers).map(([name, value]) => [name, [value].flat().join(', ')]),
    ),
    text: Buffer.concat(chunks).toString('utf8'),
    fault,
    isClosed,
  }
}

function describe(error: Error): string {
  return 'code' in error ? String(error.code) : error.message
}
