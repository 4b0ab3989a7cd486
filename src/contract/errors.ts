import { z } from 'zod'
import { type Open, openEnum } from './enums.ts'

/** The closed set of failure codes. `PAYLOAD_TOO_LARGE` does not exist. */
export const failureCodes = [
  'MODEL_NOT_INSTALLED',
  'MODEL_NOT_FOUND',
  'ENGINE_UNAVAILABLE',
  'MISSING_API_KEY',
  'FILE_NOT_FOUND',
  'FILE_ACCESS_DENIED',
  'FILE_NOT_ALLOWED',
  'AUDIO_DECODE_FAILED',
  'TRANSCRIPTION_FAILED',
  'MODE_NOT_FOUND',
  'MODE_NAME_TAKEN',
  'INVALID_REQUEST',
  'RATE_LIMITED',
  'TIMEOUT',
] as const
export type FailureCode = (typeof failureCodes)[number]

/** What a server says went wrong: `ok` is always false. Read the `code`, not the HTTP status. */
export interface ErrorEnvelope {
  readonly ok: false
  readonly error: {
    readonly code: Open<FailureCode>
    readonly message: string
    readonly hint?: string | undefined
  }
}

export const errorEnvelope: z.ZodType<ErrorEnvelope> = z.looseObject({
  ok: z.literal(false),
  error: z.looseObject({
    code: openEnum(failureCodes),
    message: z.string(),
    hint: z
      .string()
      .nullish()
      .transform((hint) => hint ?? undefined)
      .pipe(z.string().optional()),
  }),
})

/** Messages that the specification gives word for word. */
export const limitMessages = {
  audio: 'Audio exceeds the configured upload limit.',
  request: 'Request exceeds the configured limit.',
  legacyWindows: 'Invalid JSON body',
} as const
