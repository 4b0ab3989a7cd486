import { z } from 'zod'
import { assertNever, type DeepReadonly } from '#prelude'
import { limits, openEnum, tolerant } from './enums.ts'

/** The closed set of failure codes; it has no `PAYLOAD_TOO_LARGE`. */
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

export const errorEnvelope = tolerant({
  ok: z.literal(false),
  error: tolerant({
    code: openEnum(failureCodes),
    message: z.string(),
    hint: z
      .string()
      .nullish()
      .transform((hint) => hint ?? undefined)
      .pipe(z.string().optional()),
  }),
})
/** Body of a refusal; `ok` is always false. Read the `code`, not the HTTP status. */
export type ErrorEnvelope = z.infer<typeof errorEnvelope>

/** Messages that the specification prescribes verbatim. */
export const limitMessages = {
  audio: 'Audio exceeds the configured upload limit.',
  request: 'Request exceeds the configured limit.',
  legacyWindows: 'Invalid JSON body',
} as const

const callStage = z.enum(['connecting', 'waiting', 'receiving']).meta({
  id: 'CallStage',
  description:
    'Progress of a request: no connection yet, no answer yet (upload included), or part of the answer.',
})
export type CallStage = z.infer<typeof callStage>

const httpStatus = z.int().describe('HTTP status.')
const retryAfterSeconds = z
  .number()
  .optional()
  .describe('Seconds of `Retry-After`; absent where the server sent none.')
const during = callStage.describe('When it happened.')

/** The ways in which a request can fail. A failure is data: it is recorded and counted, never thrown. */
export const requestFailure = z
  .discriminatedUnion('kind', [
    z.object({
      kind: z.literal('refused').describe('The server answered with an error of this API.'),
      code: openEnum(failureCodes).describe("The server's code."),
      message: z.string().describe("The server's message."),
      hint: z.string().nullable().describe("The server's advice; null where it gives none."),
      httpStatus,
      retryAfterSeconds,
      isOversize: z
        .boolean()
        .optional()
        .describe(
          'Whether the request or its audio was larger than the server accepts; absent where it was not.',
        ),
    }),
    z.object({
      kind: z.literal('timedOut').describe('No complete answer came within the time-out of the request.'),
      afterMs: z.number().describe('Time-out in milliseconds.'),
      during,
    }),
    z.object({
      kind: z.literal('unreachable').describe('No connection, or one that broke.'),
      cause: z.string().describe('Code of the operating system or the client, as `ECONNREFUSED`.'),
      during,
    }),
    z.object({
      kind: z.literal('malformed').describe('An answer that is neither a success nor an error of this API.'),
      httpStatus,
      excerpt: z.string().describe('Beginning of the answer.'),
      retryAfterSeconds,
    }),
    z.object({
      kind: z.literal('unsendable').describe('The audio could not be read, or changed while it was sent.'),
      reason: z.string().describe('Why it could not be sent.'),
    }),
    z.object({
      kind: z.literal('dropped').describe('Ended by transcribench, because the run was interrupted twice.'),
    }),
  ])
  .meta({ id: 'RequestFailure', description: 'How a request failed.' })
export type RequestFailure = DeepReadonly<z.infer<typeof requestFailure>>

/**
 * Label for counting failures: the server's code if it gave one, otherwise kind and stage.
 *
 *   refused       its code, or OVERSIZE             malformed    malformed, or HTTP_503 for a failing status
 *   unreachable   unreachable, connectionLost before the answer, answerCut in it
 *   timedOut      timedOut, or answerStalled where the answer had begun
 */
export function failureLabel(failure: RequestFailure): string {
  switch (failure.kind) {
    case 'refused':
      return failure.isOversize === true ? 'OVERSIZE' : failure.code
    case 'malformed':
      return isSuccess(failure.httpStatus) ? 'malformed' : `HTTP_${failure.httpStatus}`
    case 'timedOut':
      return failure.during === 'receiving' ? 'answerStalled' : 'timedOut'
    case 'unreachable':
      return brokenLabels[failure.during]
    case 'unsendable':
    case 'dropped':
      return failure.kind
    default:
      return assertNever(failure)
  }
}

const brokenLabels = {
  connecting: 'unreachable',
  waiting: 'connectionLost',
  receiving: 'answerCut',
} as const satisfies Record<CallStage, string>

/** Whether the server refused because the account's paid quota is used up: no request succeeds until it is renewed. */
export function meansSpentQuota(failure: RequestFailure | null): boolean {
  return failure?.kind === 'refused' && failure.code === 'QUOTA_EXCEEDED'
}

/** Whether the server refused because of too many requests: by its code, or by HTTP 429 without a code. */
export function meansRateLimited(failure: RequestFailure): boolean {
  if (failure.kind === 'refused') return failure.code === 'RATE_LIMITED'
  return failure.kind === 'malformed' && failure.httpStatus === 429
}

/**
 * Whether a provider may bill a request that failed in this way. Unsent requests, refusals and jobs reported
 * as failed are not billable. After a lost connection, a time-out or a server error the provider may have
 * done the work, so they are.
 *
 * @see https://www.assemblyai.com/docs/billing-and-pricing
 */
