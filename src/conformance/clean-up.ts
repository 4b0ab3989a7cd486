import { parseForeignJson } from '#prelude'
import { ask, type JsonObject, objectOf } from './ask.ts'
import type { Exchange, RawReply, RawRequest } from './exchange.ts'
import { isOurName, listModes, patchMode } from './modes-of-ours.ts'

export interface CleanUp {
  /** As the given one, but remembers what is created through it. */
  readonly exchange: Exchange
  /** Removes what was created since, and restores the default Mode. */
  removeCreated(): Promise<void>
  /** Names of created Modes that are still there. */
  leftBehind(): Promise<readonly string[]>
}

/**
 * Remembers which Modes are created. Their ids come from the answers, and from the list where an answer was
 * lost.
 */
export async function watchModes(exchange: Exchange): Promise<CleanUp> {
  const created = new Set<unknown>()
  const former = await listModes(exchange)
  const formerIds = new Set(former.map((mode) => mode['id']))
  const formerDefault = former.find((mode) => mode['isDefault'] === true)?.['id']
  // A server that answers a create with a Mode it already had does not make that Mode ours.
  const isOurs = ({ id, name }: JsonObject): boolean =>
    !formerIds.has(id) && (created.has(id) || isOurName(exchange, name))
  let mayHaveChanged = false

  const watched: Exchange = {
    ...exchange,
    async send(request) {
      const reply = await exchange.send(request)
      if (/^(POST|PATCH|DELETE)$/.test(request.method)) mayHaveChanged = true
      const id = createdId(request, reply)
      if (id !== null) created.add(id)
      return reply
    },
  }

  return {
    exchange: watched,
    async removeCreated() {
      if (!mayHaveChanged) return
      mayHaveChanged = false
      const modes = await listModes(exchange)
      const wasDefault = modes.find((mode) => mode['id'] === formerDefault)
      if (wasDefault?.['isDefault'] === false) {
        await patchMode(exchange, String(formerDefault), { isDefault: true })
      }
      for (const mode of modes.filter(isOurs)) await ask(exchange, 'DELETE', `/modes/${mode['id']}`)
    },
    async leftBehind() {
      return (await listModes(exchange)).filter(isOurs).map(({ name }) => String(name))
    },
  }
}

function createdId({ method, target }: RawRequest, { text }: RawReply): string | null {
  if (method !== 'POST' || target !== '/modes') return null
  try {
    const id = objectOf(objectOf(parseForeignJson(text))['mode'])['id']
    return typeof id === 'string' ? id : null
  } catch {
    // No JSON, no Mode: what was created all the same is found by its name.
    return null
  }
}
