import { createRequire } from 'node:module'
import type { Vad } from 'sherpa-onnx-node'
import { engineSampleRateHz } from '../engines/engine.ts'
import type { Speech } from './cutter.ts'

/** Window of Silero VAD at 16 kHz, in samples. */
const windowSamples = 512
const shortestSpeechSeconds = 0.1
/** Longer than the closure of a stop consonant within a word, which lasts up to 0.1 s. */
const shortestSilenceSeconds = 0.2
/** Below the default of 0.5, because false speech costs a little time, but missed speech is lost. */
const threshold = 0.4

/** Speech that the detector buffers, in seconds; beyond it the buffer would grow, with messages on stderr. */
const maxMemorySeconds = 60

/** About three seconds, after which the detector has noticed the end of speech, and may have been reset. */
const settledWindows = 100

/**
 * Two steps of 16 bits. Decoded digital silence is not always zero: the Opus decoder yields noise of one
 * step, or a far smaller constant.
 */
const faintest = 2 / 32_768
/** Maximum number of distinct kept windows, two megabytes; a decoder's repeating noise has few. */
const maxKept = 512

/**
 * Detects speech with Silero VAD through sherpa-onnx, 300 times faster than real time. Blocks the thread.
 *
 * @param model path of `silero_vad.onnx`; a damaged file may end the process
 * @throws if the native library or the file is missing
 */
export function loadVoiceActivity(model: string) {
  // The library is loaded here, so that platforms without it can still decode audio.
  const sherpa = createRequire(import.meta.url)(
    'sherpa-onnx-node',
  ) as typeof import('sherpa-onnx-node').default
  const vad = new sherpa.Vad(
    {
      sileroVad: {
        model,
        threshold,
        minSilenceDuration: shortestSilenceSeconds,
        minSpeechDuration: shortestSpeechSeconds,
        windowSize: windowSamples,
        maxSpeechDuration: 2 * maxMemorySeconds,
      },
      sampleRate: engineSampleRateHz,
      numThreads: 1,
      provider: 'cpu',
      debug: 0,
    },
    maxMemorySeconds,
  )
  return followVoice(vad)
}

function isFaint(samples: Float32Array): boolean {
  for (let index = 0; index < samples.length; index += 1) {
    if (Math.abs(samples[index] as number) > faintest) return false
  }
  return true
}

function followVoice(vad: Vad) {
  const noticedAfter = Math.round(shortestSpeechSeconds * engineSampleRateHz) + 2 * windowSamples
  const silenceSamples = Math.round(shortestSilenceSeconds * engineSampleRateHz)
  const maxMemory = (maxMemorySeconds - 5) * engineSampleRateHz
  const window = new Float32Array(windowSamples)
  let filled = 0
  /** Number of consecutive silent windows, and those that are deferred until other audio follows. */
  let silentCount = 0
  const windowsByBytes = new Map<string, Float32Array>()
  let waiting: Float32Array[] = []
  let acceptedCount = 0
  /** Whether the last of `speech` is ongoing, from where the detector buffers it, and when its state is valid again. */
  let isSpeaking = false
  let rememberedFrom = 0
  let trustedFrom = 0
  let speech: Speech[] = []

  /**
   * Defers windows of digital silence, which begin no speech. They are passed on only before other audio,
   * because the detector has memory; silence at the end of a recording never is.
   */
  function hear(): void {
    silentCount = isFaint(window) ? silentCount + 1 : 0
    if (silentCount > 0 && !isSpeaking && (acceptedCount === 0 || silentCount > settledWindows)) {
      if (windowsByBytes.size >= maxKept) hearWaiting()
      waiting.push(keep())
      return
    }
    hearWaiting()
    hearWindow(window)
  }

  function keep(): Float32Array {
    const bytes = Buffer.from(window.buffer)
    const before = waiting.at(-1)
    if (before !== undefined && bytes.equals(Buffer.from(before.buffer))) return before
    const name = bytes.toString('latin1')
    const shared = windowsByBytes.get(name) ?? window.slice()
    windowsByBytes.set(name, shared)
    return shared
  }

  function hearWaiting(): void {
    for (const each of waiting) hearWindow(each)
    waiting = []
    windowsByBytes.clear()
  }

  function hearWindow(samples: Float32Array): void {
    vad.acceptWaveform(samples)
    acceptedCount += windowSamples
    while (!vad.isEmpty()) vad.pop()
    if (acceptedCount < trustedFrom) return
    const wasSpeaking = isSpeaking
    isSpeaking = vad.isDetected()
    if (isSpeaking && !wasSpeaking) {
      const start = Math.max(acceptedCount - noticedAfter, speech.at(-1)?.end ?? 0)
      speech.push({ start, end: Number.POSITIVE_INFINITY })
      rememberedFrom = acceptedCount
    } else if (!isSpeaking && wasSpeaking) {
      const { start = 0 } = speech.pop() ?? {}
      speech.push({ start, end: Math.max(acceptedCount - silenceSamples, start + 1) })
    } else if (isSpeaking && acceptedCount - rememberedFrom > maxMemory) {
      // The detector restarts in the middle of speech; its state is ignored until it has had time to detect that.
      vad.reset()
      rememberedFrom = acceptedCount
      trustedFrom = acceptedCount + engineSampleRateHz
    }
  }

  return {
    /** Accepts the next samples of the recording. */
    accept(samples: Float32Array) {
      for (let read = 0; read < samples.length; ) {
        const part = samples.subarray(read, read + windowSamples - filled)
        window.set(part, filled)
        filled += part.length
        read += part.length
        if (filled < windowSamples) continue
        hear()
        filled = 0
      }
    },
    /** Speech that was detected and not forgotten; ongoing speech ends at infinity. */
    get speech(): readonly Speech[] {
      return speech
    },
    /** Forgets speech that ended before a position. */
    forget(before: number) {
      speech = speech.filter(({ end }) => end >= before)
    },
  }
}
