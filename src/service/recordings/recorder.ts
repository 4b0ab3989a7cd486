import type { RecorderState, RecorderStateName } from '#contract'
import { failed, type Outcome, succeeded } from '#prelude'
import { envelope, type Refusal, refused } from '../http/refusal.ts'
import type { Microphone, Sound, Take } from './microphone.ts'

/** What the recorder does with a sound. */
export interface Dictation {
  /** Refuses where the transcription could not even begin, such as without a model. */
  check(): Promise<Outcome<void, Refusal>>
  /** Transcribes and remembers; `onRetry` is called before a second attempt. */
  transcribe(sound: Sound, signal: AbortSignal, onRetry: () => void): Promise<Outcome<void, Refusal>>
}

/**
 * The live recorder, one for the whole service.
 *
 *             toggle              toggle                            (an engine fails once)
 *   idle ───────────► recording ───────────► stopping ► transcribing ─────────► retrying
 *    ▲                    │                      │           │                      │
 *    │ next call          │ cancel               │ cancel    ▼                      ▼
 *   completed, failed ◄───┼──────────────────────┼───────  completed  or  failed
 *    ▲                    ▼                      ▼
 *    └────────────── cancelled, and idle again at once
 */
export interface Recorder {
  toggle(): Promise<Outcome<RecorderState, Refusal>>
  cancel(): Promise<RecorderState>
}

/** One press of the button to the next: what a cancellation has to end. */
interface Session {
  readonly controller: AbortController
  take: Take | null
}

/** @param microphone null where there is none */
export function createRecorder(microphone: Microphone | null, dictation: Dictation): Recorder {
  let state: RecorderStateName = 'idle'
  let session: Session | null = null

  async function start(from: Microphone): Promise<Outcome<RecorderState, Refusal>> {
    const started: Session = { controller: new AbortController(), take: null }
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
      // The system's own words would name a path of this machine; the hint says what to look at.
      giveBack()
      return noMicrophone
    }
    if (!started.controller.signal.aborted) return succeeded(shown(state))
    await started.take.cancel()
    return succeeded(shown('cancelled'))
  }

  async function finish(current: Session, take: Take): Promise<Outcome<RecorderState, Refusal>> {
    const { signal } = current.controller
    const move = (next: RecorderStateName): void => {
      if (session === current) state = next
    }
    const end = (next: RecorderStateName): void => {
      move(next)
      if (session === current) session = null
    }
    try {
      const sound = await soundOf(take)
      move('transcribing')
      const outcome: Outcome<unknown, Refusal> =
        !sound.ok || signal.aborted
          ? sound
          : await dictation.transcribe(sound.value, signal, () => move('retrying'))
      if (signal.aborted) return succeeded(shown('cancelled'))
      end(outcome.ok ? 'completed' : 'failed')
      return outcome.ok ? succeeded(shown('completed')) : outcome
    } catch (error) {
      // A full disk, or a bug: the caller gets the error, and the next toggle starts a new recording.
      end('failed')
      throw error
    }
  }

  return {
    async toggle() {
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

async function soundOf(take: Take): Promise<Outcome<Sound, Refusal>> {
  try {
    return succeeded(await take.stop())
  } catch {
    // What the system said would name a path of this machine.
    return noMicrophone
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
