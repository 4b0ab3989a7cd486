import { randomUUID } from 'node:crypto'
import { type Outcome, succeeded } from '#prelude'
import { readJsonObject } from '../http/body.ts'
import type { Handlers } from '../http/call.ts'
import { readId } from '../http/read-id.ts'
import { type Refusal, refused } from '../http/refusal.ts'
import type { Profile } from '../profiles.ts'
import { checkRequired, plainSettings, presentMode, readModeFields } from './mode-rules.ts'
import type { ModeStore, StoredMode } from './mode-store.ts'

type ModeHandlers = Required<
  Pick<Handlers, 'listModes' | 'getMode' | 'createMode' | 'patchMode' | 'deleteMode'>
>

/** The five verbs of `/modes`. */
export function modeEndpoints(store: ModeStore, profile: Profile, defaultModel: string): ModeHandlers {
  const answer = (mode: StoredMode) => succeeded({ ok: true as const, mode: presentMode(mode, profile) })

  return {
    async listModes() {
      return succeeded({ ok: true, modes: store.list().map((mode) => presentMode(mode, profile)) })
    },

    async getMode({ id }) {
      const mode = findMode(store, id)
      return mode.ok ? answer(mode.value) : mode
    },

    async createMode(call) {
      const body = await readJsonObject(call, profile, 'elsewhere')
      if (!body.ok) return body
      const fields = readModeFields(body.value, profile, 'create')
      if (!fields.ok) return fields
      const draft = checkRequired(fields.value, profile)
      if (!draft.ok) return draft
      if (store.findByName(draft.value.name) !== null) return nameTaken(draft.value.name)
      const mode: StoredMode = {
        ...newMode(defaultModel),
        sortOrder: nextSortOrder(store, profile),
        ...draft.value,
      } as StoredMode
      store.put(mode)
      return answer(mode)
    },

    async patchMode(call) {
      const body = await readJsonObject(call, profile, 'elsewhere')
      if (!body.ok) return body
      const mode = findMode(store, call.id)
      if (!mode.ok) return mode
      const fields = readModeFields(body.value, profile, 'patch')
      if (!fields.ok) return fields
      const { name, isDefault } = fields.value
      const namesake = name === undefined ? null : store.findByName(name)
      if (namesake !== null && namesake.id !== mode.value.id) return nameTaken(namesake.name)
      if (isDefault === false && mode.value.isDefault) {
        return refused(
          'INVALID_REQUEST',
          'One Mode is always the default one.',
          'Make another Mode the default.',
        )
      }
      const patched = { ...mode.value, ...fields.value, modifiedDate: now() } as StoredMode
      store.put(patched)
      return answer(patched)
    },

    async deleteMode({ id }) {
      const mode = findMode(store, id)
      if (!mode.ok) return mode
      if (store.list().length === 1) return refused('INVALID_REQUEST', 'The last Mode cannot be deleted.')
      store.remove(mode.value.id)
      return succeeded({ ok: true })
    },
  }
}

/** A new service creates one Mode, which is the default one. */
export function ensureFirstMode(store: ModeStore, defaultModel: string): void {
  if (store.list().length > 0) return
  store.put({
    ...newMode(defaultModel),
    name: 'Dictation',
    isDefault: true,
    isSystemProvided: true,
    sortOrder: 0,
  })
}

export function findMode(store: ModeStore, id: string): Outcome<StoredMode, Refusal> {
  const wellFormed = readId(id)
  if (!wellFormed.ok) return wellFormed
  const mode = store.find(wellFormed.value)
  return mode === null ? refused('MODE_NOT_FOUND', 'There is no Mode with this id.') : succeeded(mode)
}

function newMode(defaultModel: string): Omit<StoredMode, 'name' | 'sortOrder'> {
  const createdDate = now()
  return {
    ...plainSettings(defaultModel),
    id: randomUUID(),
    isDefault: false,
    isSystemProvided: false,
    createdDate,
    modifiedDate: createdDate,
  }
}

function nextSortOrder(store: ModeStore, { sortOrder }: Profile): number {
  const last = store.list().at(-1)?.sortOrder ?? -1
  return Math.min(last + 1, sortOrder.maximum)
}

function nameTaken(name: string): Outcome<never, Refusal> {
  return refused('MODE_NAME_TAKEN', `There is a Mode named "${name}" already.`)
}

function now(): string {
  return new Date().toISOString()
}
