import type { z } from 'zod'
import { type EndpointName, endpoints, errorEnvelope, type FailureCode } from '#contract'
import { type Reply, shortened } from './ask.ts'
import type { Fault } from './conformance-case.ts'

/** What came, in a line. */
export function describeReply(reply: Reply): string {
  if (reply.status === null) return `${reply.asked}: no answer (${reply.fault})`
  const text = reply.text.replace(/\s+/g, ' ').trim()
  const body = text === '' ? 'without a body' : shortened(text, 160)
  return `${reply.asked}: HTTP ${reply.status} ${body}`
}

export function expectStatus(reply: Reply, status: number): Fault {
  return reply.status === status ? null : `${describeReply(reply)}; HTTP ${status} was due`
}

/** HTTP 200, `ok: true`, and an answer that every client can read. */
export function expectAnswer(reply: Reply, name: EndpointName): Fault {
  if (reply.status !== 200 || reply.json['ok'] !== true) {
    return `${describeReply(reply)}; HTTP 200 with ok: true was due`
  }
  return expectShape(reply, endpoints[name].answer, reply.json)
}

/** A part of an answer that fits a schema; `part` is the whole body unless something else is given. */
export function expectShape(reply: Reply, schema: z.ZodType, part: unknown, place = ''): Fault {
  const parsed = schema.safeParse(part)
  if (parsed.success) return null
  const [issue] = parsed.error.issues
  const path = [place, ...(issue?.path ?? [])].filter((step) => step !== '').join('.')
  return `${reply.asked}: ${path === '' ? 'the body' : path}: ${issue?.message ?? 'of another shape'}`
}

/** An error envelope with this code; HTTP 200 and any message unless something else is said. */
export function expectRefusal(
  reply: Reply,
  code: FailureCode | readonly FailureCode[],
  { status = 200, message }: { readonly status?: number; readonly message?: string } = {},
): Fault {
  const codes: readonly string[] = typeof code === 'string' ? [code] : code
  const due = `HTTP ${status} with ${codes.join(' or ')}${message === undefined ? '' : ` and "${message}"`}`
  const envelope = errorEnvelope.safeParse(reply.json)
  const isRight =
    reply.status === status &&
    envelope.success &&
    codes.includes(envelope.data.error.code) &&
    (message === undefined || envelope.data.error.message === message)
  return isRight ? null : `${describeReply(reply)}; ${due} was due`
}

/** A status without an envelope. */
export function expectBare(reply: Reply, status: number): Fault {
  const isBare = reply.status === status && !errorEnvelope.safeParse(reply.json).success
  return isBare ? null : `${describeReply(reply)}; a bare HTTP ${status} without an envelope was due`
}

/** Refused in one way or another: an envelope or a 4xx. */
export function expectNoSuccess(reply: Reply): Fault {
  const isRefused = reply.json['ok'] === false || (reply.status !== null && reply.status >= 400)
  return isRefused ? null : `${describeReply(reply)}; a refusal was due`
}

/** Two values that are the same JSON, in which a field that is null counts as absent, in whatever order. */
export function expectSame(reply: Reply, what: string, seen: unknown, due: unknown): Fault {
  if (comparable(seen) === comparable(due)) return null
  return `${reply.asked}: ${what} is ${shortened(JSON.stringify(seen) ?? 'absent', 80)}; ${shortened(JSON.stringify(due), 80)} was due`
}

function comparable(value: unknown): string {
  return JSON.stringify(value ?? null, (_, part: unknown) => {
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part
    const fields = Object.entries(part).filter(([, field]) => field !== null)
    return Object.fromEntries(fields.toSorted(([one], [other]) => (one < other ? -1 : 1)))
  })
}
