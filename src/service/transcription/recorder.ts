import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import type { RecorderStateName } from '#contract/enums'
import type { FailureCode } from '#contract/failures'
import type { RecorderState } from '#contract/resources'
import { failed, type Outcome, succeeded } from '#prelude'
import type { CatalogueModel } from '../engines/engine.ts'
import { envelope, type Handlers, type Refusal, refused } from '../http/call.ts'
import type { ModeStore, StoredMode } from '../modes/modes.ts'
import type { PostProcessedText, PostProcessor } from '../modes/post-processor.ts'
import type { Settings } from '../settings.ts'
import { type History, soundExtension } from './history.ts'
import { findModel } from './resolve-model.ts'
import type { Transcriber, Transcript } from './transcriber.ts'

/**
 * The live recorder, one for the whole service.
 *
 *             toggle              toggle                            (an engine fails once)
 *   idle ───────────► recording ───────────► stopping ► transcribing ─────────► retrying
 *    ▲                    │                      │           │                      │
 *    │ next call          │ cancel               │ cancel    ▼                      ▼
 *   completed, failed ◄───┼──────────────────────┼───────  completed  or  failed
 *    ▲                    ▼                      ▼
 *    └────────────── cancelled, then idle at once
 *
 * @param microphone null where there is none
 */
export function createRecorder(microphone: Microphone | null, dictation: ReturnType<typeof createDictation>) {
  let state: RecorderStateName = 'idle'
  /** The session between two presses of the button, which a cancellation ends. */
  let session: { readonly controller: AbortController; take: Take | null } | null = null

  async function start(from: Microphone): Promise<Outcome<RecorderState, Refusal>> {
    const started: NonNullable<typeof session> = { controller: new AbortController(), take: null }
    session = started
    state = 'recording'
    const giveBack = (): void => {
      if (session !== started) return
      session = null
      state = 'idle'
    }
    const checked = await dictation.check().catch((error: unknown) => {
      giveBack()
      throw error
    })
    if (!checked.ok) {
      giveBack()
      return checked
    }
    try {
      started.take = await from.listen()
    } catch {
      // The system's message would name a path of this machine, so it is omitted.
      giveBack()
      return noMicrophone
    }
    if (!started.controller.signal.aborted) return succeeded(shown(state))
    await started.take.cancel()
    return succeeded(shown('cancelled'))
  }

  async function finish(
    current: NonNullable<typeof session>,
    take: Take,
  ): Promise<Outcome<RecorderState, Refusal>> {
    const { signal } = current.controller
    const move = (next: RecorderStateName): void => {
      if (session === current) state = next
    }
    const end = (next: RecorderStateName): void => {
      move(next)
      if (session === current) session = null
    }
    try {
      // The system's message would name a path of this machine, so it is omitted.
      const sound: Outcome<Sound, Refusal> = await take.stop().then(succeeded, () => noMicrophone)
      move('transcribing')
      const outcome: Outcome<unknown, Refusal> =
        !sound.ok || signal.aborted
          ? sound
          : await dictation.transcribe(sound.value, signal, () => move('retrying'))
      if (signal.aborted) return succeeded(shown('cancelled'))
      end(outcome.ok ? 'completed' : 'failed')
      return outcome.ok ? succeeded(shown('completed')) : outcome
    } catch (error) {
      // After a full disk or a bug the caller gets the error, and the next toggle starts a new recording.
      end('failed')
      throw error
    }
  }

  return {
    async toggle(): Promise<Outcome<RecorderState, Refusal>> {
      if (state === 'recording' && session !== null && session.take !== null) {
        state = 'stopping'
        return finish(session, session.take)
      }
      if (session !== null) return failed(busy(state))
      return microphone === null ? noMicrophone : start(microphone)
    },

    async cancel() {
      const ended = session
      const wasListening = state === 'recording'
      session = null
      state = 'idle'
      ended?.controller.abort()
      if (wasListening) await ended?.take?.cancel()
      return shown('idle')
    },
  }
}

function shown(state: RecorderStateName): RecorderState {
  return { is_recording: state === 'recording', state }
}

function busy(state: RecorderStateName): Refusal {
  return envelope('INVALID_REQUEST', `The recorder is ${state === 'recording' ? 'starting' : state}.`, {
    httpStatus: 400,
  })
}

const noMicrophone: Outcome<never, Refusal> = refused(
  'ENGINE_UNAVAILABLE',
  'There is no microphone.',
  'Start the service with --microphone-file and a recording that it plays as its microphone.',
)

/** `POST /recording/toggle` and `POST /recording/cancel`. */
export function recorderEndpoints(recorder: ReturnType<typeof createRecorder>) {
  return {
    async toggleRecorder() {
      const outcome = await recorder.toggle()
      return outcome.ok ? succeeded({ ok: true, recording: outcome.value }) : outcome
    },
    async cancelRecorder() {
      return succeeded({ ok: true, recording: await recorder.cancel() })
    },
  } satisfies Handlers
}

