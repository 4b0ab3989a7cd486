import { randomUUID } from 'node:crypto'
import { limits } from '#contract/enums'
import {
  type Mode,
  type ModePatch,
  modeDefaults,
  modeFieldParsers,
  modeTextLimits,
  unsetModeFields,
  type WritableModeField,
  windowsModeFields,
} from '#contract/modes'
import { type Outcome, succeeded } from '#prelude'
import { type JsonObject, readJsonObject } from '../http/body.ts'
import { type Handlers, type Refusal, refused } from '../http/call.ts'
import type { Profile } from '../profiles.ts'
import { findMode, type ModeStore, normaliseName, type StoredMode } from './mode-store.ts'

/** The five verbs of `/modes`. */
export function modeEndpoints(store: ModeStore, profile: Profile, defaultModel: string) {
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
      const body = await readJsonObject(call, profile)
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
      const body = await readJsonObject(call, profile)
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
  } satisfies Handlers
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

function newMode(defaultModel: string): Omit<StoredMode, 'name' | 'sortOrder'> {
  const createdDate = now()
  return {
    ...modeDefaults,
    model: defaultModel,
    ...unsetModeFields,
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

/**
 * Reads the writable fields of a body. Read-only and unknown keys are passed over, and so is what the
 * profile's build does not know.
 *
 * @param purpose what a null means: a new Mode has nothing to clear, so there it is as if left out
 * @returns only the fields that are to change; or one refusal that names every bad field
 */
function readModeFields(
  body: JsonObject,
  profile: Profile,
  purpose: 'create' | 'patch',
): Outcome<ModePatch, Refusal> {
  const fields: Record<string, unknown> = {}
  const problems: string[] = []
  const isPassedOver = (field: WritableModeField, value: unknown): boolean => {
    const isWindowsOnly = windowsModeFields.includes(field)
    if (isWindowsOnly && !profile.hasWindowsFields) return true
    // The Windows-only fields have no null: an absent one is left out of every answer.
    return value === null && (purpose === 'create' || !profile.nullClears || isWindowsOnly)
  }
  for (const [name, parser] of Object.entries(modeFieldParsers)) {
    const field = name as WritableModeField
    if (!Object.hasOwn(body, field) || isPassedOver(field, body[field])) continue
    const length = lengthProblem(field, body[field])
    const parsed = length === null ? parser.safeParse(body[field]) : null
    if (parsed?.success) fields[field] = parsed.data
    else problems.push(`${field}: ${length ?? parsed?.error.issues[0]?.message ?? 'not a valid value'}`)
  }
  const { minimum, maximum } = profile.sortOrder
  const { sortOrder } = fields as ModePatch
  if (sortOrder !== undefined && (sortOrder < minimum || sortOrder > maximum)) {
    problems.push(`sortOrder: is a whole number from ${minimum} to ${maximum}`)
  }
  if (typeof fields['name'] === 'string') {
    const name = normaliseName(fields['name'], profile.nameRules)
    if (name === null) problems.push('name: must not be empty')
    else fields['name'] = name
  }
  if (problems.length > 0) return refused('INVALID_REQUEST', `Invalid Mode: ${problems.join('; ')}.`)
  return succeeded(fields as ModePatch)
}

/** Checked before anything else looks at the value, which may be a text of 50 MB. */
function lengthProblem(field: WritableModeField, value: unknown): string | null {
  const limit = modeTextLimits[field] ?? Number.POSITIVE_INFINITY
  if (typeof value === 'string' && value.length > limit) return `has at most ${limit} characters`
  if (!Array.isArray(value)) return null
  if (value.length > limits.vocabularyWords) return `has at most ${limits.vocabularyWords} words`
  const isTooLong = value.some((word) => typeof word === 'string' && word.length > limit)
  return isTooLong ? `has words of at most ${limit} characters` : null
}

/** @returns a refusal where a field is missing without which the profile's build creates no Mode */
function checkRequired(fields: ModePatch, profile: Profile): Outcome<ModePatch & { name: string }, Refusal> {
  const missing = profile.requiredModeFields.filter((field) => fields[field] === undefined)
  const { name } = fields
  if (missing.length > 0 || name === undefined) {
    return refused('INVALID_REQUEST', `Missing in the Mode: ${missing.join(', ')}.`)
  }
  return succeeded({ ...fields, name })
}

/** A Mode as the profile's build answers it. */
function presentMode(stored: StoredMode, profile: Profile): Mode {
  const hidden = windowsModeFields.filter((field) => !profile.hasWindowsFields || stored[field] === null)
  return Object.fromEntries(
    Object.entries(stored).filter(([field]) => !(hidden as readonly string[]).includes(field)),
  ) as unknown as Mode
}