export function isBillable(failure: RequestFailure): boolean {
  if (failure.kind === 'unsendable' || meansRateLimited(failure)) return false
  if (!('httpStatus' in failure)) return true
  const isRefusal = failure.httpStatus >= 400 && failure.httpStatus < 500
  return !isRefusal && !(failure.kind === 'refused' && isSuccess(failure.httpStatus))
}

function isSuccess(httpStatus: number): boolean {
  return httpStatus >= 200 && httpStatus < 300
}

/**
 * Whether a refusal means that the request was too large: by a message of the API, or by that of older
 * Windows builds, which also means malformed JSON unless the request's size exceeds their limit.
 */
export function meansOversize(
  { message, httpStatus }: { readonly message: string; readonly httpStatus: number },
  bodyBytes: number,
): boolean {
  if (message === limitMessages.audio || message === limitMessages.request) return true
  const isLegacy = httpStatus === 400 && message === limitMessages.legacyWindows
  return isLegacy && bodyBytes > limits.legacyWindowsRequestBytes
}

const brokenWords = {
  connecting: 'not reachable',
  waiting: 'connection lost before the answer',
  receiving: 'connection lost in the middle of the answer',
} as const satisfies Record<CallStage, string>

const untrusted = /SELF_SIGNED_CERT|UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT/

/** The error code of the system, with advice where the certificate is not trusted. */
function causeWords(cause: string): string {
  if (!untrusted.test(cause)) return cause
  return `${cause}: its certificate is of no known authority; trust it by its file, NODE_EXTRA_CA_CERTS=<file.pem>`
}

/** Describes a failure, with the message of the server or the code of the system. */
export function describeFailure(failure: RequestFailure): string {
  switch (failure.kind) {
    case 'refused':
      return `${failure.code}: ${failure.message.trim() || 'without a message'}`
    case 'timedOut':
      return `no ${failure.during === 'receiving' ? 'end of the answer' : 'answer'} within ${Number((failure.afterMs / 1000).toPrecision(3))} s`
    case 'unreachable':
      return `${brokenWords[failure.during]} (${causeWords(failure.cause)})`
    case 'malformed':
      // Frameworks of servers answer a plain text where their program failed.
      return `${failure.httpStatus >= 500 ? 'a failure of the server' : 'an answer that is not of this API'} (HTTP ${failure.httpStatus}: ${failure.excerpt || 'without a text'})`
    case 'unsendable':
      return `could not be sent: ${failure.reason}`
    case 'dropped':
      return 'dropped by the interruption'
    default:
      return assertNever(failure)
  }
}

/** Label of a failure: the server's code, or the kind of failure where it gave none. */
export type FailureLabel = FailureCode | Exclude<RequestFailure['kind'], 'refused'>

export const failureLabels: readonly FailureLabel[] = [
  ...failureCodes,
  'timedOut',
  'unreachable',
  'malformed',
  'unsendable',
  'dropped',
]

/** Parser of a rule that recognises a no-speech refusal, as stored with a run. */
export const noSpeechRule = z
  .object({
    code: z
      .string()
      .describe("The server's code, or the status where it gives none: `TRANSCRIPTION_FAILED`, `HTTP_422`."),
    message: z
      .string()
      .optional()
      .describe('Words that the message holds, in any case; absent where the code is enough.'),
  })
  .meta({ id: 'NoSpeechRule', description: 'A refusal by which a server reports that it found no speech.' })
export type NoSpeechRule = DeepReadonly<z.infer<typeof noSpeechRule>>

/** The no-speech refusal of this API: `TRANSCRIPTION_FAILED: No speech detected in audio.` */
export const defaultNoSpeechRules: readonly NoSpeechRule[] = [
  { code: 'TRANSCRIPTION_FAILED', message: 'no speech' },
]

/**
 * Whether a failure means that the engine ran and found no speech. Only a response can mean so, because a
 * request without one says nothing about its audio.
 *
 * @param rules alternatives, of which one has to match; an empty list never matches
 */
export function meansNoSpeech(
  failure: RequestFailure,
  rules: readonly NoSpeechRule[] = defaultNoSpeechRules,
): boolean {
  if (failure.kind !== 'refused' && failure.kind !== 'malformed') return false
  const label = failureLabel(failure)
  const text = failure.kind === 'refused' ? failure.message : failure.excerpt
  return rules.some(
    ({ code, message }) => code === label && (message === undefined || holdsWords(text, message)),
  )
}

/** Whether a text contains the words as whole words, in any case: `casino speeches` does not contain `no speech`. */
function holdsWords(text: string, words: string): boolean {
  const [there, sought] = [text.toLowerCase(), words.toLowerCase()]
  for (let at = there.indexOf(sought); at !== -1; at = there.indexOf(sought, at + 1)) {
    const isWhole =
      !/[\p{L}\p{N}_]$/u.test(there.slice(0, at)) && !/^[\p{L}\p{N}_]/u.test(there.slice(at + sought.length))
    if (isWhole) return true
  }
  return false
}
