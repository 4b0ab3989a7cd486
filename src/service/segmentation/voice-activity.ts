import { createRequire } from 'node:module'
import type { Vad } from 'sherpa-onnx-node'
import { engineSampleRateHz } from '../engines/engine.ts'
import type { Speech } from './cutter.ts'

/** Window of Silero VAD at 16 kHz, in samples. */
const windowSamples = 512
const shortestSpeechSeconds = 0.1
/** Longer than the closure of a stop within a word, which takes up to a tenth of a second. */
const shortestSilenceSeconds = 0.2
/** Below the usual 0.5: what is taken for speech by mistake costs a little time, what is missed is lost. */
const threshold = 0.4

/** The detector keeps speech under way in memory, and would make its buffer larger, with words on stderr. */
const maxMemorySeconds = 60

/** About three seconds: the detector has noticed that speech is over, and may have started afresh. */
const settledWindows = 100

/**
 * Two steps of 16 bits. Digital silence is not zeros behind every decoder: that of Opus makes noise of one step of it, or a constant
 * far below.
 */
const faintest = 2 / 32_768
/** Different windows that wait: two megabytes of them. Noise that repeats itself, as that of a decoder, is few. */
const maxKept = 512

/**
 * Detects speech with Silero VAD through sherpa-onnx. Blocks the thread; runs 300 times faster than real time.
 *
 * @param model path of `silero_vad.onnx`; a damaged file may end the process
 * @throws where the native library or the file is not there
 */
export function loadVoiceActivity(model: string) {
  // Not at the top: a platform without the native library can still decode audio.
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
  /** Windows of digital silence in a row, and those of them that wait until there is anything else: what differs, and its order. */
  let silentCount = 0
  const kept = new Map<string, Float32Array>()
  let waiting: Float32Array[] = []
  let acceptedCount = 0
  /** Whether the last of `speech` is under way, since when the detector remembers it, and how long to trust it. */
  let isSpeaking = false
  let rememberedFrom = 0
  let trustedFrom = 0
  let speech: Speech[] = []

  /**
   * Digital silence between speech begins no speech. What follows it is heard as if the silence had been: the detector has a
   * memory. At the end of a recording, and where there is nothing else in it, the silence never is.
   */
  function hear(): void {
    silentCount = isFaint(window) ? silentCount + 1 : 0
    if (silentCount > 0 && !isSpeaking && (acceptedCount === 0 || silentCount > settledWindows)) {
      if (kept.size >= maxKept) hearWaiting()
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
    const known = kept.get(name) ?? window.slice()
    kept.set(name, known)
    return known
  }

  function hearWaiting(): void {
    for (const each of waiting) hearWindow(each)
    waiting = []
    kept.clear()
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
      // It starts afresh in the middle of speech, and is believed again when it has had time to notice that.
      vad.reset()
      rememberedFrom = acceptedCount
      trustedFrom = acceptedCount + engineSampleRateHz
    }
  }

  return {
    /** Takes the next samples of the recording. */
    accept(samples: Float32Array) {
      for (let read = 0; read < samples.length; ) {
        const taken = samples.subarray(read, read + windowSamples - filled)
        window.set(taken, filled)
        filled += taken.length
        read += taken.length
        if (filled < windowSamples) continue
        hear()
        filled = 0
      }
    },
    /** Speech that was detected and not forgotten; speech under way ends at infinity. */
    get speech(): readonly Speech[] {
      return speech
    },
    /** Forgets speech that ended before. */
    forget(before: number) {
      speech = speech.filter(({ end }) => end >= before)
    },
  }
}
