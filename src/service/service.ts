import type { AddressInfo } from 'node:net'
import { availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { programVersion } from '#installation/installation'
import { shellWord } from '#prelude'
import { openOutbound } from './engines/provider-exchange.ts'
import { isOfTheSystem, serviceErrors } from './errors.ts'
import { announce, openDataDir } from './folder/data-dir.ts'
import { isStoreFull, openDatabase } from './folder/database.ts'
import { platformProfiles } from './http/call.ts'
import { createServer } from './http/server.ts'
import { modelEndpoints } from './models/model-endpoints.ts'
import { readChatProviders } from './modes/chat.ts'
import { createModeStore, ensureFirstMode, modeEndpoints } from './modes/modes.ts'
import { createPostProcessor, postProcessEndpoint } from './modes/post-processor.ts'
import { createProviderSnapshot } from './modes/provider-snapshot.ts'
import { createEvents } from './service-event.ts'
import {
  checkOptions,
  loggedSettings,
  maxTimeoutSeconds,
  type RunningService,
  realFolders,
  type ServiceOptions,
  type Settings,
  type StopOptions,
} from './settings.ts'
import { createDecoder } from './transcription/decoder.ts'
import { createAudioRetention, createHistory } from './transcription/history.ts'
import { createLoadedModels } from './transcription/loaded-models.ts'
import {
  createDictation,
  createRecorder,
  playedMicrophone,
  recorderEndpoints,
} from './transcription/recorder.ts'
import { createRecordingStore, openSoundFolder, recordingEndpoints } from './transcription/recording-store.ts'
import { createTranscriber, transcribeEndpoint } from './transcription/transcriber.ts'
import { createMemory } from './waiting.ts'

type UndoStep = () => Promise<void> | void

/** Registers a step that undoes what was just started. */
type Undo = (step: UndoStep) => void

/** Runs all steps in reverse order, even if some of them throw. */
async function undoAll(steps: UndoStep[]): Promise<void> {
  const step = steps.pop()
  if (step === undefined) return
  try {
    await step()
  } finally {
    await undoAll(steps)
  }
}

/**
 * Starts a reference service on 127.0.0.1. When the promise resolves, the service answers and has written its
 * discovery file; when it rejects, nothing is left running.
 *
 * @throws BenchError with a code that begins with SERVICE, see `serviceErrors`
 */
export async function startService(options: ServiceOptions = {}): Promise<RunningService> {
  const settings = await checkOptions(options)
  const steps: UndoStep[] = []
  try {
    let patience: StopOptions = {}
    const undo: Undo = (step) => steps.push(step)
    const { token, port, baseUrl, discoveryPath } = await assemble(settings, undo, () => patience)
    settings.log({ kind: 'listening', baseUrl, discoveryPath, requestId: null })
    let stopping: Promise<void> | null = null
    const stop = (options: StopOptions = {}): Promise<void> => {
      if (stopping === null) patience = options
      stopping ??= undoAll(steps).then(() => settings.log({ kind: 'stopped', requestId: null }))
      return stopping
    }
    const { profile, dataDir } = settings
    const visible = { baseUrl, port, pid: process.pid, profile, dataDir, discoveryPath }
    const running = { ...visible, stop, [Symbol.asyncDispose]: () => stop() }
    return Object.defineProperty(running, 'token', { get: token, enumerable: false }) as typeof running & {
      readonly token: string
    }
  } catch (error) {
    await undoAll(steps)
    throw explainStartError(error, settings)
  }
}

/** Starts the components in order of dependency; they stop in reverse order. */
async function assemble(settings: Settings, undo: Undo, patience: () => StopOptions) {
  const { catalogue, modelsDir, microphoneFile } = settings
  // prom-client is loaded only if metrics are enabled.
  const metrics = settings.metricsPort === null ? null : (await import('./metrics.ts')).createMetrics()
  const events = createEvents(...(metrics === null ? [] : [metrics.observe]), settings.log)
  const { log } = events
  const appVersion = programVersion()
  log({ kind: 'starting', version: appVersion, settings: loggedSettings(settings) })
  const profile = platformProfiles[settings.profile]
  const { hold, token, recordingsFolder } = await openDataDir(settings.dataDir)
  undo(hold.release)
  const database = await openDatabase(settings.dataDir)
  undo(() => database.close())
  const modes = createModeStore(database)
  const defaultModel = catalogue.models[0]?.id ?? ''
  ensureFirstMode(modes, defaultModel)
  const decoder = createDecoder(decodersFor(settings))
  undo(() => decoder.close())
  const memory = createMemory(settings.memoryBytes)
  const models = createLoadedModels({ ...settings, memory, log })
  undo(() => models.unloadAll())
  await models.warmUp(settings.warmUp)
  const stopping = new AbortController()
  const readableFolders = await realFolders([recordingsFolder, ...settings.allowDirs])
  const sounds = await openSoundFolder(database, recordingsFolder)
  const recordings = createRecordingStore(database, sounds)
  const retention = createAudioRetention(recordings, sounds, settings, (error) =>
    log({ kind: 'fault', error }),
  )
  undo(retention.close)
  void retention.sweep()
  const history = createHistory(recordings, sounds, retention)
  const transcriber = createTranscriber({ ...settings, models, decoder, memory, log })
  const outbound = openOutbound()
  const providers = readChatProviders(settings.env)
  const snapshot = createProviderSnapshot(providers, outbound, settings.askProviders)
  undo(snapshot.close)
  const postProcessor = createPostProcessor({ ...settings, providers, snapshot, outbound, log })
  const surroundings = { catalogue, modelsDir, modes, transcriber, postProcessor, history }
  const microphone = microphoneFile === null ? null : playedMicrophone(microphoneFile)
  const recorder = createRecorder(microphone, createDictation(surroundings))
  stopping.signal.addEventListener('abort', () => void recorder.cancel(), { once: true })
  const handlers = {
    ...modelEndpoints(settings, appVersion, snapshot, models.problems),
    ...modeEndpoints(modes, defaultModel),
    ...recordingEndpoints(recordings),
    ...recorderEndpoints(recorder),
    postProcess: postProcessEndpoint(modes, postProcessor),
    transcribe: transcribeEndpoint({
      ...settings,
      ...surroundings,
      readableFolders,
      log,
    }),
  }
  const server = createServer({
    profile,
    handlers,
    token,
    memory,
    stopping: stopping.signal,
    events,
  })
  const port = await listen(server, settings.port)
  undo(() => closeServer(server, stopping, patience()))
  if (metrics !== null && settings.metricsPort !== null) {
    const served = await metrics.serve(settings.metricsPort, models.occupancy)
    undo(served.stop)
    log({ kind: 'metricsListening', address: served.address })
  }
  const announcement = await announce(settings.dataDir, { port, token: token(), appVersion })
  undo(announcement.withdraw)
  return { token, port, baseUrl: `http://127.0.0.1:${port}`, discoveryPath: announcement.path }
}

/** Number of decoders. Decoding costs about 1 % of recognition; a second decoder keeps large files from blocking. */
function decodersFor({ concurrency }: Settings): number {
  return Math.max(2, Math.ceil(Math.min(concurrency, availableParallelism()) / 8))
}

/** Replaces an error of the system at start by one that tells the user what to change. */
function explainStartError(error: unknown, settings: Settings): unknown {
  if (!isOfTheSystem(error)) return error
  if ('syscall' in error && error.syscall === 'listen') {
    const port = 'port' in error ? Number(error.port) : settings.port
    const option = port === settings.metricsPort ? '--metrics-port' : '--port'
    return serviceErrors.make('SERVICE_PORT_TAKEN', {
      message: `Port ${port} on 127.0.0.1 cannot be used: ${error.message}.`,
      hint:
        option === '--port'
          ? 'Leave --port out to take a free one.'
          : 'Name another port with --metrics-port; 0 takes a free one.',
      cause: error,
    })
  }
  if (isStoreFull(error)) {
    const folder = shellWord(settings.dataDir)
    return serviceErrors.make('SERVICE_DATA_DIR_UNUSABLE', {
      message: `${settings.dataDir} cannot be used: its disk is full. Nothing that it held was changed.`,
      hint: `Free some space on it (df -h ${folder} shows how much there is), or name a directory on another disk with --data-dir.`,
      cause: error,
    })
  }
  return serviceErrors.make('SERVICE_DATA_DIR_UNUSABLE', {
    message: `${settings.dataDir} cannot be used: ${error.message}.`,
    hint: 'Make it a directory that you may write to, or name another one with --data-dir.',
    cause: error,
  })
}

/** Time limit for delivering the last responses when the service stops, in milliseconds. */
const lastAnswerMs = 2_000

/** @returns the port in use, which differs from the given one only if that is 0 */
async function listen(server: FastifyInstance, port: number): Promise<number> {
  await server.listen({ host: '127.0.0.1', port })
  return (server.server.address() as AddressInfo).port
}

/**
 * Stops accepting connections, lets current requests finish within the limit, aborts the rest, delivers their
 * responses, and closes every connection.
 */
async function closeServer(
  server: FastifyInstance,
  stopping: AbortController,
  { finishWithinSeconds = 0, hurry }: StopOptions,
): Promise<void> {
  const closed = server.close()
  if (finishWithinSeconds > 0) {
    const limitMs = Math.min(finishWithinSeconds, maxTimeoutSeconds) * 1000
    // The timer does not keep the process alive once all connections have closed.
    const limit = sleep(limitMs, undefined, { ref: false, signal: hurry ?? stopping.signal })
    await Promise.race([closed, limit.catch(() => undefined)])
  }
  stopping.abort()
  const impatience = setTimeout(() => server.server.closeAllConnections(), lastAnswerMs)
  await closed
  clearTimeout(impatience)
}
