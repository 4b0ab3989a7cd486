import { readdir } from 'node:fs/promises'
import { ownProgram } from '#installation/installation'
import { failed, type Outcome, succeeded } from '#prelude'
import { startWorkerProcess, type WorkerProcess } from '../worker-process.ts'
import type { Engine, EngineFailure, LoadedModel, Spoken } from './engine.ts'
import type { RecogniserModel } from './recogniser.ts'
import type { RecogniserAnswer, RecogniserQuestion } from './recogniser-program.ts'
import type { SherpaFamily } from './sherpa-families.ts'
import { findFiles } from './sherpa-files.ts'

/** A family through sherpa-onnx. Each loaded model is a process: native code may end the one that it is in. */
export function sherpaEngine(family: SherpaFamily): Engine {
  return {
    describe: () => ({
      family: family.family,
      timestamps: family.hasWordTimes ? ['word'] : [],
      maxConcurrency: null,
      maxClipSeconds: family.maxClipSeconds,
    }),

    async load({ folder, threads, atOnce, signal }) {
      const names = await readdir(folder).catch(() => [])
      const files = findFiles(names, family.roles)
      if (!files.ok) {
        const missing = files.failure.map(({ role }) => role).join(', ')
        return failed({ code: 'ENGINE_UNAVAILABLE', message: `The model has no clear file for: ${missing}.` })
      }
      return startRecogniser({ family: family.family, folder, files: files.value, threads }, atOnce, signal)
    },
  }
}

const program = ownProgram(import.meta.url, 'recogniser-program')

/** A clip that was given up may occupy its recogniser for so long; then the process is ended. */
const maxAbandonedMs = 120_000

/** As many as Node's own pool has threads. */
const usualAtOnce = 4

type Answered<Value> = Outcome<Value, EngineFailure>

/**
 * Loads a model in a separate process.
 *
 * @param signal ends the loading
 */
async function startRecogniser(
  model: RecogniserModel,
  atOnce: number = usualAtOnce,
  signal?: AbortSignal,
): Promise<Answered<LoadedModel>> {
  const waiting = new Map<number, (outcome: Answered<Spoken>) => void>()
  const loading = Promise.withResolvers<Answered<null>>()
  const worker = startWorkerProcess<RecogniserQuestion, RecogniserAnswer>(
    program,
    ({ head }) => {
      if (head.kind === 'load') loading.resolve(head.outcome)
      else waiting.get(head.id)?.(head.outcome)
    },
    // Decodes run in the thread pool of Node.
    { UV_THREADPOOL_SIZE: String(atOnce) },
  )
  const giveUp = (): void => void worker.kill()
  signal?.addEventListener('abort', giveUp, { once: true })
  if (signal?.aborted === true) giveUp()
  void worker.ended.then((reason) => {
    loading.resolve(failed(endedWith(reason, ' while it loaded the model')))
  })
  void worker.send({ kind: 'load', model })
  const outcome = await loading.promise
  signal?.removeEventListener('abort', giveUp)
  if (outcome.ok) return succeeded(loadedModel(worker, waiting))
  await worker.kill()
  return outcome
}

function loadedModel(
  worker: WorkerProcess<RecogniserQuestion>,
  waiting: Map<number, (outcome: Answered<Spoken>) => void>,
): LoadedModel {
  let count = 0
  let isUnloaded = false
  let end: EngineFailure | null = null
  const lost = worker.ended.then((reason) => {
    end = endedWith(reason)
    for (const answer of waiting.values()) answer(failed(end))
    return isUnloaded ? null : reason
  })
  return {
    lost,

    async transcribe({ samples }, { language, signal }) {
      if (end !== null) return failed(end)
      const id = count
      count += 1
      let timer: NodeJS.Timeout | undefined
      const onAbort = (): void => {
        timer = setTimeout(() => void worker.kill(), maxAbandonedMs)
      }
      signal.addEventListener('abort', onAbort, { once: true })
      try {
        return await new Promise<Answered<Spoken>>((resolve) => {
          waiting.set(id, resolve)
          void worker.send(
            { kind: 'transcribe', id, language },
            new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength),
          )
        })
      } finally {
        waiting.delete(id)
        clearTimeout(timer)
        signal.removeEventListener('abort', onAbort)
      }
    },

    async unload() {
      isUnloaded = true
      await worker.kill()
    },
  }
}

function endedWith(reason: string, during = ''): EngineFailure {
  return {
    code: 'TRANSCRIPTION_FAILED',
    message: `The engine's process ended${during}: ${reason}.`,
    hint: 'Send it again: the next request loads the model again.',
  }
}
