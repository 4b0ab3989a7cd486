/** A process that holds one sherpa-onnx model, and decodes clips with it. */
import { join } from 'node:path'
import type { OfflineModelConfig, OfflineRecognizer } from 'sherpa-onnx-node'
import { failed, formatAbove, type Outcome, succeeded } from '#prelude'
import { collectEvery, garbageCollector, serveParent } from '../worker-process.ts'
import { type EngineDelays, type EngineFailure, engineSampleRateHz, type Spoken } from './engine.ts'
import { languageTag, wordTimes } from './recognised-words.ts'
import {
  codeOfTag,
  type RoleFiles,
  readOnnxMetadata,
  type SherpaFamily,
  sherpaFamilies,
  tagOfCode,
} from './sherpa-families.ts'

/** A question to the process; a clip's samples are the frame's body, as 32-bit floats. */
export type RecogniserQuestion =
  | { readonly kind: 'load'; readonly model: RecogniserModel }
  | { readonly kind: 'transcribe'; readonly language: string | null }

/** The answer; null for a successful load. */
export type RecogniserAnswer = Outcome<Spoken | null, EngineFailure>

/** A sherpa-onnx model on disk, and how to run it. */
export interface RecogniserModel {
  readonly family: string
  readonly folder: string
  /** File names by the roles of the family. */
  readonly files: RoleFiles
  readonly threads: number
}

/** @param language BCP 47 tag; null lets the model detect it */
type Transcribe = (samples: Float32Array, language: string | null) => Promise<Outcome<Spoken, EngineFailure>>

/**
 * Minimum input of the encoders' convolutions. sherpa-onnx also returns an empty text for a shorter clip, but
 * after an exception and ten lines on stderr.
 */
const shortestClipSeconds = 0.1

/** The loaded model. A damaged file or a bug in native code can end this process. */
let transcribe: Transcribe | null = null

/** Loads the model. Loading and decoding run in Node's thread pool, off the event loop. */
async function load({
  family: name,
  folder,
  files,
  threads,
}: RecogniserModel): Promise<Outcome<null, EngineFailure>> {
  const family = sherpaFamilies.find((known) => known.family === name)
  if (family === undefined)
    return failed({ code: 'ENGINE_UNAVAILABLE', message: `There is no family ${name}.` })
  const at = (role: string): string => join(folder, files[role] ?? '')
  const metadata = await readOnnxMetadata(at(family.describedBy))
  const configFor = (language: string): { readonly modelConfig: OfflineModelConfig } => ({
    modelConfig: {
      ...family.config({ at, language, metadata }),
      tokens: at('tokens'),
      numThreads: threads,
      provider: 'cpu',
      debug: 0,
    },
  })
  try {
    // The library is imported here, so that platforms without it can still list and explain models.
    const { default: sherpa } = await import('sherpa-onnx-node')
    const create = (language: string): Promise<OfflineRecognizer> =>
      sherpa.OfflineRecognizer.createAsync(configFor(language))
    const first = await create('')
    const use = family.forcing === 'apart' ? useApart(first, create) : useInTurns(first, configFor)
    const codes = family.languageCodes(files, metadata)
    transcribe = transcriber(use, family, codes, family.frameSeconds(metadata))
    return succeeded(null)
  } catch (error) {
    return failed({
      code: 'ENGINE_UNAVAILABLE',
      message: `The engine could not be started: ${error instanceof Error ? error.message : String(error)}`,
      hint: 'sherpa-onnx-node ships for Linux, macOS and Windows on x64 and arm64 as optional packages.',
    })
  }
}

function transcriber(
  use: UseRecognizer,
  { displayName, maxClipSeconds, forcing }: SherpaFamily,
  codes: readonly string[],
  frameSeconds: number | null,
): Transcribe {
  // sherpa-onnx frees a stream only when the garbage collector finds it unreachable. The collector does not
  // count its native memory, and so rarely runs: two hours of speech added 190 MB, or 40 MB with a collection
  // after every four streams. Collecting the young generation is enough, because such a stream is still in
  // it.
  const collectStreams = collectEvery(maxWaitingBytes)
  // A model of a single language needs no language code.
  const only = codes.length === 1 ? tagOfCode(codes[0] ?? '') : null
  return async (samples, language) => {
    const durationSeconds = samples.length / engineSampleRateHz
    if (durationSeconds < shortestClipSeconds) return succeeded({ text: '', language: only })
    if (durationSeconds > maxClipSeconds) {
      const message = `${displayName} takes up to ${maxClipSeconds} s at once, not ${formatAbove(durationSeconds, maxClipSeconds)} s.`
      return failed({ code: 'TRANSCRIPTION_FAILED', message })
    }
    // sherpa-onnx ends the process for a code that the model does not have.
    const code = forcing === null || only !== null ? '' : codeOfTag(language, codes)
    return use(code, async (recognizer, delays) => {
      const stream = recognizer.createStream()
      stream.acceptWaveform({ samples, sampleRate: engineSampleRateHz })
      const answer = await recognizer.decodeAsync(stream)
      collectStreams(samples.byteLength)
      const { text, lang = '' } = answer
      // A multilingual model reports a language even for silence. Without text and language the decoding
      // has failed, and the reason is only on stderr.
      if (text === '' && lang === '' && codes.length > 1) {
        const message = `${displayName} could not decode the recording: its files are no export that sherpa-onnx reads.`
        return failed({ code: 'TRANSCRIPTION_FAILED', message })
      }
      const words = frameSeconds === null ? undefined : wordTimes(answer, frameSeconds, durationSeconds)
      return succeeded({ text, language: only ?? languageTag(lang), words, delays })
    })
  }
}

