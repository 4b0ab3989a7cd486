import type { DatabaseSync } from 'node:sqlite'
import type { Mode, ModeSettings, ReadOnlyModeField } from '#contract/modes'
import { type Outcome, succeeded } from '#prelude'
import { inFreeingTransaction, inTransaction } from '../folder/database.ts'
import { type Refusal, readId, refused } from '../http/call.ts'
import type { Profile } from '../profiles.ts'

/** A Mode with every field of every build. */
export type StoredMode = ModeSettings & Pick<Mode, ReadOnlyModeField>

export type ModeStore = ReturnType<typeof createModeStore>

/** The Modes on disk. A method that returns has written. */
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
    /** By `sortOrder`, then by date of creation. */
    list,
    find: (id: string) => readOne(selectById.get(id)),
    /** The Mode whose name differs from this one in case at most. */
    findByName: (name: string) => readOne(selectByName.get(nameKey(name))),
    /** Adds a Mode or replaces the one with its id. A default Mode takes that from the one before. */
    put(mode: StoredMode) {
      inTransaction(database, () => {
        const former = readOne(selectDefault.get())
        if (mode.isDefault && former !== null && former.id !== mode.id) write({ ...former, isDefault: false })
        write(mode)
      })
    },
    /** Makes the first of the others the default where this one was. */
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
 * Reads documents, and returns the same object for the same document: a Mode may hold 10,000 words, and what is derived
 * from them can be cached by the object.
 */
function createReader() {
  const latest = new Map<string, { readonly document: string; readonly mode: StoredMode }>()
  const read = (row: Row): StoredMode => {
    const [id, document] = [String(row['id']), String(row['document'])]
    const known = latest.get(id)
    if (known?.document === document) return known.mode
    // Only this module writes the column.
    const mode = JSON.parse(document) as StoredMode
    latest.set(id, { document, mode })
    return mode
  }
  return { read, forget: (id: string) => void latest.delete(id) }
}

/** What macOS trims from both ends: white space, control and format characters, fillers, and the blank Braille pattern. */
const invisible = /^[\p{White_Space}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]$/u

/**
 * Invisible characters that change how the character before them looks: a variation selector behind a symbol or an
 * ideograph, the tags of a flag. Behind anything else they mean nothing.
 *
 * @see Unicode Technical Standard 51, sections 1.4.3 (variation) and C.1 (tags)
 */
const belongsToLast =
  /^(?:(?:[\p{Extended_Pictographic}\p{Sm}\p{scx=Han}\p{scx=Mongolian}]\p{Variation_Selector})|\u{1F3F4}[\u{E0020}-\u{E007E}]+\u{E007F})/u

/** What .NET's `string.Trim()` trims: exactly Unicode's white space. JavaScript's `trim` takes U+FEFF as well, and leaves U+0085. */
const blank = /^\p{White_Space}$/u

/** A letter, digit, sign or symbol that shows by itself: no combining mark, no filler, no blank pattern. */
const visible = /(?!\p{Default_Ignorable_Code_Point}|\u2800)[\p{L}\p{N}\p{P}\p{S}]/u

/**
 * The name as it is stored, by the profile's rules.
 *
 * @returns null for a name of which nothing remains that can be seen
 */
export function normaliseName(name: string, rules: Profile['nameRules']): string | null {
  if (rules === 'whitespace') return trim(name, blank) || null
  const trimmed = trim(name.normalize('NFC'), invisible, belongsToLast)
  return visible.test(trimmed) ? trimmed : null
}

/**
 * Equal for names that differ in case only. Upper case comes first because it unfolds what lower case keeps
 * apart: `ß` and `SS`, final and medial sigma.
 */
function nameKey(name: string): string {
  return name.toUpperCase().toLowerCase()
}

/** Walks in from both ends; a pattern that ends in `$` would take quadratic time on a long hostile name. */
function trim(name: string, unwanted: RegExp, kept: RegExp | null = null): string {
  const characters = Array.from(name)
  const first = characters.findIndex((character) => !unwanted.test(character))
  if (first === -1) return ''
  const last = characters.findLastIndex((character) => !unwanted.test(character))
  const end = kept?.exec(characters.slice(last).join(''))?.[0] ?? characters[last]
  return `${characters.slice(first, last).join('')}${end}`
}
