import { availableParallelism } from 'node:os'
import { readAppVersion } from './app-version.ts'
import { createLoadedModels, type LoadedModels } from './engines/loaded-models.ts'
import { openDataDir } from './folder/data-dir.ts'
import { openDatabase } from './folder/database.ts'
import { announce } from './folder/discovery.ts'
import type { CurrentToken } from './folder/token.ts'
import { closeServer, listen } from './http/listening.ts'
import { createRequestIds } from './http/request-ids.ts'
import { createServer } from './http/server.ts'
import { createMemory } from './memory/memory.ts'
import { modelEndpoints } from './models/model-endpoints.ts'
import { ensureFirstMode, modeEndpoints } from './modes/mode-endpoints.ts'
import { createModeStore } from './modes/mode-store.ts'
import type { RunningService, ServiceOptions, StopOptions } from './options.ts'
import { openOutbound } from './outbound.ts'
import { readChatProviders } from './post-processing/chat-providers.ts'
import { postProcessEndpoint } from './post-processing/post-process-endpoint.ts'
import { createPostProcessor } from './post-processing/post-processor.ts'
import { createProviderSnapshot } from './post-processing/provider-snapshot.ts'
import { profiles } from './profiles.ts'
import { createDictation } from './recorder/dictation.ts'
import { playedMicrophone } from './recorder/microphone.ts'
import { createRecorder } from './recorder/recorder.ts'
import { recorderEndpoints } from './recorder/recorder-endpoints.ts'
import { createAudioRetention } from './recordings/audio-retention.ts'
import { createHistory } from './recordings/history.ts'
import { recordingEndpoints } from './recordings/recording-endpoints.ts'
import { createRecordingStore } from './recordings/recording-store.ts'
import { openSoundFolder } from './recordings/sound-folder.ts'
import type { ServiceEvent } from './service-event.ts'
import { checkOptions, loggedSettings, realFolders, type Settings } from './settings.ts'
import { inWords } from './system-error.ts'
import { createDecoder } from './transcription/decoder.ts'
import { type Keeping, transcribeEndpoint } from './transcription/transcribe-endpoint.ts'
import { createTranscriber } from './transcription/transcriber.ts'
import { createWarmUpProblems } from './warm-up-problems.ts'

type UndoStep = () => Promise<void> | void

/** Remembers how to undo what was just started. */
type Undo = (step: UndoStep) => void

/** Undoes the last first, and all of them whatever happens on the way. */
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
 * Starts a reference service on 127.0.0.1. It answers, and has written its discovery file, when the promise
 * resolves; when it rejects, nothing of it is left running.
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
    const stop = (given: StopOptions = {}): Promise<void> => {
      if (stopping === null) patience = given
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
    throw inWords(error, settings)
  }
}

interface Assembled {
  readonly token: CurrentToken
  readonly port: number
  readonly baseUrl: string
  readonly discoveryPath: string
}

/** Starts the parts in the order in which they need each other; they stop in the opposite one. */
async function assemble(settings: Settings, undo: Undo, patience: () => StopOptions): Promise<Assembled> {
  const { catalogue, modelsDir } = settings
  const requestIds = createRequestIds()
  // The library is loaded only where metrics are enabled.
  const metrics = settings.metricsPort === null ? null : (await import('./metrics.ts')).createMetrics()
  const warmUpProblems = createWarmUpProblems()
  const log = (event: ServiceEvent): void => {
    metrics?.observe(event)
    warmUpProblems.observe(event)
    settings.log({ ...event, requestId: requestIds.current() })
  }
  const appVersion = await readAppVersion()
  log({ kind: 'starting', version: appVersion, settings: loggedSettings(settings) })
  const profile = profiles[settings.profile]
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
  await warmUp({ ...settings, log }, models)
  const stopping = new AbortController()
  const readableFolders = await realFolders([recordingsFolder, ...settings.allowDirs])
  const sounds = await openSoundFolder(database, recordingsFolder)
  const recordings = createRecordingStore(database, sounds)
  const retention = createAudioRetention({
    ...settings,
    store: recordings,
    sounds,
    onFault: (error) => log({ kind: 'fault', error }),
  })
  undo(retention.close)
  void retention.sweep()
  const history = createHistory(recordings, sounds, retention)
  const transcriber = createTranscriber({
    models,
    decoder,
    memory,
    requestTimeoutSeconds: settings.requestTimeoutSeconds,
    anyLanguage: settings.anyLanguage,
    logTexts: settings.logTexts,
    log,
  })
  const outbound = openOutbound()
  const chatProviders = readChatProviders(settings.env)
  const snapshot = createProviderSnapshot(chatProviders, { outbound, asksProviders: settings.askProviders })
  undo(snapshot.close)
  const postProcessor = createPostProcessor({
    providers: chatProviders,
    snapshot,
    outbound,
    timeoutSeconds: settings.requestTimeoutSeconds,
    log,
  })
  const surroundings = { catalogue, modelsDir, modes, transcriber, postProcessor, history }
  const { microphoneFile } = settings
  const microphone = microphoneFile === null ? null : playedMicrophone(microphoneFile)
  const recorder = createRecorder(microphone, createDictation(surroundings))
  stopping.signal.addEventListener('abort', () => void recorder.cancel(), { once: true })
  const handlers = {
    ...modelEndpoints({
      catalogue,
      modelsDir,
      appVersion,
      providers: () => ({
        providers: catalogue.providers?.() ?? [],
        post_processing_providers: snapshot.read(),
      }),
      textModels: snapshot.textModels,
      findTextModels: snapshot.findLocalModels,
      problems: warmUpProblems.list,
      settings: reportedSettings(settings),
    }),
    ...modeEndpoints(modes, profile, defaultModel),
    ...recordingEndpoints(recordings),
    ...recorderEndpoints(recorder),
    postProcess: postProcessEndpoint({ profile, modes, postProcessor }),
    transcribe: transcribeEndpoint({
      ...surroundings,
      profile,
      keeping: keepingOf(settings),
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
    requestIds,
    log,
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

/** Decoding takes a hundredth of what recognising takes; a second one is there for when the first has a large file. */
function decodersFor({ concurrency }: Settings): number {
  return Math.max(2, Math.ceil(Math.min(concurrency, availableParallelism()) / 8))
}

/** What cannot be loaded now may be there when it is asked for; the service starts all the same. */
async function warmUp(
  {
    catalogue,
    warmUp: ids,
    log,
  }: Pick<Settings, 'catalogue' | 'warmUp'> & { readonly log: (event: ServiceEvent) => void },
  models: LoadedModels,
): Promise<void> {
  for (const id of ids) {
    const model = catalogue.models.find((known) => known.id === id)
    const outcome = model === undefined ? null : await models.warmUp(model)
    if (outcome?.ok !== true) {
      log({ kind: 'warmUpFailed', model: id, reason: outcome?.failure.message ?? 'There is no such model.' })
    }
  }
}

/** Settings that affect speed, reported so that two services can be compared. */
function reportedSettings({ threads, concurrency, instances, idleUnloadSeconds }: Settings): {
  readonly threads: number
  readonly concurrency: number
  readonly instances: number
  readonly idle_unload_seconds: number | null
} {
  return { threads, concurrency, instances, idle_unload_seconds: idleUnloadSeconds }
}

function keepingOf({ record, recordAudio }: Settings): Keeping {
  if (recordAudio) return 'sound'
  return record ? 'text' : 'nothing'
}
