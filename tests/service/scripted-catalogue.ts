import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TimedSegment, TimedWord } from '#contract/transcription'
import { failed, type Outcome, succeeded } from '#prelude'
import {
  type Catalogue,
  type CatalogueModel,
  type Clip,
  type Engine,
  type EngineFailure,
  engineSampleRateHz,
  type LoadedModel,
  type Spoken,
} from '#service/engines/engine'

/** The result of one call; an empty object means an immediate, empty text. */
export interface ScriptedAnswer {
  /** Default: empty, as for silence. */
  readonly text?: string | undefined
  /** Minimum duration of the decoding. Default: 0. */
  readonly delayMs?: number | undefined
  /** Failure code to return after the delay, instead of a text. */
  readonly failure?: EngineFailure['code'] | undefined
  /** Never answers; the call ends only by a time-out, a disconnect, or the end of the service. */
  readonly hang?: boolean | undefined
  /** Default: the requested language. */
  readonly language?: string | undefined
  /** Times in seconds, returned if the request asks for them. */
  readonly segments?: readonly TimedSegment[] | undefined
  readonly words?: readonly TimedWord[] | undefined
}

/** A call to a scripted model. */
export interface ScriptedCall {
  readonly model: string
  /** Number of earlier calls to this model, by all clients. */
  readonly index: number
  /** Last part of the path in `file`; null where the audio came in the request. */
  readonly fileName: string | null
  readonly durationSeconds: number
  readonly language: string | null
}

/**
 * One scripted model. The answer is taken from the first of `bySound`, `byFile`, `inOrder`, `otherwise` that
 * has one; else it is an empty text.
 */
export interface ScriptedModel {
  /** Answers by `soundKey` of the decoded audio. */
  readonly bySound?: Readonly<Record<string, ScriptedAnswer>> | undefined
  /** Answers by the last part of the path in `file`. */
  readonly byFile?: Readonly<Record<string, ScriptedAnswer>> | undefined
  /** Answers by the call's index; after the last one, `otherwise` answers. */
  readonly inOrder?: readonly ScriptedAnswer[] | undefined
  readonly otherwise?: ScriptedAnswer | ((call: ScriptedCall) => ScriptedAnswer) | undefined
  /** Load time that the first call waits for. Default: 0. */
  readonly loadMs?: number | undefined
  /** BCP 47 tags of supported languages. Default: any. */
  readonly languages?: readonly string[] | undefined
  /** False: the model is listed, but answers MODEL_NOT_INSTALLED. Default: true. */
  readonly installed?: boolean | undefined
}

/** Events of the calls to a scripted catalogue, for which a test can wait instead of sleeping. */
export type ScriptedEvent =
  | { readonly kind: 'started' | 'answered' | 'failed' | 'abandoned'; readonly call: ScriptedCall }
  | { readonly kind: 'loaded' | 'unloaded'; readonly model: string }

/**
 * A catalogue for tests, with models that follow a script. Everything else is the real service: sockets,
 * audio decoding, queue, time-outs. Clients name the engine `scripted`, `engine_d` or `local`.
 *
 *   startService({
 *     dataDir,
 *     concurrency: 1,
 *     catalogue: scriptedCatalogue({
 *       good: { byFile: { 'a.wav': { text: 'hello world', delayMs: 40 } } },
 *       flaky: { inOrder: [{ failure: 'TRANSCRIPTION_FAILED' }], otherwise: { text: 'hello word' } },
 *       stuck: { otherwise: { hang: true } },
 *     }),
 *   })
 *
 * @param models by id; the first one is the service's default model
 * @param observe called when a call begins and ends, in order
 */
export function scriptedCatalogue(
  models: Readonly<Record<string, ScriptedModel>>,
  observe: (event: ScriptedEvent) => void = () => undefined,
): Catalogue {
  return {
    models: Object.entries(models).map(([id, script]) => catalogued(id, script)),
    engines: [scriptedEngine(models, observe)],
  }
}

