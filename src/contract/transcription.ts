import { z } from 'zod'
import { type TimestampGranularity, timestampGranularities } from './enums.ts'

/** Everything in a transcription request but the audio itself. */
export interface TranscriptionOptions {
  readonly mode_id?: string | undefined
  readonly engine?: string | undefined
  readonly model?: string | undefined
  /** `auto` or a BCP-47 tag. */
  readonly language?: string | undefined
  readonly timestamp_granularities?: readonly TimestampGranularity[] | undefined
  /** Asks for the engine's output untouched. A field of this project: the specification has none. */
  readonly raw_text?: boolean | undefined
}

/** How the audio of a request travels: opened by the server, in the JSON body, or as a multipart part (Linux). */
export type Transport = 'path' | 'base64' | 'multipart'

/** JSON body of `POST /transcribe`: the audio as an absolute path or as base64, never both. */
export interface TranscriptionRequest extends TranscriptionOptions {
  readonly file?: string | undefined
  readonly audio_base64?: string | undefined
  readonly mime_type?: string | undefined
}

const options = {
  mode_id: z.guid().optional(),
  engine: z.string().min(1).optional(),
  model: z.string().min(1).optional(),
  language: z.string().min(1).optional(),
  timestamp_granularities: z.array(z.enum(timestampGranularities)).optional(),
  raw_text: z.boolean().optional(),
}

/** Strict parser of what we send. A service reads the same fields and ignores others. */
export const transcriptionOptions: z.ZodType<TranscriptionOptions> = z.strictObject(options)

export const transcriptionRequest: z.ZodType<TranscriptionRequest> = z
  .object({
    ...options,
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

export interface TimedSegment {
  readonly id: number
  readonly start: number
  readonly end: number
  readonly text: string
}

export interface TimedWord {
  readonly word: string
  readonly start: number
  readonly end: number
}

/** Answer of `POST /transcribe`. Times of segments and words in seconds; `_ms` in milliseconds. */
export interface Transcription {
  readonly ok: true
  /** The engine's output after the Mode's own formatting. Empty where no speech was found. */
  readonly text: string
  readonly engine: string
  readonly model: string
  readonly language: string | null
  readonly timings: { readonly load_ms: number | null; readonly decode_ms: number | null }
  readonly latency_ms: number | null
  /** The engine's output untouched; only where it was asked for. */
  readonly raw_text?: string | undefined
  readonly segments?: readonly TimedSegment[] | undefined
  readonly words?: readonly TimedWord[] | undefined
  /**
   * Seconds at which the recording was cut because the engine does not take all of it at once. Of the reference service
   * alone, and only where it was cut: other servers report nothing about it.
   */
  readonly cuts?: readonly number[] | undefined
  /** What went wrong beside the transcription, such as that its recording was not kept. Of the reference service alone. */
  readonly warning?: string | undefined
}

const milliseconds = z.number().nullable().default(null)

export const transcription: z.ZodType<Transcription> = z.looseObject({
  ok: z.literal(true),
  text: z.string(),
  engine: z.string().default(''),
  model: z.string().default(''),
  language: z.string().nullable().default(null),
  timings: z
    .looseObject({ load_ms: milliseconds, decode_ms: milliseconds })
    .default({ load_ms: null, decode_ms: null }),
  latency_ms: milliseconds,
  raw_text: z.string().optional(),
  segments: z
    .array(z.looseObject({ id: z.int(), start: z.number(), end: z.number(), text: z.string() }))
    .optional(),
  words: z.array(z.looseObject({ word: z.string(), start: z.number(), end: z.number() })).optional(),
  cuts: z.array(z.number()).optional(),
  warning: z.string().optional(),
})

/** Body of `POST /post-process`: the text, and a Mode, a preset or a prompt. */
export interface PostProcessRequest {
  readonly text: string
  readonly mode_id?: string | undefined
  readonly preset?: string | undefined
  readonly prompt?: string | undefined
  readonly provider?: string | undefined
  readonly model?: string | undefined
}

export const postProcessRequest: z.ZodType<PostProcessRequest> = z
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

/** Answer of `POST /post-process`. */
export interface PostProcessed {
  readonly ok: true
  readonly text: string
  readonly provider: string | null
  readonly model: string | null
  readonly preset: string | null
  readonly latency_ms: number | null
  /** False where the provider failed and the text came back unchanged. */
  readonly post_processed: boolean
}

export const postProcessed: z.ZodType<PostProcessed> = z.looseObject({
  ok: z.literal(true),
  text: z.string(),
  provider: z.string().nullable().default(null),
  model: z.string().nullable().default(null),
  preset: z.string().nullable().default(null),
  latency_ms: milliseconds,
  post_processed: z.boolean(),
})

/** What surrounds the bytes of the file of a form, and the type that announces it. */
export interface FormFrame {
  readonly contentType: string
  readonly head: string
  readonly tail: string
}

/**
 * Frames a form whose last part is a file.
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
): FormFrame {
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
