import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { OfflineRecognizer, SherpaModelConfig } from 'sherpa-onnx-node'
import { failed, type Outcome, succeeded } from '#prelude'
import { type Clip, type Engine, type EngineFailure, engineSampleRateHz, type LoadedModel } from './engine.ts'
import type { SherpaFamily } from './sherpa-families.ts'
import { findFiles } from './sherpa-files.ts'
import { createStreamMemory } from './stream-memory.ts'

/**
 * What the encoders' convolutions need at least. sherpa-onnx answers a shorter clip with an empty text as
 * well, after an exception of its own and ten lines on stderr.
 */
const shortestClipSeconds = 0.1

/** @see https://nodejs.org/api/cli.html#uv_threadpool_sizesize */
const nodeThreadCount = 4

/** A family through sherpa-onnx. Loading and decoding run in Node's thread pool, off the event loop. */
export function sherpaEngine(family: SherpaFamily): Engine {
  const { longestClipSeconds } = family
  return {
    describe: () => ({
      family: family.family,
      timestamps: [],
      mostAtOnce: spareThreads(),
      longestClipSeconds,
    }),

    async load({ folder, threads }): Promise<Outcome<LoadedModel, EngineFailure>> {
      // sherpa-onnx ends the process over some missing files, so they are looked for first.
      const names = await readdir(folder).catch(() => [])
      const files = findFiles(names, family.roles)
      if (!files.ok) {
        const missing = files.failure.map(({ role }) => role).join(', ')
        return failed({ code: 'ENGINE_UNAVAILABLE', message: `The model has no clear file for: ${missing}.` })
      }
      const at = (role: string): string => join(folder, files.value[role] ?? '')
      const config = { ...family.config(at), tokens: at('tokens') }
      const recognizer = await createRecognizer(config, threads)
      return recognizer.ok
        ? succeeded(loaded(recognizer.value, family, family.language(files.value)))
        : recognizer
    },
  }
}

/** Node's own threads decode and read files; one is kept for files, or every other request would wait. */
function spareThreads(): number {
  const threadCount = Number(process.env['UV_THREADPOOL_SIZE']) || nodeThreadCount
  return Math.max(1, threadCount - 1)
}

async function createRecognizer(
  config: SherpaModelConfig,
  threads: number,
): Promise<Outcome<OfflineRecognizer, EngineFailure>> {
  try {
    // Imported here, so that a platform without the native library can still list and explain models.
    const { default: sherpa } = await import('sherpa-onnx-node')
    return succeeded(
      await sherpa.OfflineRecognizer.createAsync({
        modelConfig: { ...config, numThreads: threads, provider: 'cpu', debug: 0 },
      }),
    )
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
  { displayName, longestClipSeconds }: SherpaFamily,
  language: string | null,
): LoadedModel {
  const streams = createStreamMemory()
  return {
    async transcribe(clip) {
      const durationSeconds = clip.samples.length / engineSampleRateHz
      if (durationSeconds < shortestClipSeconds) return succeeded({ text: '', language })
      if (durationSeconds > longestClipSeconds) {
        const message = `${displayName} takes up to ${longestClipSeconds} s at once, not ${Math.round(durationSeconds)} s.`
        return failed({ code: 'TRANSCRIPTION_FAILED', message })
      }
      const heard = await decode(recognizer, clip)
      streams.decoded(clip.samples.length)
      return succeeded({ text: heard.text, language: language ?? heard.language })
    },
    // The native recogniser is freed with the last reference to it.
    unload: async () => undefined,
  }
}

async function decode(
  recognizer: OfflineRecognizer,
  clip: Clip,
): Promise<{ readonly text: string; readonly language: string | null }> {
  const stream = recognizer.createStream()
  stream.acceptWaveform({ samples: clip.samples, sampleRate: engineSampleRateHz })
  const { text, lang = '' } = await recognizer.decodeAsync(stream)
  return { text, language: languageTag(lang) }
}

/** Whisper says `en`, SenseVoice `<|en|>`, the others nothing. */
export function languageTag(lang: string): string | null {
  return /^(?:<\|)?([a-z]{2,3})(?:\|>)?$/.exec(lang)?.[1] ?? null
}
