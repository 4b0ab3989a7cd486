import { z } from 'zod'
import { meansRateLimited, requestFailure } from '#contract/failures'
import type { DeepReadonly } from '#prelude'
import { count, nullableText, text } from '#prelude/document-fields'
import { timedTextSchema } from '#scoring/shapes'
import { block, phase, round } from './plan-line.ts'

const milliseconds = z.number()

const answerTimes = z
  .object({
    unit: z.enum(['word', 'segment']).describe('What the server timed; words where it timed both.'),
    parts: z.array(timedTextSchema).describe('In the order of the answer.'),
  })
  .meta({ id: 'AnswerTimes', description: 'Words or segments of an answer with their times.' })
export type AnswerTimes = DeepReadonly<z.infer<typeof answerTimes>>

const answer = z
  .object({
    text: text.describe('The text as the server sent it.'),
    rawText: nullableText.describe('Output of the engine before any change; null where it was not sent.'),
    engine: text.describe('Engine that answered.'),
    model: text.describe('Model that answered.'),
    language: nullableText.describe('Language that the server reports; null where it reports none.'),
    serverLoadMs: milliseconds
      .nullable()
      .describe('Time in which the server loaded the model, in milliseconds; null where it reports none.'),
    serverDecodeMs: milliseconds
      .nullable()
      .describe('Time of decoding in milliseconds; null where the server reports none.'),
    serverLatencyMs: milliseconds
      .nullable()
      .describe('Latency in milliseconds as the server reports it; null where it reports none.'),
    cutsSeconds: z
      .array(z.number())
      .optional()
      .describe('Where the server cut the recording, in seconds; absent where it reports no cut.'),
    format: text
      .optional()
      .describe(
        '`response_format` of the answer (`verbose_json`, `json`, `text`) of a transcription server; absent where plain `json` was ' +
          'asked for and came.',
      ),
    times: answerTimes
      .optional()
      .describe('Absent where the server sent none, and where none were requested: the reference has none.'),
    isPostProcessed: z
      .boolean()
      .optional()
      .describe('False where a provider failed and the text came back unchanged; only in post-processing.'),
  })
  .meta({ id: 'AttemptAnswer', description: 'What the server answered.' })
export type AttemptAnswer = DeepReadonly<z.infer<typeof answer>>

const usedTransport = z.enum(['path', 'staged', 'base64', 'multipart', 'text']).meta({
  id: 'UsedTransport',
  description:
    'How the audio travelled: a path, a copy where the server may read, base64 in the body, a form; `text` where there is none.',
})
export type UsedTransport = z.infer<typeof usedTransport>

/** Transport of the audio of an attempt. */
export type AudioTransport = Exclude<UsedTransport, 'text'>

/**
 * Time at which an attempt got a socket, and at which its body was sent:
 *
 *   sentAtMs ──queue, connectMs──► startedAtMs ──► uploadedAtMs ──► firstByteAtMs
 */
const socket = z
  .object({
    startedAtMs: milliseconds.describe('When the head was written, in milliseconds.'),
    connectMs: milliseconds.describe('Duration of connecting in milliseconds; 0 on a socket that was open.'),
    uploadedAtMs: milliseconds
      .nullable()
      .describe(
        'When the operating system had taken the whole body, in milliseconds; null where it never had.',
      ),
  })
  .meta({ id: 'AttemptSocket', description: 'When an attempt had a socket; times as in the attempt.' })

export const segment = count
  .optional()
  .describe(
    'How often the run had been resumed before; absent for 0. Ramp-up, steady part and drain are those of one such stretch.',
  )

/**
 * Parser of one line of `journal.jsonl`. Each attempt has one line, written before the attempt counts as done.
 * Times are milliseconds on the run's monotonic clock. The clock stops when a run dies, and a resumed run continues
 * from the last time that was recorded.
 *
 *   dueAtMs ──send lag──► sentAtMs ──► firstByteAtMs ──► endedAtMs
 *   └─────── response time ──────────────────────────────────┘
 *                         └──────── service time ────────────┘
 */
export const attemptLine = z
  .object({
    index: count.describe('`index` of the planned request.'),
    attempt: z.int().min(1).describe('1 for the first sending of this request.'),
    segment,
    phase: phase.describe('Phase.'),
    round,
    block,
    contenderId: text.describe('Contender that it was sent to.'),
    utteranceId: text.describe('Utterance that was sent.'),
    modeId: nullableText.describe('Mode that was used; null without.'),
    transport: usedTransport.describe('How the audio travelled.'),
    refusedTransport: usedTransport
      .optional()
      .describe('Transport that the server refused just before; absent where none was.'),
    pacedMs: milliseconds
      .optional()
      .describe(
        'Milliseconds that it was held back before it was due, because the server had asked for a pause or a limit of requests ' +
          'per minute was reached; in no latency. Absent where it was not.',
      ),
    resentFor: z
      .array(text)
      .optional()
      .describe(
        'Sendings just before this one, of which no answer came, each by its reason: `closedConnection` (by the server, since ' +
          'the request before), `redirect`, or a refused `format` or `timestamps`. Absent where there were none.',
      ),
    resentMs: milliseconds
      .optional()
      .describe('What these took, in milliseconds; in no latency. Absent where there were none.'),
    audioSeconds: z.number().describe('Length of the recording in seconds.'),
    bodyBytes: count.describe('Size of the request body in bytes.'),
    dueAtMs: milliseconds.describe('When it was due, in milliseconds.'),
    sentAtMs: milliseconds.describe('When it was sent, in milliseconds.'),
    firstByteAtMs: milliseconds
      .nullable()
      .describe('When the answer began, in milliseconds; null where none began.'),
    endedAtMs: milliseconds.describe('When it was over, in milliseconds.'),
    socket: socket.optional().describe('Absent where it never had a socket.'),
    outcome: z
      .discriminatedUnion('ok', [
        z.object({ ok: z.literal(true).describe('Answered.'), answer: answer.describe('Answer.') }),
        z.object({ ok: z.literal(false).describe('Failed.'), failure: requestFailure.describe('Failure.') }),
      ])
      .describe('Answer or failure.'),
  })
  .meta({
    id: 'AttemptLine',
    description:
      "One attempt. Times are milliseconds since the run's clock started, which stops between a death and a resumption.",
  })
export type AttemptLine = DeepReadonly<z.infer<typeof attemptLine>>

/**
 * Whether an attempt follows a refusal for a rate limit that was waited out. A retry may be held back too, by a limit of
 * requests per minute.
 *
 * @param previous the attempt of the same request before it
 */
export function followsPause({ pacedMs }: AttemptLine, previous: AttemptLine | undefined): boolean {
  return pacedMs !== undefined && previous?.outcome.ok === false && meansRateLimited(previous.outcome.failure)
}

/** Parser of one line of `reused.jsonl`: a request that was not sent, because an earlier run has its answer. */
export const reusedLine = z
  .object({
    index: z.int().min(0).describe('`index` of the planned request.'),
    contenderId: z.string().describe('Contender that it is an answer of.'),
    utteranceId: z.string().describe('Utterance that it is an answer to.'),
    run: z.string().describe('Id of the run that received it.'),
    runIndex: z.int().min(0).describe('`index` of the request in that run.'),
    answeredAt: z.string().describe('When it was received, ISO 8601, UTC.'),
    outcome: attemptLine.shape.outcome,
  })
  .meta({
    id: 'ReusedLine',
    description:
      'One answer of an earlier run that is scored again, for accuracy alone; absent from the journal.',
  })
export type ReusedLine = DeepReadonly<z.infer<typeof reusedLine>>
