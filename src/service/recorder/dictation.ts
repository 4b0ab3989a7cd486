import type { FailureCode } from '#contract'
import { type Outcome, succeeded } from '#prelude'
import type { Refusal } from '../http/refusal.ts'
import { refused } from '../http/refusal.ts'
import type { Catalogue, CatalogueModel } from '../models/catalogue.ts'
import type { ModeStore, StoredMode } from '../modes/mode-store.ts'
import type { PostProcessedText, PostProcessor } from '../post-processing/post-processor.ts'
import { type History, type RecordingFacts, soundExtension } from '../recordings/history.ts'
import { findModel } from '../transcription/transcribe-endpoint.ts'
import type { Transcriber, Transcript } from '../transcription/transcriber.ts'
import type { Dictation } from './recorder.ts'

export interface DictationInput {
  readonly catalogue: Catalogue
  readonly modelsDir: string
  readonly modes: ModeStore
  readonly transcriber: Transcriber
  readonly history: History
  readonly postProcessor: PostProcessor
}

/** What passes by itself, often enough to be tried once more. */
const transientCodes: readonly FailureCode[] = ['TRANSCRIPTION_FAILED', 'RATE_LIMITED', 'TIMEOUT']

/**
 * Dictations with the default Mode. Each becomes a recording with its sound, a failed one too, so that nothing
 * said is lost; a cancelled one leaves nothing.
 */
export function createDictation(input: DictationInput): Dictation {
  const { catalogue, modelsDir, modes, transcriber, history } = input

  async function current(): Promise<Outcome<{ mode: StoredMode; model: CatalogueModel }, Refusal>> {
    const mode = modes.list().find(({ isDefault }) => isDefault)
    if (mode === undefined) return refused('MODE_NOT_FOUND', 'No Mode is the default one.')
    const model = await findModel({}, mode, { catalogue, modelsDir })
    return model.ok ? succeeded({ mode, model: model.value }) : model
  }

  /** @returns null where the Mode wants none, nothing was said, or the provider failed */
  async function postProcess(
    { text }: Transcript,
    mode: StoredMode,
    signal: AbortSignal,
  ): Promise<PostProcessedText | null> {
    if (mode.postProcessingMode === 0 || text.trim() === '') return null
    const { preset } = mode
    const outcome = await input.postProcessor.process({ text, mode, preset }, signal)
    return outcome.ok && outcome.value.isProcessed ? outcome.value : null
  }

  return {
    async check() {
      const found = await current()
      return found.ok ? succeeded(undefined) : found
    },

    async transcribe(sound, signal, onRetry) {
      const found = await current()
      if (!found.ok) return found
      const { mode, model } = found.value
      const { bytes, fileName } = sound
      const attempt = (): Promise<Outcome<Transcript, Refusal>> =>
        // The transcription takes the bytes away, and they may be needed again.
        transcriber.transcribe({ bytes: bytes.slice(), fileName, model, mode }, signal)
      let outcome = await attempt()
      if (!outcome.ok && isTransient(outcome.failure) && !signal.aborted) {
        onRetry()
        outcome = await attempt()
      }
      if (signal.aborted) return outcome.ok ? succeeded(undefined) : outcome
      const processed = outcome.ok ? await postProcess(outcome.value, mode, signal) : null
      const entry = await history.begin({ bytes, extension: soundExtension(fileName, undefined) })
      try {
        if (signal.aborted) await entry.discard()
        else
          entry.complete(factsOf({ transcript: outcome.ok ? outcome.value : null, processed, mode, model }))
      } catch (error) {
        await entry.discard()
        throw error
      }
      return outcome.ok ? succeeded(undefined) : outcome
    },
  }
}

function isTransient(refusal: Refusal): boolean {
  return refusal.kind === 'envelope' && transientCodes.includes(refusal.code)
}

function factsOf({
  transcript,
  processed,
  mode,
  model,
}: {
  readonly transcript: Transcript | null
  readonly processed: PostProcessedText | null
  readonly mode: StoredMode
  readonly model: CatalogueModel
}): RecordingFacts {
  const transcribedText = transcript?.text ?? ''
  return {
    text: processed?.text ?? transcribedText,
    transcribedText,
    postProcessedText: processed?.text ?? '',
    duration: transcript?.durationSeconds ?? 0,
    mode: mode.name,
    transcriptionProvider: model.family,
    postProcessingProvider: processed?.provider ?? '',
    status: transcript === null ? 'failed' : 'completed',
  }
}
