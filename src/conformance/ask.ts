import { parseForeignJson } from '#prelude'
import type { Exchange, RawReply, RawRequest } from './exchange.ts'

export type JsonObject = Readonly<Record<string, unknown>>

/** An answer together with what was asked. */
export interface Reply extends RawReply {
  /** `POST /modes`, for saying what was seen. */
  readonly asked: string
  /** The body where it is a JSON object, otherwise an empty object. */
  readonly json: JsonObject
}

export interface Asking extends Pick<RawRequest, 'announcedBytes' | 'hangUp' | 'watchesClosing'> {
  /** Sent as JSON. */
  readonly json?: unknown
  /** Sent as it is, labelled as JSON unless a header says otherwise. */
  readonly body?: string | Uint8Array | Iterable<Uint8Array>
  /** Laid over `host`, `authorization` and `content-type`; null leaves one of them out. */
  readonly headers?: Readonly<Record<string, string | null>>
}

/** Asks as a well-behaved client does, but for what `asking` says. */
export async function ask(
  exchange: Exchange,
  method: string,
  target: string,
  asking: Asking = {},
): Promise<Reply> {
  const { json: _json, headers: changed, body: _body, ...sending } = asking
  const body = bodyOf(asking)
  const headers = {
    host: `127.0.0.1:${exchange.port}`,
    authorization: `Bearer ${exchange.token}`,
    'content-type': body === undefined ? null : 'application/json',
    ...changed,
  }
  const reply = await exchange.send({
    method,
    target,
    headers: Object.entries(headers).filter((header): header is [string, string] => header[1] !== null),
    body,
    ...sending,
  })
  return { ...reply, asked: `${method} ${shortened(target, 60)}`, json: parseObject(reply.text) }
}

const utf8 = new TextEncoder()

function bodyOf({ json, body }: Asking): Uint8Array | Iterable<Uint8Array> | undefined {
  if (json !== undefined) return utf8.encode(JSON.stringify(json))
  return typeof body === 'string' ? utf8.encode(body) : body
}

function parseObject(text: string): JsonObject {
  try {
    return objectOf(parseForeignJson(text))
  } catch {
    // No JSON at all reads as an object without fields: every field is missing then.
    return {}
  }
}

/** A value as an object, or an empty one. */
export function objectOf(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {}
}

/** The objects of a list, or none. */
export function objectsOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.map(objectOf) : []
}

/** A text that fits a line. */
export function shortened(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`
}
