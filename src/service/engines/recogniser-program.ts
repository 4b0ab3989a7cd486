/** A process that holds one sherpa-onnx model, and decodes clips with it. */
import { failed, type Outcome, succeeded } from '#prelude'
import { serveParent } from '../worker-process.ts'
import type { EngineFailure, Spoken } from './engine.ts'
import { loadRecogniser, type Recogniser, type RecogniserModel } from './recogniser.ts'
import { sherpaFamilies } from './sherpa-families.ts'

/** A question to the process; a clip's samples are the frame's body, as 32-bit floats. */
export type RecogniserQuestion =
  | { readonly kind: 'load'; readonly model: RecogniserModel }
  | { readonly kind: 'transcribe'; readonly language: string | null }

/** The answer; null for a successful load. */
export type RecogniserAnswer = Outcome<Spoken | null, EngineFailure>

let recogniser: Recogniser | null = null

async function load(model: RecogniserModel): Promise<Outcome<null, EngineFailure>> {
  const family = sherpaFamilies.find((known) => known.family === model.family)
  if (family === undefined) {
    return failed({ code: 'ENGINE_UNAVAILABLE', message: `There is no family ${model.family}.` })
  }
  const loaded = await loadRecogniser(family, model)
  if (!loaded.ok) return loaded
  recogniser = loaded.value
  return succeeded(null)
}

async function transcribe(
  body: Uint8Array<ArrayBuffer>,
  language: string | null,
): Promise<Outcome<Spoken, EngineFailure>> {
  if (recogniser === null) return failed({ code: 'ENGINE_UNAVAILABLE', message: 'The model is not loaded.' })
  try {
    return await recogniser.transcribe(new Float32Array(body.buffer), language)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return failed({ code: 'TRANSCRIPTION_FAILED', message: `The engine failed: ${reason}` })
  }
}

serveParent<RecogniserQuestion, RecogniserAnswer>(async ({ head, body }, reply) =>
  reply(head.kind === 'load' ? await load(head.model) : await transcribe(body, head.language)),
)
