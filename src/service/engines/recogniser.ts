import { join } from 'node:path'
import type { OfflineRecognizer } from 'sherpa-onnx-node'
import { failed, type Outcome, succeeded } from '#prelude'
import { type EngineFailure, engineSampleRateHz, type Spoken } from './engine.ts'
import type { SherpaFamily } from './sherpa-families.ts'
import type { RoleFiles } from './sherpa-files.ts'
import { createStreamMemory } from './stream-memory.ts'

/** A model of sherpa-onnx on this disk, and how it is run. */
export interface RecogniserModel {
  readonly family: string
  readonly folder: string
  /** Names of the files by the family's roles. */
  readonly files: RoleFiles
  readonly threads: number
}

/** A model of sherpa-onnx in this process, which native code may end over a damaged file or a bug. */
export interface Recogniser {
  transcribe(samples: Float32Array): Promise<Outcome<Spoken, EngineFailure>>
}

/**
 * What the encoders' convolutions need at least. sherpa-onnx answers a shorter clip with an empty text as
 * well, after an exception and ten lines on stderr.
 */
const shortestClipSeconds = 0.1

/** Loads a model. Loading and decoding run in Node's thread pool, off the event loop. */
export async function loadRecogniser(
  family: SherpaFamily,
  { folder, files, threads }: Omit<RecogniserModel, 'family'>,
): Promise<Outcome<Recogniser, EngineFailure>> {
  const at = (role: string): string => join(folder, files[role] ?? '')
  try {
    // Imported here, so that a platform without the native library can still list and explain models.
    const { default: sherpa } = await import('sherpa-onnx-node')
    const recognizer = await sherpa.OfflineRecognizer.createAsync({
      modelConfig: {
        ...family.config(at),
        tokens: at('tokens'),
        numThreads: threads,
        provider: 'cpu',
        debug: 0,
      },
    })
    return succeeded(loaded(recognizer, family, family.language(files)))
  } catch (error) {
    return failed({
      code: 'ENGINE_UNAVAILABLE',
      message: `The engine could not be started: ${error instanceof Error ? error.message : String(error)}`,
      hint: 'sherpa-onnx-node ships for Linux, macOS and Windows on x64 and arm64 as optional packages.',
    })
  }
}

function loaded(
  recognizer: OfflineRecognizer,
  { displayName, maxClipSeconds }: SherpaFamily,
  language: string | null,
): Recogniser {
  const streams = createStreamMemory()
  return {
    async transcribe(samples) {
      const durationSeconds = samples.length / engineSampleRateHz
      if (durationSeconds < shortestClipSeconds) return succeeded({ text: '', language })
      if (durationSeconds > maxClipSeconds) {
        const message = `${displayName} takes up to ${maxClipSeconds} s at once, not ${Math.round(durationSeconds)} s.`
        return failed({ code: 'TRANSCRIPTION_FAILED', message })
      }
      const stream = recognizer.createStream()
      stream.acceptWaveform({ samples, sampleRate: engineSampleRateHz })
      const { text, lang = '' } = await recognizer.decodeAsync(stream)
      streams.decoded(samples.length)
      return succeeded({ text, language: language ?? languageTag(lang) })
    },
  }
}

/** Whisper says `en`, SenseVoice `<|en|>`, the others nothing. */
export function languageTag(lang: string): string | null {
  return /^(?:<\|)?([a-z]{2,3})(?:\|>)?$/.exec(lang)?.[1] ?? null
}
