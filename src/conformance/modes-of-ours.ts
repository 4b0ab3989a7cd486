import { conformanceModeName } from '#contract'
import { failed, type Outcome, succeeded } from '#prelude'
import { ask, type JsonObject, objectOf, objectsOf, type Reply } from './ask.ts'
import { broken, type Fault, type Verdict } from './conformance-case.ts'
import type { Exchange } from './exchange.ts'
import { describeReply, expectAnswer, expectSame } from './expect-reply.ts'

/** A name that only this run has. */
export function ourName(exchange: Pick<Exchange, 'runId'>, label: string): string {
  return conformanceModeName(exchange.runId, label)
}

export function isOurName(exchange: Pick<Exchange, 'runId'>, name: unknown): boolean {
  return typeof name === 'string' && name.startsWith(ourName(exchange, ''))
}

/** Every field that some build requires, and whatever else is said. */
export function draftOf(exchange: Exchange, label: string, fields: JsonObject = {}): JsonObject {
  return {
    name: ourName(exchange, label),
    preset: 'note',
    language: 'en',
    model: 'a-local-model',
    punctuation: true,
    capitalization: true,
    profanityFilter: false,
    ...fields,
  }
}

/** A Mode that this run created, as the server answered it. */
export type OwnMode = JsonObject & { readonly id: string }

/** Creates a Mode that the case needs for something else; where that fails, so does the case. */
export async function createMode(
  exchange: Exchange,
  label: string,
  fields: JsonObject = {},
): Promise<Outcome<OwnMode, Verdict>> {
  const reply = await ask(exchange, 'POST', '/modes', { json: draftOf(exchange, label, fields) })
  const mode = modeOf(reply)
  return mode === null ? failed(broken(describeReply(reply))) : succeeded(mode)
}

/** The `mode` of an answer, or null. */
export function modeOf(reply: Reply): OwnMode | null {
  const mode = objectOf(reply.json['mode'])
  return reply.json['ok'] === true && typeof mode['id'] === 'string' ? (mode as OwnMode) : null
}

export function patchMode(exchange: Exchange, id: string, json: JsonObject): Promise<Reply> {
  return ask(exchange, 'PATCH', `/modes/${id}`, { json })
}

export async function listModes(exchange: Exchange): Promise<readonly JsonObject[]> {
  return objectsOf((await ask(exchange, 'GET', '/modes')).json['modes'])
}

/** Compares these fields of an answer's Mode with their expected values. */
export function expectMode(reply: Reply, due: JsonObject): Fault {
  const fault = expectAnswer(reply, 'getMode')
  if (fault !== null) return fault
  const mode = objectOf(reply.json['mode'])
  return (
    Object.entries(due)
      .map(([field, value]) => expectSame(reply, field, mode[field], value))
      .find((fault) => fault !== null) ?? null
  )
}
