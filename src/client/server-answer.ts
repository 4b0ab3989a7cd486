import { z } from 'zod'
import type { Transcription } from '#contract/transcription'
import { parseJson } from '#prelude'
import { joinPortions } from '#providers/protocol'
import { isPage, isSuccess, type Reply } from './reply.ts'

/** Supported values of `response_format`; subtitle formats are not. */
export type AnswerFormat = 'json' | 'verbose_json' | 'text'

/** A transcription server's transcript; words and segments only where the server times them. */
export interface ServerTranscript extends Pick<Transcription, 'words' | 'segments'> {
  readonly text: string
  readonly language: string | null
  /** The server's own measurement, from the header `openai-processing-ms`; null where it sends none. */
  readonly processingMs: number | null
  /** The format of the response; absent where plain `json` was requested and received. */
  readonly format?: AnswerFormat
}

const timed = z.looseObject({ start: z.number(), end: z.number() })
const transcript = z.looseObject({
  // Some servers send null where there is no speech.
  text: z.string().nullable(),
  language: z.string().nullish().catch(null),
  // Times of another shape do not invalidate the transcript.
  segments: z
    .array(timed.extend({ text: z.string() }))
    .nullish()
    .catch(null),
  words: z
    .array(timed.extend({ word: z.string() }))
    .nullish()
    .catch(null),
})

/**
 * Reads a transcript in the requested format, or as an event stream, which some servers send unasked.
 *
 * @param isTimed whether to keep times, because every verbose response has segments
 * @returns null for anything else
 */
export function readServerAnswer(
  reply: Reply,
  { format, isTimed }: { readonly format: AnswerFormat; readonly isTimed: boolean },
): ServerTranscript | null {
  if (!isSuccess(reply)) return null
  const { processingMs } = reply
  const only = (text: string): ServerTranscript => ({
    text: text.trim(),
    language: null,
    processingMs,
  })
  if (isEventStream(reply)) {
    const text = textOfEvents(reply.text)
    return text === null ? null : only(text)
  }
  const value = parseJson(reply.text)
  const parsed = transcript.safeParse(value)
  if (!parsed.success) {
    if (format !== 'text' || isPage(reply)) return null
    // An object is an error sent with a success status. A text may be encoded as JSON.
    if (typeof value === 'object' && value !== null) return null
    return only(typeof value === 'string' ? value : reply.text)
  }
  const { text, language, words, segments } = parsed.data
  return {
    ...(isTimed && words != null ? { words } : {}),
    ...(isTimed && segments != null
      ? { segments: segments.map((segment, id) => ({ ...segment, id, text: segment.text.trim() })) }
      : {}),
    text: (text ?? '').trim(),
    language: language ?? null,
    processingMs,
  }
}

export function isEventStream({ text, headers }: Pick<Reply, 'text' | 'headers'>): boolean {
  return headers['content-type']?.includes('text/event-stream') === true || /^(data|event): ?\S/.test(text)
}

/**
 * The event shapes of streamed transcripts, each after `data:`
 *
 *   OpenAI     {"type": "transcript.text.delta", "delta"} …, {"type": "transcript.text.done", "text"}
 *   vLLM       {"choices": [{"delta": {"content"}}]} …, [DONE]
 *   Speaches   {"text"} for each segment; the bare text of the segment for the format `text`
 */
const streamed = z.union([
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

/** @returns null where no event has a text, or one is an error */
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