interface Microphone {
  /** Starts recording; rejects if that fails. */
  listen(): Promise<Take>
}

/** An active recording; exactly one of `stop` and `cancel` has to be called. */
interface Take {
  /** Stops recording. @returns an audio file of the recording */
  stop(): Promise<Sound>
  cancel(): Promise<void>
}

/** An audio file in memory. */
interface Sound {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly fileName: string
}

/** Uses an audio file as the microphone: every recording is the whole file, however early it is stopped. */
export function playedMicrophone(path: string): Microphone {
  return {
    async listen() {
      const sound = readFile(path).then((file) => ({
        bytes: new Uint8Array(file),
        fileName: basename(path),
      }))
      // The caller of `stop` gets the rejection; until then it must not count as unhandled.
      sound.catch(() => undefined)
      await sound
      return { stop: () => sound, cancel: async () => undefined }
    },
  }
}

/** Codes of failures that are often transient, so that a second attempt is worthwhile. */
const transientCodes: readonly FailureCode[] = ['TRANSCRIPTION_FAILED', 'RATE_LIMITED', 'TIMEOUT']

/**
 * Transcribes dictations with the default Mode. Each is saved with its audio, even a failed one, so that no
 * speech is lost; a cancelled one is not saved.
 */
export function createDictation({
  catalogue,
  modelsDir,
  modes,
  transcriber,
  postProcessor,
  history,
}: Pick<Settings, 'catalogue' | 'modelsDir'> & {
  readonly modes: ModeStore
  readonly transcriber: Transcriber
  readonly postProcessor: PostProcessor
  readonly history: History
}) {
  async function current(): Promise<Outcome<{ mode: StoredMode; model: CatalogueModel }, Refusal>> {
    const mode = modes.list().find(({ isDefault }) => isDefault)
    if (mode === undefined) return refused('MODE_NOT_FOUND', 'No Mode is the default one.')
    const model = await findModel({}, mode, { catalogue, modelsDir })
    return model.ok ? succeeded({ mode, model: model.value }) : model
  }

  /** @returns null where the Mode disables post-processing, the text is empty, or the provider failed */
  async function postProcess(
    { text }: Transcript,
    mode: StoredMode,
    signal: AbortSignal,
  ): Promise<PostProcessedText | null> {
    if (mode.postProcessingMode === 0 || text.trim() === '') return null
    const { preset } = mode
    const outcome = await postProcessor.process({ text, mode, preset }, signal)
    return outcome.ok && outcome.value.isProcessed ? outcome.value : null
  }

  return {
    /** Refuses where a transcription could not even begin, such as without a model. */
    async check(): Promise<Outcome<void, Refusal>> {
      const found = await current()
      return found.ok ? succeeded(undefined) : found
    },

    /** Transcribes and saves a dictation; `onRetry` is called before a second attempt. */
    async transcribe(
      { bytes, fileName }: Sound,
      signal: AbortSignal,
      onRetry: () => void,
    ): Promise<Outcome<void, Refusal>> {
      const found = await current()
      if (!found.ok) return found
      const { mode, model } = found.value
      const attempt = (): Promise<Outcome<Transcript, Refusal>> =>
        // A copy is passed, because the transcription frees the bytes, and a retry needs them.
        transcriber.transcribe({ bytes: bytes.slice(), fileName, model, mode }, signal)
      let outcome = await attempt()
      if (
        !outcome.ok &&
        outcome.failure.kind === 'envelope' &&
        transientCodes.includes(outcome.failure.code) &&
        !signal.aborted
      ) {
        onRetry()
        outcome = await attempt()
      }
      if (signal.aborted) return outcome.ok ? succeeded(undefined) : outcome
      const processed = outcome.ok ? await postProcess(outcome.value, mode, signal) : null
      const entry = await history.begin({ bytes, extension: soundExtension(fileName, undefined) })
      try {
        if (signal.aborted) await entry.discard()
        else {
          const transcribedText = outcome.ok ? outcome.value.text : ''
          entry.complete({
            text: processed?.text ?? transcribedText,
            transcribedText,
            postProcessedText: processed?.text ?? '',
            duration: outcome.ok ? outcome.value.durationSeconds : 0,
            mode: mode.name,
            transcriptionProvider: model.family,
            postProcessingProvider: processed?.provider ?? '',
            status: outcome.ok ? 'completed' : 'failed',
          })
        }
      } catch (error) {
        await entry.discard()
        throw error
      }
      return outcome.ok ? succeeded(undefined) : outcome
    },
  }
}
