/**
 * The program of a thread that decodes one long recording and cuts it into pieces, as they are asked for: it
 * is never more than one piece ahead of the engine, so that its memory does not grow with the recording.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { monoStream } from '#audio'
import { type Outcome, succeeded } from '#prelude'
import { engineSampleRateHz } from '../engines/engine.ts'
import { garbageCollector } from '../garbage-collector.ts'
import { createCutter, type Piece } from './cutter.ts'
import { loadVoiceActivity } from './voice-activity.ts'

export interface PieceWork {
  /** All bytes of the recording. */
  readonly bytes: Uint8Array
  /** Path of the voice activity model. */
  readonly voiceActivityModel: string
  readonly longestPieceSeconds: number
}

/** The answer to each message: the next piece, and after the last one how long the whole recording is. */
export type PieceResult = Outcome<Piece | Ending, { readonly reason: string }>

interface Ending {
  readonly durationSeconds: number
}

async function* cutRecording(work: PieceWork): AsyncGenerator<PieceResult, void> {
  const voice = loadVoiceActivity(work.voiceActivityModel)
  const cutter = createCutter(work.longestPieceSeconds)
  let sampleCount = 0
  for await (const block of monoStream(work.bytes, engineSampleRateHz)) {
    if (!block.ok) return yield block
    sampleCount += block.value.length
    for (let read = 0; read < block.value.length; read += engineSampleRateHz) {
      const samples = block.value.subarray(read, read + engineSampleRateHz)
      voice.hear(samples)
      yield* cutter.push(samples, voice.speech).map(succeeded)
      voice.forget(cutter.start)
    }
  }
  yield* cutter.finish(voice.speech).map(succeeded)
  yield succeeded({ durationSeconds: sampleCount / engineSampleRateHz })
}

const pieces = cutRecording(workerData as PieceWork)

/**
 * The detector's native memory of each stretch of speech, and the decoded blocks, wait for the collector: two hours of
 * them made the service 130 MB larger. Nobody waits for this thread, which is a piece ahead of the engine.
 */
const collect = garbageCollector('major')

// What is thrown ends the thread, and the one who asked hears of it.
parentPort?.on('message', async () => {
  const { value: result } = await pieces.next()
  // The samples move to the other thread, they are not copied.
  const moving = result?.ok === true && 'samples' in result.value ? [result.value.samples.buffer] : []
  parentPort?.postMessage(result, moving)
  collect()
})
