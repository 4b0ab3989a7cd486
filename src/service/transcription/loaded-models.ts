import { AsyncLocalStorage } from 'node:async_hooks'
import { join } from 'node:path'
import type { HealthProblem } from '#contract/resources'
import { failed, type Outcome, succeeded } from '#prelude'
import {
  type Catalogue,
  type CatalogueModel,
  type Clip,
  type Engine,
  type EngineFailure,
  engineSampleRateHz,
  type InstallableModel,
  type LoadedModel,
  type LongClip,
} from '../engines/engine.ts'
import type { ModelOccupancy } from '../metrics.ts'
import { damagedFiles, isInstalled, modelFolder, notInstalled } from '../models/model-folder.ts'
import { type Recognised, readPieces, transcribePieces } from '../segmentation/transcribe-pieces.ts'
import type { ServiceEvent } from '../service-event.ts'
import type { Settings } from '../settings.ts'
import { createSemaphore, cuttingBytes, type Memory, unlessAborted } from '../waiting.ts'

type TranscribeRequest = Parameters<LoadedModel['transcribe']>[1]

export interface LoadedModelsInput
  extends Pick<
    Settings,
    'catalogue' | 'modelsDir' | 'threads' | 'concurrency' | 'instances' | 'idleUnloadSeconds' | 'maxQueue'
  > {
  readonly memory: Pick<Memory, 'recordings'>
  readonly log: (event: ServiceEvent) => void
}

/** Maximum length of a clip, which bounds memory: half an hour of samples is 115 MB. */
const maxWholeSeconds = 1_800

/** Runs work outside of the context of any request. */
const outside = AsyncLocalStorage.snapshot()

export type LoadedModels = ReturnType<typeof createLoadedModels>

/** The models in memory, each loaded on first use. */
export function createLoadedModels(input: LoadedModelsInput) {
  const slots = new Map<string, ReturnType<typeof makeSlot>>()
  const underWay = new Set<Promise<unknown>>()
  const unloading = new AbortController()
  /** Why models that were to be loaded at start are not in memory; one that is loaded later is removed. */
  const problems = new Map<string, string>()

  function makeSlot(model: CatalogueModel) {
    return {
      model,
      semaphore: createSemaphore(countPlaces(input, model), input.maxQueue),
      copies: createModelCopies(() => loadOne(model), input),
    }
  }

  async function loadOne(model: CatalogueModel): Loading {
    const outcome = await load(input, model, unloading.signal)
    if (outcome.ok) problems.delete(model.id)
    return outcome
  }

  function slotOf(model: CatalogueModel) {
    // Two providers may have models of the same name.
    const name = `${model.family}/${model.id}`
    const slot = slots.get(name) ?? makeSlot(model)
    slots.set(name, slot)
    return slot
  }

  /** Maximum clip length of a model in seconds; longer recordings are cut into pieces. */
  function maxClipSeconds(model: CatalogueModel): number {
    const longest = findEngine(input.catalogue, model)?.describe().maxClipSeconds ?? null
    return Math.min(longest ?? maxWholeSeconds, maxWholeSeconds)
  }

  async function inTurn(
    model: CatalogueModel,
    clip: Clip,
    request: TranscribeRequest,
    isExpected: boolean,
  ): Promise<Outcome<Recognised, EngineFailure | 'abandoned'>> {
    const { semaphore, copies } = slotOf(model)
    const turn = await semaphore.acquire(request.signal, isExpected)
    if (!turn.ok) return failed(turn.failure === 'full' ? busy(model) : turn.failure)
    const work = recogniseInTurn(copies, clip, request).finally(() => {
      underWay.delete(work)
      turn.value()
    })
    underWay.add(work)
    const outcome = await unlessAborted(work, request.signal)
    return outcome === 'abandoned' ? failed(outcome) : outcome
  }

  return {
    /** An aborted call ends at once, but its slot is free only when the engine's work has ended. */
    async transcribe(
      model: CatalogueModel,
      clip: Clip | LongClip,
      request: TranscribeRequest,
    ): Promise<Outcome<Recognised, EngineFailure | 'abandoned'>> {
      if ('samples' in clip) return inTurn(model, clip, request, false)
      using _waiting = clip.waiting
      const maxPieceSeconds = maxClipSeconds(model)
      const voiceActivityModel = await findVoiceActivity(input.catalogue, input.modelsDir)
      if (voiceActivityModel === null) return failed(cannotCut(input.catalogue, maxPieceSeconds))
      const { bytes, fileName } = clip
      using reservation = input.memory.recordings.reserve(request.signal)
      const isThere = await reservation?.take(bytes.length + cuttingBytes + piecesBytes(maxPieceSeconds))
      if (reservation === null || isThere !== true)
        return failed(reservation === null ? busy(model) : 'abandoned')
      clip.waiting[Symbol.dispose]()
      await using pieces = readPieces(bytes, { voiceActivityModel, maxPieceSeconds })
      return await transcribePieces({ pieces, fileName }, request, (piece, isFirst) =>
        inTurn(model, piece, request, !isFirst),
      )
    },

    maxClipSeconds,
    /** The load of each model that was used. */
    occupancy: (): readonly ModelOccupancy[] =>
      Array.from(slots.values(), ({ model, semaphore, copies }) => {
        const { busyCount, waitingCount } = semaphore.count()
        const slotCount = countPlaces(input, model)
        const { family: engine, id } = model
        return { engine, model: id, busyCount, slotCount, waitingCount, isLoaded: copies.isLoaded() }
      }),
    /** Loads models before their first requests. A failure is only logged, because a model may be installed later. */
    async warmUp(ids: readonly string[]) {
      for (const id of ids) {
        const model = input.catalogue.models.find((known) => known.id === id)
        const outcome = await (model === undefined ? null : slotOf(model).copies.load())
        if (outcome?.ok === true) continue
        const reason = outcome?.failure.message ?? 'There is no such model.'
        problems.set(id, reason)
        input.log({ kind: 'warmUpFailed', model: id, reason })
      }
    },
    problems: (): readonly HealthProblem[] => Array.from(problems, ([model, reason]) => ({ model, reason })),

    /** Frees all models at once, after abandoned work has ended. */
    async unloadAll() {
      unloading.abort()
      await Promise.all(Array.from(slots.values(), ({ copies }) => copies.unload()))
      await Promise.all(underWay)
      slots.clear()
    },
  }
}

