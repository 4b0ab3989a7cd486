import type { JsonObject } from '../http/body.ts'

/** The body of `POST /transcribe`, its audio taken out. */
export interface TranscriptionBody {
  /** With an empty `audio_base64` where the request carries audio. */
  readonly fields: JsonObject
  /** Undefined where the request carries none, null where it is not base64. */
  readonly audio: Uint8Array<ArrayBuffer> | null | undefined
}
