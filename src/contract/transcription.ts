import { z } from 'zod'
import type { DeepReadonly } from '#prelude'
import { timestampGranularities, tolerant } from './enums.ts'

/** How the audio of a request travels: opened by the server, in the JSON body, or as a multipart part (Linux). */
export type Transport = 'path' | 'base64' | 'multipart'

/** Everything in a transcription request but the audio itself. A service reads these fields and ignores others. */
export const transcriptionOptions = z.strictObject({
  mode_id: z.guid().optional(),
  engine: z.string().min(1).optional(),
  model: z.string().min(1).optional(),
  /** `auto` or a BCP-47 tag. */
  language: z.string().min(1).optional(),
  timestamp_granularities: z.array(z.enum(timestampGranularities)).optional(),
  /** Asks for the engine's output untouched. A field of this project: the specification has none. */
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

/** Answer of `POST /transcribe`. Times of segments and words in seconds; `_ms` in milliseconds. */
export const transcription = tolerant({
  ok: z.literal(true),
  /** The engine's output after the Mode's own formatting. Empty where no speech was found. */
  text: z.string(),
  engine: z.string().default(''),
  model: z.string().default(''),
  language: z.string().nullable().default(null),
  timings: timings.default({ load_ms: null, decode_ms: null }),
  latency_ms: milliseconds,
  /** The engine's output untouched; only where it was asked for. */
  raw_text: z.string().optional(),
  segments: z.array(timedSegment).optional(),
  words: z.array(timedWord).optional(),
  /**
   * Seconds at which the recording was cut because the engine does not take all of it at once. Of the reference service
   * alone, and only where it was cut: other servers report nothing about it.
   */
  cuts: z.array(z.number()).optional(),
  /** What went wrong beside the transcription, such as that its recording was not kept. Of the reference service alone. */
  warning: z.string().optional(),
})
export type Transcription = z.infer<typeof transcription>

/** Body of `POST /post-process`: the text, and a Mode, a preset or a prompt. */
export const postProcessRequest = z
  .object({
    text: z.string().refine((text) => text.trim() !== '', { message: 'text is blank.' }),
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

/** Answer of `POST /post-process`. */
export const postProcessed = tolerant({
  ok: z.literal(true),
  text: z.string(),
  provider: z.string().nullable().default(null),
  model: z.string().nullable().default(null),
  preset: z.string().nullable().default(null),
  latency_ms: milliseconds,
  /** False where the provider failed and the text came back unchanged. */
  post_processed: z.boolean(),
})
export type PostProcessed = z.infer<typeof postProcessed>

/**
 * What surrounds the bytes of a form whose last part is a file, and the type that announces it.
 *
 *   head   --boundary  field  --boundary  field  --boundary  headers of the file
 *   …      the bytes of the file
 *   tail   --boundary--
 *
 * @param boundary occurs in no field and nowhere in the file: a random one
 * @see RFC 7578; the file's name is one that needs no escaping
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
