import { type Platform, platforms } from '#contract/enums'
import { bracketExcess } from '#prelude'
import type { RuleId } from './rules.ts'

/** The result of a rule. */
export type Verdict =
  | { readonly kind: 'held' }
  /** `seen` is the observed behaviour that contradicts the rule. */
  | { readonly kind: 'broken'; readonly seen: string }
  | { readonly kind: 'notApplicable'; readonly reason: string }

/**
 * Effect of a case on the service. `reads`: none. `writes`: creates Modes, which are removed again, or
 * transcribes audio, which an application may keep in its history. `risks`: uses the microphone, leaves a
 * transcript, or loses the last Mode of a service that violates the rule.
 */
export type Access = 'reads' | 'writes' | 'risks'

/** One check that shows whether a rule holds. */
export interface ConformanceCase {
  /** The rule's id, followed by `/` and a word if the rule has several cases. */
  readonly id: string
  readonly rule: RuleId
  /** The builds that the rule applies to. */
  readonly platforms: readonly Platform[]
  readonly access: Access
  check(exchange: Exchange): Promise<Verdict>
}

export function notApplicable(reason: string): Verdict {
  return { kind: 'notApplicable', reason }
}

/** The fault of one observation, or null. */
export type Fault = string | null

/** The result of a check: faults, of which the first is reported, or a verdict such as `notApplicable`. */
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
/** Makes a case that creates Modes or transcribes audio. */
export const writes: MakeCase = casesThat('writes')
/** Makes a case that only a service without valuable data should run. */
export const risks: MakeCase = casesThat('risks')

/** Checks items one after the other; returns the first fault. */
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

/** All builds except the given ones. */
export function except(...excluded: readonly Platform[]): readonly Platform[] {
  return platforms.filter((platform) => !excluded.includes(platform))
}

/** An id that no Mode and no recording has. */
export const unknownId = '7d1c9c5e-0f3b-4a52-9d7e-3b1a5c2f8e60'

/** A header line of the request's head. */
export type Header = readonly [name: string, value: string]

/** One request, byte for byte: the sender adds only the framing of the body. */
export interface RawRequest {
  readonly method: string
  /** Path and query, as in the request line. */
  readonly target: string
  /** All headers in this order, including `Host` if it is to be sent. */
  readonly headers: readonly Header[]
  /** `Uint8Array` is sent with a `Content-Length`; pieces are sent chunked. */
  readonly body?: Uint8Array | Iterable<Uint8Array> | undefined
  /** `Content-Length` to announce, of which only the bytes of `body` are sent. */
  readonly announcedBytes?: number | undefined
  /** The connection closes when this promise resolves, if no response has arrived by then. */
  readonly hangUp?: Promise<unknown> | undefined
  /** Whether to wait briefly after the response, and report whether the server closes the connection. */
  readonly watchesClosing?: boolean | undefined
}

/** The response of the server. */
export interface RawReply {
  /** Null where no response came. */
  readonly status: number | null
  /** Values by lower-case name; repeated headers are joined with a comma. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** Why the response is missing or incomplete; null for a complete one. */
  readonly fault: string | null
  /** Whether the server closed the connection; false where it was not checked. */
  readonly isClosed: boolean
}

/** A folder of test files that the service may read; the sender removes the files at the end. */
export interface ReadableFolder {
  /** @returns the absolute path of a new file with these bytes, or with `zeroBytes` zeros */
  place(name: string, content: Uint8Array | { readonly zeroBytes: number }): Promise<string>
  /** @returns the absolute path of a new symbolic link; null where the system does not support one */
  link(name: string, target: string): Promise<string | null>
  /** The absolute path that a file of this name would have. */
  pathOf(name: string): string
}

/** The discovery file of a service. */
export interface FoundDiscovery {
  readonly content: unknown
  /** Permission bits; null on a system without them. */
  readonly mode: number | null
}

/** The only I/O of a conformance case. The caller, which has sockets and files, implements it. */
export interface Exchange {
  send(request: RawRequest): Promise<RawReply>
  /** The port that the service itself listens on, and expects in `Host`. */
  readonly port: number
  /** The token; no verdict may contain it. */
  readonly token: string
  /** A word unique to this run, used in the names of the Modes that it creates. */
  readonly runId: string
  /**
   * Recordings that every server can decode: a second of speech, a minute of sound, one without samples. All
   * are WAV with a header of 44 bytes. Without speech at hand the second is a tone, for which a server may
   * return no text.
   */
  readonly audio: {
    readonly second: Uint8Array
    readonly isSpeech: boolean
    readonly minute: Uint8Array
    readonly empty: Uint8Array
  }
  /** Paths that the service may not read; only `existing` leads to a file. */
  readonly outside: { readonly existing: string; readonly missing: string }
  /** Null where no folder is known that the service may read. */
  readonly files: ReadableFolder | null
  /** Null where the user named the service by its address. */
  readonly discovery: FoundDiscovery | null
  /** Addresses of this machine other than 127.0.0.1 on which the port answers; null where unknown. */
  answeringElsewhere(): Promise<readonly string[] | null>
  base64(bytes: Uint8Array): string
  wait(milliseconds: number): Promise<void>
}

export type JsonObject = Readonly<Record<string, unknown>>

/** A response together with its request. */
export interface Reply extends RawReply {
  /** Method and path for messages, such as `POST /modes`. */
  readonly request: string
  /** The body, if it is a JSON object; otherwise an empty object. */
  readonly json: JsonObject
}

interface Asking extends Pick<RawRequest, 'announcedBytes' | 'hangUp' | 'watchesClosing'> {
  /** Body to send as JSON. */
  readonly json?: unknown
  /** Body to send unchanged, with the JSON media type unless a header overrides it. */
  readonly body?: string | Uint8Array | Iterable<Uint8Array>
  /** Overrides of `host`, `authorization` and `content-type`; null omits a header. */
  readonly headers?: Readonly<Record<string, string | null>>
}

/** Sends a well-formed, authorised request, apart from what `asking` changes. */
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
    target: inRequestLine(target),
    headers: Object.entries(headers).filter((header): header is [string, string] => header[1] !== null),
    body,
    ...sending,
  })
  return { ...reply, request: `${method} ${shortened(target, 60)}`, json: parseObject(reply.text) }
}

/** A target may have an id of a foreign server, with any characters. A request line takes only visible ASCII. */
function inRequestLine(target: string): string {
  return target.toWellFormed().replaceAll(/[^\x21-\x7e]/gu, encodeURIComponent)
}

const utf8 = new TextEncoder()

function encodeBody({ json, body }: Asking): Uint8Array | Iterable<Uint8Array> | undefined {
  if (json !== undefined) return utf8.encode(JSON.stringify(json))
  return typeof body === 'string' ? utf8.encode(body) : body
}

/** The JSON object of a text; an empty object for any other text. */
export function parseObject(text: string): JsonObject {
  try {
    if (bracketExcess(text) !== null) return {}
    // An object with its own toString, which no API has, could not be shown in a message.
    return asObject(JSON.parse(text, (name, value) => (name === 'toString' ? undefined : value)))
  } catch {
    // An invalid JSON body counts as an object in which all fields are missing.
    return {}
  }
}

/** The value if it is an object; otherwise an empty object. */
export function asObject(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {}
}

/** The elements of a list as objects; an empty list for any other value. */
export function asObjects(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.map(asObject) : []
}

/** Shortens a text to `length` characters. */
export function shortened(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`
}