/**
 * Finds the voice activity model.
 *
 * @returns path of its file; null where it is missing or damaged, because a damaged file can end the process
 *   inside native code
 */
async function findVoiceActivity({ voiceActivity }: Catalogue, modelsDir: string): Promise<string | null> {
  const [file] = voiceActivity?.weights?.files ?? []
  if (voiceActivity === undefined || file === undefined) return null
  if (!(await isIntact(modelsDir, voiceActivity))) return null
  return join(modelFolder(modelsDir, voiceActivity), file.name)
}

function cannotCut({ voiceActivity }: Catalogue, maxClipSeconds: number): EngineFailure {
  return {
    code: 'MODEL_NOT_INSTALLED',
    message: `A recording over ${maxClipSeconds} s is cut at its silences for this engine, and what finds them is not installed.`,
    ...(voiceActivity === undefined ? {} : { hint: `transcribench models install ${voiceActivity.id}` }),
  }
}

/** Memory in bytes for three pieces: one being transcribed, one ready, and one being cut. */
function piecesBytes(maxPieceSeconds: number): number {
  return 3 * maxPieceSeconds * engineSampleRateHz * Float32Array.BYTES_PER_ELEMENT
}

async function recogniseInTurn(
  copies: ModelCopies,
  clip: Clip,
  request: TranscribeRequest,
): Promise<Outcome<Recognised, EngineFailure | 'abandoned'>> {
  const arrivedAtMs = performance.now()
  return copies.use(async (loaded, wasLoaded) => {
    if (!loaded.ok) return loaded
    if (request.signal.aborted) return failed('abandoned')
    const startedAtMs = performance.now()
    const outcome = await guarded(() => loaded.value.transcribe(clip, request))
    if (!outcome.ok) return outcome
    const { loadMs, waitMs } = outcome.value.delays ?? { loadMs: 0, waitMs: 0 }
    return succeeded({
      spoken: outcome.value,
      durationSeconds: clip.samples.length / engineSampleRateHz,
      loadMs: (wasLoaded ? 0 : startedAtMs - arrivedAtMs) + loadMs,
      decodeMs: performance.now() - startedAtMs - loadMs - waitMs,
    })
  })
}

async function load(
  input: LoadedModelsInput,
  model: CatalogueModel,
  signal: AbortSignal,
): Promise<Outcome<LoadedModel, EngineFailure>> {
  const startedAtMs = performance.now()
  const engine = findEngine(input.catalogue, model)
  if (engine === undefined) {
    return failed({ code: 'ENGINE_UNAVAILABLE', message: `No engine here runs ${model.id}.` })
  }
  const folder = modelFolder(input.modelsDir, model)
  const outcome = await guarded(async () => {
    // Each file is checked first, because a damaged one can end the process inside native code.
    if (!(await isIntact(input.modelsDir, model))) return failed(notInstalled(model))
    return engine.load({ id: model.id, folder, threads: input.threads, atOnce: input.concurrency, signal })
  })
  if (outcome.ok) {
    input.log({ kind: 'modelLoaded', model: model.id, durationMs: performance.now() - startedAtMs })
    void outcome.value.lost?.then((reason) => {
      // The event is logged outside of any request, because the one that loaded the model may be long over.
      if (reason !== null) outside(() => input.log({ kind: 'modelLost', model: model.id, reason }))
    })
  }
  return outcome
}

