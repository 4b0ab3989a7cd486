import { succeeded } from '#prelude'
import type { Handlers } from '../http/call.ts'
import type { Recorder } from './recorder.ts'

type RecorderHandlers = Required<Pick<Handlers, 'toggleRecorder' | 'cancelRecorder'>>

/** `POST /recording/toggle` and `POST /recording/cancel`. */
export function recorderEndpoints(recorder: Recorder): RecorderHandlers {
  return {
    async toggleRecorder() {
      const outcome = await recorder.toggle()
      return outcome.ok ? succeeded({ ok: true, recording: outcome.value }) : outcome
    },
    async cancelRecorder() {
      return succeeded({ ok: true, recording: await recorder.cancel() })
    },
  }
}
