import { join } from 'node:path'
import type { OfflineRecognizer } from 'sherpa-onnx-node'
import { failed, type Outcome, succeeded } from '#prelude'
import { moonshineFiles } from '../models/moonshine-models.ts'
import { type Clip, type Engine, type EngineFailure, engineSampleRateHz, type LoadedModel } from './engine.ts'

/**
 * What the encoder's convolutions need at least. sherpa-onnx answers a shorter clip with an empty text as
 * well, after an exception of its own and ten lines on stderr.
 */
const shortestClipSeconds = 0.1

/**
 * Past half a minute Moonshine leaves words out. Its attention also grows with the square of the length: 60 s
 * took 0.6 GB, 120 s 1.5 GB.
 */
const longestClipSeconds = 30

/** @see https://nodejs.org/api/cli.html#uv_threadpool_sizesize */
const nodeThreadCount = 4

/** Moonshine through sherpa-onnx. Loading and decoding run in Node's thread pool, off the event loop. */
export const moonshineEngine: Engine = {
  describe: () => ({ family: 'moonshine', timestamps: [], mostAtOnce: spareThreads(), longestClipSeconds }),

  async load({ folder, threads }): Promise<Outcome<LoadedModel, EngineFailure>> {
    let recognizer: OfflineRecognizer
    try {
      // Imported here, so that a platform without the native library can still list and explain models.
      const { default: sherpa } = await import('sherpa-onnx-node')
      recognizer = await sherpa.OfflineRecognizer.createAsync({
        modelConfig: {
          moonshine: {
            encoder: join(folder, moonshineFiles.encoder),
            mergedDecoder: join(folder, moonshineFiles.decoder),
          },
          tokens: join(folder, moonshineFiles.tokens),
          numThreads: threads,
          provider: 'cpu',
          debug: 0,
        },
      })
    } catch (error) {
      return failed({
        code: 'ENGINE_UNAVAILABLE',
        message: `The engine could not be started: ${error instanceof Error ? error.message : String(error)}`,
        hint: 'sherpa-onnx-node ships for Linux, macOS and Windows on x64 and arm64 as optional packages.',
      })
    }
    return succeeded(loadedMoonshine(recognizer))
  },
}

/** Node's own threads decode and read files; one is kept for files, or every other request would wait. */
function spareThreads(): number {
  const threadCount = Number(process.env['UV_THREADPOOL_SIZE']) || nodeThreadCount
  return Math.max(1, threadCount - 1)
}

function loadedMoonshine(recognizer: OfflineRecognizer): LoadedModel {
  return {
    async transcribe(clip) {
      const durationSeconds = clip.samples.length / engineSampleRateHz
      if (durationSeconds < shortestClipSeconds) return succeeded({ text: '', language: 'en' })
      if (durationSeconds > longestClipSeconds) return failed(tooLong(durationSeconds))
      return succeeded({ text: await decode(recognizer, clip), language: 'en' })
    },
    // The native recogniser is freed with the last reference to it.
    unload: async () => undefined,
  }
}

async function decode(recognizer: OfflineRecognizer, clip: Clip): Promise<string> {
  const stream = recognizer.createStream()
  stream.acceptWaveform({ samples: clip.samples, sampleRate: engineSampleRateHz })
  const { text } = await recognizer.decodeAsync(stream)
  return text
}

function tooLong(durationSeconds: number): EngineFailure {
  return {
    code: 'TRANSCRIPTION_FAILED',
    message: `Moonshine takes up to ${longestClipSeconds} s of audio at once; this is ${Math.round(durationSeconds)} s.`,
  }
}
