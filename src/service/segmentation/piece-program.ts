/**
 * A process that decodes one long recording and cuts it into pieces on request. It is at most one piece ahead
 * of the engine, so that its memory does not grow with the recording.
 */
import { monoStream } from '#audio/sound-stream'
import { failed, type Outcome, succeeded } from '#prelude'
import { engineSampleRateHz } from '../engines/engine.ts'
import { boundMemory, garbageCollector, serveParent } from '../worker-process.ts'
import { createCutter, type Piece } from './cutter.ts'
import { loadVoiceActivity } from './voice-activity.ts'

/** The recording, whose bytes are the frame's body; then one request per piece. */
export type PieceQuestion =
  | {
      readonly kind: 'recording'
      /** Path of the voice activity model. */
      readonly voiceActivityModel: string
      readonly maxPieceSeconds: number
    }
  | { readonly kind: 'next' }

/** The next piece, whose samples are the frame's body; after the last one, the duration of the recording. */
export type PieceAnswer = Outcome<Omit<Piece, 'samples'> | Ending, { readonly reason: string }>

interface Ending {
  readonly durationSeconds: number
}

type Cut = Outcome<Piece | Ending, { readonly reason: string }>

/** Memory limit in bytes: the file, and half an hour of samples twice, as decoded and as a piece. */
const maxBytes = 550 * 2 ** 20

async function* cutRecording(
  bytes: Uint8Array,
  { voiceActivityModel, maxPieceSeconds }: Extract<PieceQuestion, { kind: 'recording' }>,
): AsyncGenerator<Cut, void> {
  const voice = loadVoiceActivity(voiceActivityModel)
  const cutter = createCutter(maxPieceSeconds)
  let sampleCount = 0
  for await (const block of monoStream(bytes, engineSampleRateHz)) {
    if (!block.ok) return yield block
    sampleCount += block.value.length
    for (let read = 0; read < block.value.length; read += engineSampleRateHz) {
      const samples = block.value.subarray(read, read + engineSampleRateHz)
      voice.accept(samples)
      yield* cutter.push(samples, voice.speech).map(succeeded)
      voice.forget(cutter.start)
    }
  }
  yield* cutter.finish(voice.speech).map(succeeded)
  yield succeeded({ durationSeconds: sampleCount / engineSampleRateHz })
}

let pieces: AsyncGenerator<Cut, void> | null = null

/**
 * The collector frees the detector's native memory and the decoded blocks late: two hours of audio added 130
 * MB. Collecting delays nothing, because this process is a piece ahead of the engine.
 */
const collect = garbageCollector('major')

async function nextPiece(): Promise<Cut> {
  try {
    const { value } = (await pieces?.next()) ?? {}
    return value ?? failed({ reason: 'it has no more pieces' })
  } catch (error) {
    return failed({ reason: error instanceof Error ? error.message : String(error) })
  }
}

boundMemory(maxBytes)
serveParent<PieceQuestion, PieceAnswer>(async ({ head, body }, reply) => {
  if (head.kind === 'recording') {
    pieces = cutRecording(body, head)
    return
  }
  const cut = await nextPiece()
  if (!cut.ok || !('samples' in cut.value)) await reply(cut as PieceAnswer)
  else {
    const { samples, ...piece } = cut.value
    await reply(succeeded(piece), new Uint8Array(samples.buffer))
  }
  collect()
})
