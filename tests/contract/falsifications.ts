import { type Falsification, type ProxiedReply, type ProxiedRequest, withJson } from './conformance-proxy.ts'

/** The ways in which a proxy falsifies, as a table of wrong servers names them. */
export type Json = Record<string, unknown>

/** What a falsification is about: whatever agrees with all that is named here. */
interface When {
  readonly method?: string
  readonly url?: string | RegExp
  readonly body?: RegExp
  readonly asked?: (asked: ProxiedRequest) => boolean
  readonly status?: number
  /** A part of the text of the reply. */
  readonly says?: string
}

function isAsked({ method, url, body, asked: isMeant }: When, asked: ProxiedRequest): boolean {
  return (
    (method === undefined || method === asked.method) &&
    (url === undefined || (typeof url === 'string' ? url === asked.url : url.test(asked.url))) &&
    (body === undefined || (asked.body !== null && body.test(asked.body))) &&
    isMeant?.(asked) !== false
  )
}

/** A part of the whole, or what becomes of it. */
type Change<Whole> = Partial<Whole> | ((whole: Whole) => Whole)
const changed = <Whole extends object>(whole: Whole, change: Change<Whole>): Whole =>
  typeof change === 'function' ? change(whole) : { ...whole, ...change }

export const requestAs = (when: When, change: Change<ProxiedRequest>): Falsification => ({
  request: (asked) => (isAsked(when, asked) ? changed(asked, change) : asked),
})
export const bodyAs = (pattern: RegExp, to: string, when: When = {}): Falsification =>
  requestAs({ ...when, body: pattern }, (asked) => ({
    ...asked,
    body: asked.body?.replace(pattern, to) ?? null,
  }))
export const urlAs = (pattern: RegExp, to: string): Falsification =>
  requestAs({ url: pattern }, (asked) => ({ ...asked, url: asked.url.replace(pattern, to) }))
/** One header of those that have it; undefined takes it away. */
export const headerAs = (name: string, change: (value: string) => string | undefined): Falsification =>
  requestAs({ asked: ({ headers }) => typeof headers[name] === 'string' }, (asked) => {
    const { [name]: value, ...others } = asked.headers
    const other = change(String(value))
    return { ...asked, headers: other === undefined ? others : { ...others, [name]: other } }
  })
export const withHeader = (asked: ProxiedRequest, name: string, value: string): ProxiedRequest => ({
  ...asked,
  headers: { ...asked.headers, [name]: value },
})

export const insteadOf = (when: When, reply: ProxiedReply): Falsification => ({
  instead: (asked) => (isAsked(when, asked) ? reply : null),
})
export const refusal = (code = 'INVALID_REQUEST', message = 'No.', status = 200): ProxiedReply => ({
  status,
  text: JSON.stringify({ ok: false, error: { code, message } }),
})

export const replyAs = (when: When, change: Change<ProxiedReply>): Falsification => ({
  reply(reply, asked) {
    const { status = reply.status, says = '' } = when
    const isMeant = isAsked(when, asked) && status === reply.status && reply.text.includes(says)
    return isMeant ? changed(reply, change) : reply
  },
})
/** Every place of a text, or the first of a pattern. */
export const textAs = (from: string | RegExp, to: string, when: When = {}): Falsification =>
  replyAs(when, (reply) => ({
    ...reply,
    text: typeof from === 'string' ? reply.text.replaceAll(from, to) : reply.text.replace(from, to),
  }))
export const jsonAs = (when: When, change: (json: Json) => Json): Falsification =>
  replyAs(when, (reply) => (reply.text.startsWith('{') ? withJson(reply, change) : reply))
/** Every answer that has this field and is no refusal. */
export const changes = (field: string, change: (json: Json) => Json, when: When = {}): Falsification =>
  jsonAs(when, (json) => (field in json && json['ok'] !== false ? change(json) : json))
export const theOne = (field: string, change: (item: Json) => Json, when: When = {}): Falsification =>
  changes(field, (json) => ({ ...json, [field]: change(json[field] as Json) }), when)
export const theList = (field: string, change: (list: Json[]) => Json[], when: When = {}): Falsification =>
  changes(field, (json) => ({ ...json, [field]: change(json[field] as Json[]) }), when)
export const eachOf = (field: string, change: (item: Json, index: number) => Json): Falsification =>
  theList(field, (list) => list.map(change))

export const set =
  (more: Json) =>
  (json: Json): Json => ({ ...json, ...more })
export const without =
  (name: string) =>
  (json: Json): Json => {
    const { [name]: _, ...others } = json
    return others
  }
