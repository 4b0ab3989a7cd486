import { randomUUID } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { limits } from '#contract/enums'
import {
  type Mode,
  type ModePatch,
  type ModeSettings,
  modeDefaults,
  modeFieldParsers,
  modeTextLimits,
  type ReadOnlyModeField,
  unsetModeFields,
  type WritableModeField,
  windowsModeFields,
} from '#contract/modes'
import { type Outcome, succeeded } from '#prelude'
import { inFreeingTransaction, inTransaction } from '../folder/database.ts'
import { type JsonObject, readJsonObject } from '../http/body.ts'
import { type Handlers, type PlatformProfile, type Refusal, readId, refused } from '../http/call.ts'

/** Handlers of the five endpoints of `/modes`. */
export function modeEndpoints(store: ModeStore, defaultModel: string) {
  const answer = (mode: StoredMode, profile: PlatformProfile) =>
    succeeded({ ok: true as const, mode: presentMode(mode, profile) })

  return {
    async listModes({ profile }) {
      return succeeded({ ok: true, modes: store.list().map((mode) => presentMode(mode, profile)) })
    },

    async getMode({ id, profile }) {
      const mode = findMode(store, id)
      return mode.ok ? answer(mode.value, profile) : mode
    },

    async createMode(call) {
      const { profile } = call
      const body = await readJsonObject(call)
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
      return answer(mode, profile)
    },

    async patchMode(call) {
      const { profile } = call
      const body = await readJsonObject(call)
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
      return answer(patched, profile)
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

/** Creates the first Mode of a new service, which is the default one. */
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

function nextSortOrder(store: ModeStore, { sortOrder }: PlatformProfile): number {
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
 * Reads the writable fields of a body. Read-only and unknown keys, and fields that the profile's build lacks,
 * are ignored.
 *
 * @param purpose a null in `create` counts as absent, because a new Mode has nothing to clear
 * @returns only the fields to change; or one refusal that names all invalid fields
 */
function readModeFields(
  body: JsonObject,
  profile: PlatformProfile,
  purpose: 'create' | 'patch',
): Outcome<ModePatch, Refusal> {
  const fields: Record<string, unknown> = {}
  const problems: string[] = []
  const isPassedOver = (field: WritableModeField, value: unknown): boolean => {
    const isWindowsOnly = windowsModeFields.includes(field)
    if (isWindowsOnly && !profile.hasWindowsFields) return true
    // Windows-only fields have no null; a missing one is omitted from responses.
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

/** Checks the length before anything else processes the value, which may be a text of 50 MB. */
function lengthProblem(field: WritableModeField, value: unknown): string | null {
  const limit = modeTextLimits[field] ?? Number.POSITIVE_INFINITY
  if (typeof value === 'string' && value.length > limit) return `has at most ${limit} characters`
  if (!Array.isArray(value)) return null
  if (value.length > limits.vocabularyWords) return `has at most ${limits.vocabularyWords} words`
  const isTooLong = value.some((word) => typeof word === 'string' && word.length > limit)
  return isTooLong ? `has words of at most ${limit} characters` : null
}

/** @returns a refusal where a field that the profile's build requires is missing */
function checkRequired(
  fields: ModePatch,
  profile: PlatformProfile,
): Outcome<ModePatch & { name: string }, Refusal> {
  const missing = profile.requiredModeFields.filter((field) => fields[field] === undefined)
  const { name } = fields
  if (missing.length > 0 || name === undefined) {
    return refused('INVALID_REQUEST', `Missing in the Mode: ${missing.join(', ')}.`)
  }
  return succeeded({ ...fields, name })
}

/** A Mode as the profile's build returns it. */
function presentMode(stored: StoredMode, profile: PlatformProfile): Mode {
  const hidden = windowsModeFields.filter((field) => !profile.hasWindowsFields || stored[field] === null)
  return Object.fromEntries(
    Object.entries(stored).filter(([field]) => !(hidden as readonly string[]).includes(field)),
  ) as unknown as Mode
}

/** A Mode with all fields of all builds. */
export type StoredMode = ModeSettings & Pick<Mode, ReadOnlyModeField>

export type ModeStore = ReturnType<typeof createModeStore>

/** The Modes on disk. Writes are complete when a method returns. */
export function createModeStore(database: DatabaseSync) {
  const selectAll = database.prepare(
    'SELECT id, document FROM modes ORDER BY sort_order, created_date, position',
  )
  const selectById = database.prepare('SELECT id, document FROM modes WHERE id = ?')
  const selectByName = database.prepare('SELECT id, document FROM modes WHERE name_key = ?')
  const selectDefault = database.prepare('SELECT id, document FROM modes WHERE is_default = 1')
  const deleteById = database.prepare('DELETE FROM modes WHERE id = ?')
  const upsert = database.prepare(
    `INSERT INTO modes (id, name_key, document) VALUES (?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET name_key = excluded.name_key, document = excluded.document`,
  )
  const { read, forget } = createReader()
  const readOne = (row: Row | undefined): StoredMode | null => (row === undefined ? null : read(row))
  const list = (): readonly StoredMode[] => selectAll.all().map(read)
  const write = (mode: StoredMode): void => {
    upsert.run(mode.id, nameKey(mode.name), JSON.stringify(mode))
  }

  return {
    /** All Modes, by `sortOrder`, then by date of creation. */
    list,
    find: (id: string) => readOne(selectById.get(id)),
    /** The Mode with the same name, regardless of case. */
    findByName: (name: string) => readOne(selectByName.get(nameKey(name))),
    /** Adds a Mode, or replaces the one with its id. A new default Mode replaces the former default. */
    put(mode: StoredMode) {
      inTransaction(database, () => {
        const former = readOne(selectDefault.get())
        if (mode.isDefault && former !== null && former.id !== mode.id) write({ ...former, isDefault: false })
        write(mode)
      })
    },
    /** Removes a Mode; if it was the default, the first of the others becomes the default. */
    remove(id: string) {
      inFreeingTransaction(database, () => {
        const removed = readOne(selectById.get(id))
        deleteById.run(id)
        forget(id)
        const [first] = list()
        if (removed?.isDefault === true && first !== undefined) write({ ...first, isDefault: true })
      })
    },
  }
}

export function findMode(store: ModeStore, id: string): Outcome<StoredMode, Refusal> {
  const wellFormed = readId(id)
  if (!wellFormed.ok) return wellFormed
  const mode = store.find(wellFormed.value)
  return mode === null ? refused('MODE_NOT_FOUND', 'There is no Mode with this id.') : succeeded(mode)
}

type Row = Readonly<Record<string, unknown>>

/**
 * Parses documents, and returns the same object for the same document. A Mode may have 10,000 words, so data
 * derived from them are cached by the object.
 */
function createReader() {
  const latest = new Map<string, { readonly document: string; readonly mode: StoredMode }>()
  const read = (row: Row): StoredMode => {
    const [id, document] = [String(row['id']), String(row['document'])]
    const known = latest.get(id)
    if (known?.document === document) return known.mode
    // The cast is safe, because only this module writes the column.
    const mode = JSON.parse(document) as StoredMode
    latest.set(id, { document, mode })
    return mode
  }
  return { read, forget: (id: string) => void latest.delete(id) }
}

/** Characters that macOS trims: white space, control and format characters, fillers, and the blank Braille pattern. */
const invisible = /^[\p{White_Space}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]$/u

/**
 * Invisible characters that change the preceding character and are kept: a variation selector after a symbol
 * or an ideograph, and the tags of a flag.
 *
 * @see Unicode Technical Standard 51, sections 1.4.3 (variation) and C.1 (tags)
 */
const belongsToLast =
  /^(?:(?:[\p{Extended_Pictographic}\p{Sm}\p{scx=Han}\p{scx=Mongolian}]\p{Variation_Selector})|\u{1F3F4}[\u{E0020}-\u{E007E}]+\u{E007F})/u

/** Unicode white space, as .NET's `string.Trim()`. JavaScript's `trim` also removes U+FEFF, but not U+0085. */
const blank = /^\p{White_Space}$/u

/** A visible character: a letter, digit, punctuation mark or symbol; no combining mark, filler or blank pattern. */
const visible = /(?!\p{Default_Ignorable_Code_Point}|\u2800)[\p{L}\p{N}\p{P}\p{S}]/u

/**
 * Normalises a name by the profile's rules.
 *
 * @returns null for a name without a visible character
 */
function normaliseName(name: string, rules: PlatformProfile['nameRules']): string | null {
  if (rules === 'whitespace') return trim(name, blank) || null
  const trimmed = trim(name.normalize('NFC'), invisible, belongsToLast)
  return visible.test(trimmed) ? trimmed : null
}

/**
 * Key that is equal for names that differ only in case. Upper case comes first, because it merges what lower
 * case keeps apart: `ß` and `SS`, final and medial sigma.
 */
function nameKey(name: string): string {
  return name.toUpperCase().toLowerCase()
}

/** Trims from both ends; a regular expression that ends in `$` would take quadratic time on a long hostile name. */
function trim(name: string, unwanted: RegExp, keptAtEnd: RegExp | null = null): string {
  const characters = Array.from(name)
  const first = characters.findIndex((character) => !unwanted.test(character))
  if (first === -1) return ''
  const last = characters.findLastIndex((character) => !unwanted.test(character))
  const end = keptAtEnd?.exec(characters.slice(last).join(''))?.[0] ?? characters[last]
  return `${characters.slice(first, last).join('')}${end}`
}
