import { z } from 'zod'
import type { DeepReadonly } from '#prelude'
import { timestampGranularities, tolerant } from './enums.ts'

/** Transport of the audio: a path that the server opens, base64 in the JSON body, or a multipart part (Linux). */
export type Transport = 'path' | 'base64' | 'multipart'

/** All fields of a transcription request except the audio. A service ignores other fields. */
export const transcriptionOptions = z.strictObject({
  mode_id: z.guid().optional(),
  engine: z.string().min(1).optional(),
  model: z.string().min(1).optional(),
  /** Language of the speech: `auto` or a BCP 47 tag. */
  language: z.string().min(1).optional(),
  timestamp_granularities: z.array(z.enum(timestampGranularities)).optional(),
  /** Requests the engine's raw output too. This project adds the field; the specification has none. */
  raw_text: z.boolean().optional(),
})
export type TranscriptionOptions = DeepReadonly<z.infer<typeof transcriptionOptions>>

/** JSON body of `POST /transcribe`: the audio as an absolute path or as base64, never both. */
export const transcriptionRequest = z
  .object({
    ...transcriptionOptions.shape,
    file: z.string().min(1).optional(),
    audio_base64: z.string().optional(),
    mime_type: z.string().optional(),
  })
  .refine((request) => (request.file === undefined) !== (request.audio_base64 === undefined), {
    message: 'Send either file or audio_base64.',
  })
  .refine((request) => request.mode_id !== undefined || request.engine !== undefined, {
    message: 'Send mode_id, or engine with model.',
  })
export type TranscriptionRequest = DeepReadonly<z.infer<typeof transcriptionRequest>>

const timedSegment = tolerant({ id: z.int(), start: z.number(), end: z.number(), text: z.string() })
export type TimedSegment = z.infer<typeof timedSegment>

const timedWord = tolerant({ word: z.string(), start: z.number(), end: z.number() })
export type TimedWord = z.infer<typeof timedWord>

const milliseconds = z.number().nullable().default(null)
const timings = tolerant({ load_ms: milliseconds, decode_ms: milliseconds })

/** Response to `POST /transcribe`. Segments and words have times in seconds; `_ms` is milliseconds. */
export const transcription = tolerant({
  ok: z.literal(true),
  /** The engine's output after the Mode's formatting; empty where no speech was found. */
  text: z.string(),
  engine: z.string().default(''),
  model: z.string().default(''),
  language: z.string().nullable().default(null),
  timings: timings.default({ load_ms: null, decode_ms: null }),
  latency_ms: milliseconds,
  /** The engine's raw output; present only where the request asked for it. */
  raw_text: z.string().optional(),
  segments: z.array(timedSegment).optional(),
  words: z.array(timedWord).optional(),
  /**
   * Positions in seconds at which the recording was cut, because the engine does not accept all of it at
   * once. Only the reference service reports them, and only for a cut recording.
   */
  cuts: z.array(z.number()).optional(),
  /** A problem besides the transcription, such as a recording that was not saved; reference service only. */
  warning: z.string().optional(),
})
export type Transcription = z.infer<typeof transcription>

/** Body of `POST /post-process`: the text, and a Mode, a preset or a prompt. */
export const postProcessRequest = z
  .object({
    text: z.string().refine((text) => text.trim() !== '', { message: 'is blank.' }),
    mode_id: z.guid().optional(),
    preset: z.string().optional(),
    prompt: z.string().optional(),
    provider: z.string().optional(),
    model: z.string().optional(),
  })
  .refine((request) => request.mode_id ?? request.preset ?? request.prompt, {
    message: 'Send mode_id, preset or prompt.',
  })
  .refine((request) => request.preset === undefined || request.prompt === undefined, {
    message: 'Send preset or prompt, not both.',
  })
export type PostProcessRequest = DeepReadonly<z.infer<typeof postProcessRequest>>

/** Response to `POST /post-process`. */
export const postProcessed = tolerant({
  ok: z.literal(true),
  text: z.string(),
  provider: z.string().nullable().default(null),
  model: z.string().nullable().default(null),
  preset: z.string().nullable().default(null),
  latency_ms: milliseconds,
  /** False where the provider failed and the text was returned unchanged. */
  post_processed: z.boolean(),
})

/**
 * The text around the bytes of a multipart form whose last part is a file, and its content type.
 *
 *   head   --boundary  field  --boundary  field  --boundary  headers of the file
 *   …      the bytes of the file
 *   tail   --boundary--
 *
 * @param boundary random text that occurs neither in a field nor in the file
 * @see RFC 7578; the file's name must not need escaping
 */
export function formFrame(
  boundary: string,
  fields: readonly (readonly [name: string, value: string])[],
  file: { readonly name: string; readonly fileName: string; readonly mimeType: string },
): { readonly contentType: string; readonly head: string; readonly tail: string } {
  const part = (name: string, more: string): string =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n`
  const texts = fields.map(([name, value]) => `${part(name, '')}${value}\r\n`)
  const fileHead = part(file.name, `; filename="${file.fileName}"\r\nContent-Type: ${file.mimeType}`)
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    head: texts.join('') + fileHead,
    tail: `\r\n--${boundary}--\r\n`,
  }
}
