import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Connection } from '#client/connection'
import { clientErrors } from '#client/errors'
import { connect, resolveTarget, type TargetWarning } from '#client/target'
import { describeFailure } from '#contract/failures'
import type { HealthSnapshot, ModelEntry } from '#contract/resources'
import type { Utterance } from '#corpus/utterance'
import { homeDirectory, ownProgram } from '#installation/installation'
import type { Clock } from '#load/clock'
import { BenchError } from '#prelude'
import type { ServiceOptions } from '#service/settings'
import { runErrors } from '../execute/errors.ts'
import type { KnownEngines } from '../execute/readiness.ts'

/** A target that answers. Disposing closes the connections, and stops the service if it was started here. */
export interface OpenTarget extends AsyncDisposable {
  readonly kind: 'embedded' | 'discovered' | 'address'
  /** Name of the target for display. */
  readonly description: string
  readonly connection: Connection
  readonly health: HealthSnapshot
  readonly models: readonly ModelEntry[]
  readonly warnings: readonly TargetWarning[]
  /** Value for `--target`. */
  readonly named: string
  /** Engines that a contender may name; null if the target does not report them. */
  readonly engines: KnownEngines | null
  /** Null if the server may run on another machine, whose processes cannot be watched. */
  readonly serverPid: number | null
  /** The discovery file of a service on this machine, which keeps its data next to it; null elsewhere. */
  readonly discoveryPath: string | null
}

/**
 * Maximum number of sockets, and so of requests in flight of an open load: below 1,024, the usual limit of open
 * files. With fewer sockets, requests would wait in the client, and the client would be measured.
 */
export const maxSockets = 1000

export interface TargetRequest {
  /** Target of the config: `embedded`, `auto`, a discovery file, or an address. */
  readonly target: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly clock: Clock
  /** Maximum number of sockets, one for each request in flight. */
  readonly connections: number
  /** Concurrent transcriptions of the embedded service; default: chosen by the service. */
  readonly embeddedConcurrency?: number | undefined
  /** Threads of each of its decodes; default: chosen by the service. */
  readonly embeddedThreads?: number | undefined
  /** Engines file of the embedded service; default: none. */
  readonly enginesFile?: string | null | undefined
  /** Folders with files that the embedded service may read by path. */
  readonly readableFolders: readonly string[]
}

/**
 * Starts or finds the target and reads its properties.
 *
 * @throws BenchError of the tables of the client and of runs
 */
export async function openTarget(request: TargetRequest): Promise<OpenTarget> {
  const { clock, connections, env } = request
  const environment = { env, home: homeDirectory(env), platform: process.platform }
  await using opening = new AsyncDisposableStack()
  const named = await resolveTarget(request.target, environment)
  const embedded = named.kind === 'embedded' ? await startFor(request, opening) : null
  const running = embedded === null ? named : await resolveTarget(embedded.discoveryPath, environment)
  if (running.kind === 'embedded') throw new TypeError('a discovery file is never embedded')
  const connection = opening.use(await connect(running, { clock, connections }))
  const description =
    embedded === null
      ? `${running.text} (${connection.baseUrl})`
      : `the built-in service on ${new URL(connection.baseUrl).host}`
  const { health, models } = await introduce(connection, description)
  const isHere = running.kind === 'discovered' && !running.isForwarded
  const cleanUp = opening.move()
  return {
    kind: embedded === null ? running.kind : 'embedded',
    description,
    connection,
    health,
    models,
    warnings: embedded === null ? running.warnings : [],
    named: embedded === null ? running.text : 'embedded',
    engines: embedded?.engines ?? null,
    serverPid: isHere ? health.pid : null,
    discoveryPath: isHere ? running.text : null,
    [Symbol.asyncDispose]: () => cleanUp.disposeAsync(),
  }
}

