import { addAbortListener } from 'node:events'
import { readdir } from 'node:fs/promises'
import { ownProgram } from '#installation/installation'
import { failed, type Outcome, succeeded } from '#prelude'
import { startWorkerProcess, type WorkerProcess } from '../worker-process.ts'
import type { Engine, EngineFailure, LoadedModel, Spoken } from './engine.ts'
import type { RecogniserAnswer, RecogniserModel, RecogniserQuestion } from './recogniser.ts'
import { findFiles, type SherpaFamily } from './sherpa-families.ts'

/** Runs a family through sherpa-onnx. Each loaded model has a separate process, because native code may crash. */
export function sherpaEngine(family: SherpaFamily): Engine {
  return {
    describe: () => ({
      family: family.family,
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

const program = ownProgram(import.meta.url, 'recogniser')

/** Time in milliseconds after which the process of an abandoned clip is killed. */
const maxAbandonedMs = 120_000

/** Default size of Node's thread pool. */
const usualAtOnce = 4

type Answered<Value> = Outcome<Value, EngineFailure>

/**
 * Loads a model in a separate process.
 *
 * @param signal aborts the loading
 */
async function startRecogniser(
  model: RecogniserModel,
  atOnce: number = usualAtOnce,
  signal?: AbortSignal,
): Promise<Answered<LoadedModel>> {
  // Decodes run in Node's thread pool, which therefore needs a thread for each.
  const environment = { UV_THREADPOOL_SIZE: String(atOnce) }
  const worker = startWorkerProcess<RecogniserQuestion, RecogniserAnswer>(program, environment)
  using _giveUp = signal && addAbortListener(signal, () => void worker.kill())
  const answer = await worker.ask({ kind: 'load', model })
  if ('lost' in answer) return failed(endedWith(answer.lost, ' while it loaded the model'))
  if (answer.head.ok) return succeeded(loadedModel(worker))
  await worker.kill()
  return answer.head
}

function loadedModel(worker: WorkerProcess<RecogniserQuestion, RecogniserAnswer>): LoadedModel {
  let isUnloaded = false
  return {
    lost: worker.ended.then((reason) => (isUnloaded ? null : reason)),

    async transcribe({ samples }, { language, signal }) {
      const bytes = new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength)
      const limit = { signal, killAfterMs: maxAbandonedMs }
      const answer = await worker.ask({ kind: 'transcribe', language }, bytes, limit)
      return 'lost' in answer ? failed(endedWith(answer.lost)) : (answer.head as Answered<Spoken>)
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