function scriptedEngine(
  models: Readonly<Record<string, ScriptedModel>>,
  observe: (event: ScriptedEvent) => void,
): Engine {
  return {
    describe: () => ({
      family: 'scripted',
      maxConcurrency: null,
      maxClipSeconds: null,
    }),
    async load({ id }) {
      const script = models[id]
      if (script === undefined) return failed({ code: 'ENGINE_UNAVAILABLE', message: `No script for ${id}.` })
      await passTime(script.loadMs ?? 0)
      observe({ kind: 'loaded', model: id })
      return succeeded(scriptedModel(id, script, observe))
    },
  }
}

function scriptedModel(
  id: string,
  script: ScriptedModel,
  observe: (event: ScriptedEvent) => void,
): LoadedModel {
  let callCount = 0
  return {
    async transcribe(clip, { language, signal }) {
      const call: ScriptedCall = {
        model: id,
        index: callCount,
        fileName: clip.fileName,
        durationSeconds: clip.samples.length / engineSampleRateHz,
        language,
      }
      callCount += 1
      observe({ kind: 'started', call })
      const outcome = await perform(answerFor(script, call, clip), call, signal)
      observe({ kind: classifyOutcome(outcome, signal), call })
      return outcome
    },
    async unload() {
      observe({ kind: 'unloaded', model: id })
    },
  }
}

/** Equal for recordings with the same samples, in any file. */
export function soundKey(samples: Float32Array): string {
  return createHash('sha256').update(samples).digest('hex')
}

function answerFor(script: ScriptedModel, call: ScriptedCall, clip: Clip): ScriptedAnswer {
  const { otherwise } = script
  return (
    script.bySound?.[soundKey(clip.samples)] ??
    script.byFile?.[clip.fileName ?? ''] ??
    script.inOrder?.[call.index] ??
    (typeof otherwise === 'function' ? otherwise(call) : otherwise) ??
    {}
  )
}

async function perform(
  answer: ScriptedAnswer,
  call: ScriptedCall,
  signal: AbortSignal,
): Promise<Outcome<Spoken, EngineFailure>> {
  if (answer.hang === true) await untilAborted(signal)
  else await passTime(answer.delayMs ?? 0, signal)
  if (signal.aborted) return failed({ code: 'TRANSCRIPTION_FAILED', message: 'Abandoned.' })
  if (answer.failure !== undefined) {
    return failed({ code: answer.failure, message: `The script fails call ${call.index} of ${call.model}.` })
  }
  return succeeded({
    text: answer.text ?? '',
    language: answer.language ?? call.language,
    segments: answer.segments,
    words: answer.words,
  })
}

function classifyOutcome(
  outcome: Outcome<Spoken, EngineFailure>,
  signal: AbortSignal,
): 'answered' | 'failed' | 'abandoned' {
  if (outcome.ok) return 'answered'
  return signal.aborted ? 'abandoned' : 'failed'
}

/** Waits at least this long, because a timer may fire up to 1 ms early. Returns early only when aborted. */
async function passTime(durationMs: number, signal?: AbortSignal): Promise<void> {
  const dueAtMs = performance.now() + durationMs
  let remainingMs = durationMs
  while (remainingMs > 0 && signal?.aborted !== true) {
    // An aborted wait ends early; the caller checks the signal.
    await sleep(Math.ceil(remainingMs), undefined, { signal }).catch(() => undefined)
    remainingMs = dueAtMs - performance.now()
  }
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

function catalogued(id: string, { installed = true, languages = [] }: ScriptedModel): CatalogueModel {
  return {
    id,
    family: 'scripted',
    localKey: 'engine_d',
    kind: 'voice',
    displayName: `Scripted ${id}`,
    languages,
    licence: 'MIT',
    sizeBytes: 0,
    weights: installed ? null : absentWeights,
  }
}

const absentWeights: NonNullable<CatalogueModel['weights']> = {
  package: { name: 'scripted-weights', version: '0.0.0', integrity: 'sha512-', sizeBytes: 0 },
  files: [{ name: 'weights.bin', sizeBytes: 1, sha256: '', origin: { kind: 'packed', path: 'weights.bin' } }],
}
