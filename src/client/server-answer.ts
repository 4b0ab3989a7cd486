import { z } from 'zod'
import type { Transcription } from '#contract'
import { parseJson } from '#prelude'
import { joinPortions } from '#providers'
import type { Reply } from './connection/reply-receiver.ts'

/** What `response_format` may ask for here; subtitles are no transcripts. */
export type AnswerFormat = 'json' | 'verbose_json' | 'text'

/** What a transcription server says of a recording. Words and segments only where it times them. */
export interface ServerTranscript extends Pick<Transcription, 'words' | 'segments'> {
  readonly text: string
  readonly language: string | null
  /** Length of the audio as the server measured it, which is what it bills; null where it does not say. */
  readonly durationSeconds: number | null
  /** The server's own stopwatch, from the header `openai-processing-ms`; null where it does not say. */
  readonly processingMs: number | null
  /** The format of the answer; absent where plain `json` was asked for and came. */
  readonly format?: AnswerFormat
}

const timed = z.looseObject({ start: z.number(), end: z.number() })
const transcript = z.looseObject({
  // Some say null where there is no speech.
  text: z.string().nullable(),
  language: z.string().nullish().catch(null),
  // A server with other times has a transcript all the same.
  duration: z.coerce.number().nullish().catch(null),
  segments: z
    .array(timed.extend({ text: z.string() }))
    .nullish()
    .catch(null),
  words: z
    .array(timed.extend({ word: z.string() }))
    .nullish()
    .catch(null),
})

export function isSuccess({ status }: Pick<Reply, 'status'>): boolean {
  return status >= 200 && status < 300
}

/** Whether an answer is a page for people, as proxies and wrong addresses send it. */
export function isPage({ text, headers }: Pick<Reply, 'text' | 'headers'>): boolean {
  return headers['content-type']?.includes('text/html') === true || /^\s*<(!doctype|html)/i.test(text)
}

/**
 * Reads a transcript in the format that was asked for, or as a stream of events, which some servers send without being asked.
 *
 * @param isTimed whether times are wanted: servers send segments with every verbose answer
 * @returns null for everything else
 */
export function readServerAnswer(
  reply: Reply,
  { format, isTimed }: { readonly format: AnswerFormat; readonly isTimed: boolean },
): ServerTranscript | null {
  if (!isSuccess(reply)) return null
  const { processingMs } = reply
  const only = (text: string): ServerTranscript => ({
    ...{ text: text.trim(), language: null, durationSeconds: null, processingMs },
  })
  if (isEventStream(reply)) {
    const text = textOfEvents(reply.text)
    return text === null ? null : only(text)
  }
  const value = parseJson(reply.text)
  const parsed = transcript.safeParse(value)
  if (!parsed.success) {
    if (format !== 'text' || isPage(reply)) return null
    // An object is an error that came with the status of a success. A text may be sent as JSON.
    if (typeof value === 'object' && value !== null) return null
    return only(typeof value === 'string' ? value : reply.text)
  }
  const { text, language, duration, words, segments } = parsed.data
  return {
    ...(isTimed && words != null ? { words } : {}),
    ...(isTimed && segments != null
      ? { segments: segments.map((segment, id) => ({ ...segment, id, text: segment.text.trim() })) }
      : {}),
    text: (text ?? '').trim(),
    language: language ?? null,
    durationSeconds: duration ?? null,
    processingMs,
  }
}

export function isEventStream({ text, headers }: Pick<Reply, 'text' | 'headers'>): boolean {
  return headers['content-type']?.includes('text/event-stream') === true || /^(data|event): ?\S/.test(text)
}

/**
 * The shapes in which servers stream a transcript, each after `data:`
 *
 *   OpenAI     {"type": "transcript.text.delta", "delta"} …, {"type": "transcript.text.done", "text"}
 *   vLLM       {"choices": [{"delta": {"content"}}]} …, [DONE]
 *   Speaches   {"text"} for each segment; the segment's text itself where `text` was asked for
 */
const streamed: z.ZodType<StreamedText> = z.union([
  z
    .looseObject({ type: z.literal('transcript.text.done'), text: z.string() })
    .transform(({ text }) => ({ text })),
  z
    .looseObject({ type: z.literal('transcript.text.delta'), delta: z.string() })
    .transform(({ delta }) => ({ delta })),
  z
    .looseObject({
      choices: z.array(z.looseObject({ delta: z.looseObject({ content: z.string().nullish() }) })),
    })
    .transform(({ choices }) => ({ delta: choices[0]?.delta.content ?? '' })),
  z.looseObject({ text: z.string() }).transform(({ text }) => ({ portion: text })),
])

type StreamedText = { readonly text: string } | { readonly delta: string } | { readonly portion: string }

/** @returns null where no event has a text, and for an error among them */
function textOfEvents(stream: string): string | null {
  const deltas: string[] = []
  const portions: string[] = []
  let isRead = false
  for (const block of stream.split(/\r?\n\r?\n/)) {
    const data = block
      .split(/\r?\n/)
      .filter((line) => line.startsWith('data:'))
      .map((line) => line.slice(5).replace(/^ /, ''))
      .join('\n')
    if (data === '' || data.trim() === '[DONE]') continue
    const value = parseJson(data)
    const parsed = streamed.safeParse(value)
    if (!parsed.success) {
      if (typeof value !== 'object' || value === null) {
        isRead = true
        portions.push(data)
      } else if ('error' in value) return null
      continue
    }
    isRead = true
    const event = parsed.data
    if ('portion' in event) portions.push(event.portion)
    else if ('delta' in event) deltas.push(event.delta)
    else return event.text
  }
  if (!isRead) return null
  return deltas.length > 0 ? deltas.join('') : joinPortions(portions)
}
