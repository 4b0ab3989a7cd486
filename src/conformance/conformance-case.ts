import { type Platform, platforms } from '#contract/enums'
import { parseForeignJson } from '#prelude'
import type { RuleId } from './rules.ts'

/** How a rule came out. */
export type Verdict =
  | { readonly kind: 'held' }
  /** What was seen instead of what the rule says. */
  | { readonly kind: 'broken'; readonly seen: string }
  | { readonly kind: 'notApplicable'; readonly reason: string }

/**
 * What a case does to the service: `reads` changes nothing; `writes` creates Modes, which are removed again, or
 * has audio transcribed, which an application may keep in its history; `risks` switches the microphone on, leaves a transcript, or would lose the last
 * Mode of a service that does not keep the rule.
 */
export type Access = 'reads' | 'writes' | 'risks'

/** One observation that proves a rule held or broken. */
export interface ConformanceCase {
  /** The rule's id, followed by `/` and a word where a rule has several cases. */
  readonly id: string
  readonly rule: RuleId
  /** The builds that the rule speaks of. */
  readonly platforms: readonly Platform[]
  readonly access: Access
  check(exchange: Exchange): Promise<Verdict>
}

export function notApplicable(reason: string): Verdict {
  return { kind: 'notApplicable', reason }
}

/** What is wrong with one thing that was seen, or null. */
export type Fault = string | null

/** What a case finds: one thing or several that may be wrong, of which the first is reported, or that the rule does not apply. */
export type Finding = Fault | readonly Fault[] | Verdict

type Check = (exchange: Exchange) => Promise<Finding>
type CaseId = RuleId | `${RuleId}/${string}`

type MakeCase = (id: CaseId, on: readonly Platform[], check: Check) => ConformanceCase

const casesThat =
  (access: Access): MakeCase =>
  (id, on, check) => ({
    id,
    rule: id.split('/')[0] as RuleId,
    platforms: on,
    access,
    async check(exchange) {
      const finding = await check(exchange)
      if (typeof finding === 'object' && finding !== null && 'kind' in finding) return finding
      const fault = [finding].flat().find((one) => one !== null)
      return fault === undefined ? { kind: 'held' } : { kind: 'broken', seen: fault }
    },
  })

/** Makes a case that changes nothing. */
export const reads: MakeCase = casesThat('reads')
/** Makes a case that creates Modes, or has audio transcribed. */
export const writes: MakeCase = casesThat('writes')
/** Makes a case for a service that holds nothing of value. */
export const risks: MakeCase = casesThat('risks')

/** Asks in turn and says what was wrong first. */
export async function inTurn<Item>(
  items: readonly Item[],
  look: (item: Item) => Promise<Fault>,
): Promise<Fault> {
  for (const item of items) {
    const fault = await look(item)
    if (fault !== null) return fault
  }
  return null
}

/** The builds that are not one of these. */
export function except(...left: readonly Platform[]): readonly Platform[] {
  return platforms.filter((platform) => !left.includes(platform))
}

/** An id that no Mode and no recording has. */
export const unknownId = '7d1c9c5e-0f3b-4a52-9d7e-3b1a5c2f8e60'

/** A header as written in the request's head. */
export type Header = readonly [name: string, value: string]

/** One request, to the byte: the sender adds nothing but what frames the body. */
export interface RawRequest {
  readonly method: string
  /** Path and query as written in the request line. */
  readonly target: string
  /** In this order, `Host` included where there is to be one. */
  readonly headers: readonly Header[]
  /** Bytes are announced by their length; pieces are sent chunked, without one. */
  readonly body?: Uint8Array | Iterable<Uint8Array> | undefined
  /** Announce a body of this length, and send no more than `body` of it. */
  readonly announcedBytes?: number | undefined
  /** Close the connection when it resolves, and was made, if no answer has come by then. */
  readonly hangUp?: Promise<unknown> | undefined
  /** Give the server a moment to close the connection after its answer, and report whether it did. */
  readonly watchesClosing?: boolean | undefined
}

/** What came back. */
export interface RawReply {
  /** Null where no answer came. */
  readonly status: number | null
  /** By lower-case name; several of one name are joined with a comma. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** Why no answer came, or why it broke off; null for a whole one. */
  readonly fault: string | null
  /** Whether the server closed the connection; false where it was not checked. */
  readonly isClosed: boolean
}

/** A folder that the service may read, in which files can be put. The sender removes them at the end. */
export interface ReadableFolder {
  /** @returns the absolute path of a new file with these bytes, or of that many zeros */
  place(name: string, content: Uint8Array | { readonly zeroBytes: number }): Promise<string>
  /** @returns the absolute path of a new symbolic link, or null where the system makes none */
  link(name: string, target: string): Promise<string | null>
  /** The absolute path that a file of this name would have. */
  pathOf(name: string): string
}

/** What the discovery file of a service says. */
export interface FoundDiscovery {
  readonly content: unknown
  /** Permission bits; null on a system that has none. */
  readonly mode: number | null
}

/** The only access of a conformance case to the outside. The caller, which has sockets and files, implements it. */
export interface Exchange {
  send(request: RawRequest): Promise<RawReply>
  /** The port that the service itself listens on, which its `Host` names. */
  readonly port: number
  /** Never part of a verdict. */
  readonly token: string
  /** A word that no other run uses, for the names of what this one creates. */
  readonly runId: string
  /**
   * Recordings that every server can decode: a second of speech, a minute of sound, and one without a sample. WAV with a header
   * of 44 bytes. Where no speech is at hand the second is a tone, in which a server may hear nothing.
   */
  readonly audio: {
    readonly second: Uint8Array
    readonly isSpeech: boolean
    readonly minute: Uint8Array
    readonly empty: Uint8Array
  }
  /** Paths that the service may not read, of which only the first leads to a file. */
  readonly outside: { readonly existing: string; readonly missing: string }
  /** Null where no folder is known that the service may read. */
  readonly files: ReadableFolder | null
  /** Null where the service was named by its address. */
  readonly discovery: FoundDiscovery | null
  /** Addresses of this machine other than 127.0.0.1 on which the port answers; null where unknown. */
  answeringElsewhere(): Promise<readonly string[] | null>
  base64(bytes: Uint8Array): string
  wait(milliseconds: number): Promise<void>
}

export type JsonObject = Readonly<Record<string, unknown>>

/** An answer together with what was asked. */
export interface Reply extends RawReply {
  /** `POST /modes`, for saying what was seen. */
  readonly asked: string
  /** The body where it is a JSON object, otherwise an empty object. */
  readonly json: JsonObject
}

interface Asking extends Pick<RawRequest, 'announcedBytes' | 'hangUp' | 'watchesClosing'> {
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
  const body = encodeBody(asking)
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

function encodeBody({ json, body }: Asking): Uint8Array | Iterable<Uint8Array> | undefined {
  if (json !== undefined) return utf8.encode(JSON.stringify(json))
  return typeof body === 'string' ? utf8.encode(body) : body
}

function parseObject(text: string): JsonObject {
  try {
    return asObject(parseForeignJson(text))
  } catch {
    // No JSON at all reads as an object without fields: every field is missing then.
    return {}
  }
}

/** A value as an object, or an empty one. */
export function asObject(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {}
}

/** The objects of a list, or none. */
export function asObjects(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.map(asObject) : []
}

/** A text that fits a line. */
export function shortened(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`
}