function countPlaces(input: LoadedModelsInput, model: CatalogueModel): number {
  const { maxConcurrency } = findEngine(input.catalogue, model)?.describe() ?? { maxConcurrency: null }
  const places = input.concurrency * input.instances
  return Math.min(places, maxConcurrency ?? places)
}

function findEngine(catalogue: Catalogue, model: CatalogueModel): Engine | undefined {
  return catalogue.engines.find((engine) => engine.describe().family === model.family)
}

async function isIntact(modelsDir: string, model: InstallableModel): Promise<boolean> {
  if (!(await isInstalled(modelsDir, model))) return false
  const files = model.weights?.files ?? []
  return (await damagedFiles(modelFolder(modelsDir, model), files)).length === 0
}

/** Turns anything that an engine throws into a failed transcription. */
async function guarded<Value>(
  task: () => Promise<Outcome<Value, EngineFailure>>,
): Promise<Outcome<Value, EngineFailure>> {
  try {
    return await task()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return failed({ code: 'TRANSCRIPTION_FAILED', message: `The engine failed: ${reason}` })
  }
}

function busy(model: CatalogueModel): EngineFailure {
  return {
    code: 'RATE_LIMITED',
    message: `Too many requests wait for ${model.id}.`,
    hint: 'Send fewer at once, or start the service with a longer queue.',
  }
}

type Loading = Promise<Outcome<LoadedModel, EngineFailure>>

type ModelCopies = ReturnType<typeof createModelCopies>

interface Copy {
  /** Null before first use, after a failure, which may be repaired meanwhile, and after the end of its process. */
  loading: Loading | null
  isLoaded: boolean
  workCount: number
}

/**
 * The copies of one model in memory, which share its work.
 *
 * @param load loads one copy
 */
function createModelCopies(
  load: () => Loading,
  { instances: length, idleUnloadSeconds }: Pick<LoadedModelsInput, 'instances' | 'idleUnloadSeconds'>,
) {
  const copies = Array.from({ length }, (): Copy => ({ loading: null, isLoaded: false, workCount: 0 }))
  let idleTimer: NodeJS.Timeout | undefined

  async function loaded(copy: Copy): Loading {
    copy.loading ??= start(copy)
    const { loading } = copy
    const outcome = await loading
    // The copy's process may have ended meanwhile.
    if (outcome.ok) copy.isLoaded = copy.loading === loading
    else forget(copy, loading)
    return outcome
  }

  function start(copy: Copy): Loading {
    const loading = load()
    // One listener per copy; a listener per clip would accumulate.
    void loading.then((outcome) => {
      if (outcome.ok) void outcome.value.lost?.then(() => forget(copy, loading))
    })
    return loading
  }

  function forget(copy: Copy, loading: Loading): void {
    if (copy.loading !== loading) return
    copy.loading = null
    copy.isLoaded = false
  }

  /** Waits for copies that are loading, then frees all copies. Work in progress is abandoned. */
  async function unload(): Promise<void> {
    clearTimeout(idleTimer)
    await Promise.all(
      copies.map(async (copy) => {
        const { loading } = copy
        copy.loading = null
        copy.isLoaded = false
        const outcome = await loading
        if (outcome?.ok) await outcome.value.unload()
      }),
    )
  }

  function rest(): void {
    if (idleUnloadSeconds === null || copies.some(({ workCount }) => workCount > 0)) return
    clearTimeout(idleTimer)
    idleTimer = setTimeout(() => void unload(), idleUnloadSeconds * 1000).unref()
  }

  return {
    /** Runs work on the least busy copy, which is loaded first if necessary. */
    async use<Result>(
      work: (copy: Awaited<Loading>, wasLoaded: boolean) => Promise<Result>,
    ): Promise<Result> {
      clearTimeout(idleTimer)
      const copy = copies.reduce((least, other) => (other.workCount < least.workCount ? other : least))
      copy.workCount += 1
      try {
        const wasLoaded = copy.isLoaded
        return await work(await loaded(copy), wasLoaded)
      } finally {
        copy.workCount -= 1
        rest()
      }
    },
    /** Loads all copies before their first requests. */
    async load(): Promise<Outcome<void, EngineFailure>> {
      const outcomes = await Promise.all(copies.map(loaded))
      rest()
      return outcomes.find((outcome) => !outcome.ok) ?? succeeded(undefined)
    },
    isLoaded: () => copies.some((copy) => copy.isLoaded),
    unload,
  }
}