/** Runs work with a recogniser that is set to a language; an empty code means detection. */
type UseRecognizer = <Result>(
  code: string,
  work: (recognizer: OfflineRecognizer, delays: EngineDelays | undefined) => Promise<Result>,
) => Promise<Result>

/**
 * Uses one recogniser for all languages. Clips of one language are decoded concurrently. Others, and all that
 * follow, wait until no decode is running, because a decode reads the language midway.
 */
function useInTurns(
  recognizer: OfflineRecognizer,
  configFor: (code: string) => { readonly modelConfig: OfflineModelConfig },
): UseRecognizer {
  const waiting: { readonly code: string; readonly begin: () => void }[] = []
  let [current, count] = ['', 0]

  function admit(): void {
    for (;;) {
      const [next] = waiting
      if (next === undefined || (count > 0 && next.code !== current)) return
      waiting.shift()
      if (next.code !== current) recognizer.setConfig(configFor(next.code))
      current = next.code
      count += 1
      next.begin()
    }
  }

  return async (code, work) => {
    const arrivedAtMs = performance.now()
    let isDelayed = false
    await new Promise<void>((begin) => {
      waiting.push({ code, begin })
      admit()
      isDelayed = waiting.length > 0
    })
    const delays = isDelayed ? { loadMs: 0, waitMs: performance.now() - arrivedAtMs } : undefined
    try {
      return await work(recognizer, delays)
    } finally {
      count -= 1
      admit()
    }
  }
}

/** Maximum number of idle recognisers of one model, because each language loads the model again. */
const maxApart = 3

/** Uses one recogniser per language, loaded for its first clip. The least recently used one is freed. */
function useApart(
  first: OfflineRecognizer,
  create: (code: string) => Promise<OfflineRecognizer>,
): UseRecognizer {
  const recognizers = new Map([['', { loading: Promise.resolve(first), isLoaded: true, userCount: 0 }]])
  const collect = garbageCollector('major')

  function freeUnused(): void {
    for (const [code, { userCount }] of recognizers) {
      if (recognizers.size <= maxApart) return
      if (userCount > 0) continue
      recognizers.delete(code)
      // The collector frees the native memory with the object.
      setImmediate(collect)
    }
  }

  return async (code, work) => {
    const arrivedAtMs = performance.now()
    const entry = recognizers.get(code) ?? { loading: create(code), isLoaded: false, userCount: 0 }
    // Re-inserting keeps the map in order of last use.
    recognizers.delete(code)
    recognizers.set(code, entry)
    entry.userCount += 1
    const wasLoaded = entry.isLoaded
    try {
      const recognizer = await entry.loading
      entry.isLoaded = true
      return await work(
        recognizer,
        wasLoaded ? undefined : { loadMs: performance.now() - arrivedAtMs, waitMs: 0 },
      )
    } finally {
      entry.userCount -= 1
      if (!entry.isLoaded) recognizers.delete(code)
      freeUnused()
    }
  }
}

/** Maximum size of uncollected samples: four recordings of 30 s. */
const maxWaitingBytes = 8 * 2 ** 20

async function transcribeClip(
  { buffer }: Uint8Array<ArrayBuffer>,
  language: string | null,
): Promise<Outcome<Spoken, EngineFailure>> {
  if (transcribe === null) return failed({ code: 'ENGINE_UNAVAILABLE', message: 'The model is not loaded.' })
  try {
    return await transcribe(new Float32Array(buffer), language)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return failed({ code: 'TRANSCRIPTION_FAILED', message: `The engine failed: ${reason}` })
  }
}

serveParent<RecogniserQuestion, RecogniserAnswer>(async ({ head, body }, reply) =>
  reply(head.kind === 'load' ? await load(head.model) : await transcribeClip(body, head.language)),
)
