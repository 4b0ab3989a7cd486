import type { DatabaseSync } from 'node:sqlite'
import type { Mode, ModeSettings, ReadOnlyModeField } from '#contract'
import { inFreeingTransaction, inTransaction } from '../folder/database.ts'
import { nameKey } from './mode-name.ts'

/** A Mode with every field of every build. */
export type StoredMode = ModeSettings & Pick<Mode, ReadOnlyModeField>

/** The Modes on disk. A method that returns has written. */
export interface ModeStore {
  /** By `sortOrder`, then by date of creation. */
  list(): readonly StoredMode[]
  find(id: string): StoredMode | null
  /** The Mode whose name differs from this one in case at most. */
  findByName(name: string): StoredMode | null
  /** Adds a Mode or replaces the one with its id. A default Mode takes that from the one before. */
  put(mode: StoredMode): void
  /** Makes the first of the others the default where this one was. */
  remove(id: string): void
}

export function createModeStore(database: DatabaseSync): ModeStore {
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
  const list = (): StoredMode[] => selectAll.all().map(read)
  const write = (mode: StoredMode): void => {
    upsert.run(mode.id, nameKey(mode.name), JSON.stringify(mode))
  }

  return {
    list,
    find: (id) => readOne(selectById.get(id)),
    findByName: (name) => readOne(selectByName.get(nameKey(name))),
    put(mode) {
      inTransaction(database, () => {
        const former = readOne(selectDefault.get())
        if (mode.isDefault && former !== null && former.id !== mode.id) write({ ...former, isDefault: false })
        write(mode)
      })
    },
    remove(id) {
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

type Row = Readonly<Record<string, unknown>>

/**
 * Reads documents, and returns the same object for the same document: a Mode may hold 10,000 words, and what is derived
 * from them can be cached by the object.
 */
function createReader(): {
  readonly read: (row: Row) => StoredMode
  readonly forget: (id: string) => void
} {
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
  return { read, forget: (id) => void latest.delete(id) }
}
