import { z } from 'zod'

/** The error that a provider's server reports with a refusal. */
export interface ProviderError {
  readonly message: string
  /** The server's error code, such as `insufficient_quota`; null where it gives none. */
  readonly code: string | null
  /** The request field that the error is about, if the server names one: `param` of OpenAI, `loc` of FastAPI. */
  readonly field?: string | undefined
}

/** The error code as text. Some servers repeat the HTTP status as a number here; it is dropped. */
const code = z
  .unknown()
  .optional()
  .transform((value) => (typeof value === 'string' ? value : null))

/** Path of the faulty field: `hotwords` for `["body", "hotwords"]`, because a leading `body` names no field. */
const location = z
  .array(z.union([z.string(), z.number()]))
  .optional()
  .catch(undefined)
  .transform((loc = []) => loc.filter((part, place) => place > 0 || part !== 'body').join('.'))

/**
 * The error shapes of transcription servers:
 *
 *   OpenAI, Groq, vLLM    {"error": {"message", "code"}}
 *   Speechmatics          {"error": "…", "detail": "…"}
 *   whisper.cpp           {"error": "…"}
 *   FastAPI               {"detail": "…"}, {"detail": [{"loc", "msg"}]}
 *   faster-whisper-server {"detail": {"error": {"message"}}}
 *   ElevenLabs            {"detail": {"message", "status"}}
 *   Deepgram              {"err_msg", "err_code"}, {"category", "message", "details"}
 *   Amazon                {"__type", "Message"}
 *   Azure                 {"code", "message"}
 *   Mistral, older vLLM   {"message"}
 */
const refusal: z.ZodType<ProviderError> = z.union([
  z
    .looseObject({
      error: z.looseObject({ message: z.string(), code, param: z.string().nullish().catch(null) }),
    })
    .transform(({ error }) => ({
      message: error.message,
      code: error.code ?? null,
      ...(error.param == null ? {} : { field: error.param }),
    })),
  z
    .looseObject({ error: z.string(), detail: z.string() })
    .transform(({ error, detail }) => ({ message: `${error}: ${detail}`, code: null })),
  z.looseObject({ error: z.string() }).transform(({ error }) => ({ message: error, code: null })),
  z.looseObject({ detail: z.string() }).transform(({ detail }) => ({ message: detail, code: null })),
  z
    .looseObject({ detail: z.looseObject({ error: z.looseObject({ message: z.string(), code }) }) })
    .transform(({ detail: { error } }) => ({ message: error.message, code: error.code ?? null })),
  z
    .looseObject({ detail: z.looseObject({ message: z.string(), status: code }) })
    .transform(({ detail }) => ({ message: detail.message, code: detail.status ?? null })),
  z
    .looseObject({ detail: z.array(z.looseObject({ msg: z.string(), loc: location })).min(1) })
    .transform(({ detail }) => ({
      message: detail.map(({ msg, loc }) => (loc === '' ? msg : `${loc}: ${msg}`)).join('; '),
      code: null,
      ...(detail[0]?.loc ? { field: detail[0].loc } : {}),
    })),
  z
    .looseObject({ err_msg: z.string(), err_code: code })
    .transform(({ err_msg, err_code }) => ({ message: err_msg, code: err_code ?? null })),
  z
    .looseObject({ category: z.string(), message: z.string(), details: z.string() })
    .transform(({ category, message, details }) => ({ message: `${message} ${details}`, code: category })),
  z
    .looseObject({ __type: z.string(), Message: z.string().optional(), message: z.string().optional() })
    .transform(({ __type: type, Message, message }) => ({
      message: Message ?? message ?? type,
      code: type.split('#').at(-1) ?? null,
    })),
  z
    .looseObject({ message: z.string(), code: z.union([z.string(), z.number()]).nullish() })
    .transform(({ message, code: value }) => ({ message, code: typeof value === 'string' ? value : null })),
])

/**
 * Reads the body of a refusal.
 *
 * @param body parsed JSON; undefined where the body is not JSON
 * @returns null for a body in none of the known shapes
 */
export function readProviderError(body: unknown): ProviderError | null {
  const parsed = refusal.safeParse(body)
  return parsed.success ? parsed.data : null
}

/** Whether a message says that the key is unknown: Google answers 400 to it, and not 401. */
export function meansUnknownKey(message: string): boolean {
  return /API key not valid/i.test(message)
}
