import { parseJson } from '#prelude'
import type { Tree } from './layout.ts'

/** A line of a JSON Lines table, with typed access to its fields. */
export interface JsonRow {
  readonly where: string
  readonly fields: Readonly<Record<string, unknown>>
}

/** The objects of a JSON Lines file, gzipped or not. Lines that are none are reported. */
export async function readJsonRows(tree: Tree, path: string): Promise<readonly JsonRow[]> {
  const rows: JsonRow[] = []
  for (const { number, text } of await tree.lines(path)) {
    if (text.trim() === '') continue
    const where = `${tree.shown(path)}:${number}`
    const fields = objectOf(parseJson(text))
    if (fields === null) tree.report({ where, what: 'is not a JSON object' })
    else rows.push({ where, fields })
  }
  return rows
}

/** @returns null for a value of JSON that is no object */
export function objectOf(value: unknown): JsonRow['fields'] | null {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? (value as JsonRow['fields']) : null
}

/** @returns null where the field is missing or of another type, which is reported where it has to be there */
export function textField({ where, fields }: JsonRow, name: string, tree: Tree | null): string | null {
  const value = fields[name]
  if (typeof value === 'string') return value
  if (typeof value === 'number') return String(value)
  tree?.report({ where, what: `has no text "${name}"` })
  return null
}

/** A number of seconds from 0; null where the field is none. */
export function secondsField(fields: JsonRow['fields'], name: string): number | null {
  const value = fields[name]
  return typeof value === 'number' && value >= 0 && Number.isFinite(value) ? value : null
}