/** Starts the built-in service, and lists the engines that a contender may name there. */
async function startFor(request: TargetRequest, opening: AsyncDisposableStack) {
  // The service is a fourth of the program and most targets do not need it, so it is imported dynamically.
  const { defaultModelsDir } = await import('#service/settings')
  const { listEngines } = await import('#service/transcription/resolve-model')
  const modelsDir = defaultModelsDir(request.env)
  const enginesFile = request.enginesFile == null ? null : resolve(request.enginesFile)
  const engines = await listEngines({ modelsDir, enginesFile, env: request.env })
  const { discoveryPath } = opening.use(
    await startEmbeddedService({
      modelsDir,
      allowDirs: request.readableFolders,
      concurrency: request.embeddedConcurrency,
      threads: request.embeddedThreads,
      enginesFile: enginesFile ?? undefined,
      env: request.env,
    }),
  )
  return { discoveryPath, engines }
}

async function introduce(connection: Connection, description: string) {
  const health = await connection.health()
  const models = health.ok ? await connection.listModels() : health
  if (health.ok && models.ok) return { health: health.value, models: models.value.models }
  const failure = !health.ok ? health.failure : !models.ok ? models.failure : null
  throw clientErrors.make('TARGET_UNREACHABLE', {
    message: `${description} does not answer: ${failure === null ? 'no reason given' : describeFailure(failure)}`,
    hint:
      (failure?.kind === 'refused' ? failure.hint : null) ??
      'switch the API server on in the application (Settings → API Server), or use --target embedded',
  })
}

/** The folders of recordings, for a service that needs a list of readable folders. */
export function listFolders(utterances: readonly Utterance[]): string[] {
  return [...new Set(utterances.map(({ audioPath }) => dirname(audioPath)))]
}

const program = ownProgram(import.meta.url, 'service-process')

/** Message of the parent to the service's process. */
export interface ServiceOrder {
  readonly options: ServiceOptions
  /** Removed by the service's process when it ends, even after the death of the parent. */
  readonly privateFolder: string
}

export type ServiceAnswer =
  | { readonly ok: true; readonly discoveryPath: string }
  /** A problem that the user can solve, in the service's own words. */
  | {
      readonly ok: false
      readonly mistake: Pick<BenchError, 'code' | 'exit' | 'message' | 'hint' | 'problems'>
    }
  | { readonly ok: false; readonly mistake?: undefined; readonly message: string; readonly hint: string }

/** The built-in service in a separate process. Disposing stops it. */
interface EmbeddedService extends AsyncDisposable {
  readonly discoveryPath: string
}

/**
 * Starts the reference service in a child process with a private data folder; installed models are shared.
 *
 * @throws BenchError EMBEDDED_SERVICE_FAILED, and the errors of the service
 */
export async function startEmbeddedService({
  env,
  ...options
}: Omit<ServiceOptions, 'dataDir'> & {
  readonly modelsDir: string
  readonly env: TargetRequest['env']
}): Promise<EmbeddedService> {
  const privateFolder = await mkdtemp(join(tmpdir(), 'transcribench-'))
  const child = fork(fileURLToPath(program.url), {
    execArgv: [...program.execArgv],
    env: { ...env, ...program.environment },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  let complaint = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    complaint = `${complaint}${text}`.slice(-2000)
  })
  const answered = new Promise<ServiceAnswer>((resolve) => {
    child.once('message', (message) => resolve(message as ServiceAnswer))
    child.once('exit', () =>
      resolve({ ok: false, message: 'its process ended at once', hint: complaint.trim() }),
    )
  })
  const order: ServiceOrder = { options: { ...options, dataDir: privateFolder }, privateFolder }
  child.send(order)
  const answer = await answered
  const stop = async (): Promise<void> => {
    await stopProcess(child)
    // The service's process does this itself, unless it was killed.
    await rm(privateFolder, { recursive: true, force: true })
  }
  if (answer.ok) return { discoveryPath: answer.discoveryPath, [Symbol.asyncDispose]: stop }
  await stop()
  if (answer.mistake !== undefined) {
    const { code, exit, ...details } = answer.mistake
    throw new BenchError(code, exit, details)
  }
  throw runErrors.make('EMBEDDED_SERVICE_FAILED', {
    message: `the built-in service did not start: ${answer.message}`,
    hint: answer.hint || 'try it alone and read what it says: transcribench serve',
  })
}

async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  if (child.connected) child.disconnect()
  await ended
}
