import type { Problem } from '#prelude'
import { fieldOf, type ManifestField, nearestField, ownFields } from './manifest-field.ts'
import type { ManifestRow, ManifestRows } from './manifest-row.ts'
import type { TextLine } from './text-file.ts'

/**
 * Takes a JSON Lines manifest apart, ours and NeMo's, also mixed. Blank lines are passed over.
 *
 * @param shownPath how problems name the file
 */
export function parseManifestLines(lines: readonly TextLine[], shownPath: string): ManifestRows {
  const rows: ManifestRow[] = []
  const problems: Problem[] = []
  const unusedKeys = new Map<string, number[]>()
  for (const { number, text } of lines) {
    if (text.trim() === '') continue
    const where = `${shownPath}:${number}`
    if (rows.length === 0 && problems.length === 0 && text.trimStart().startsWith('[')) {
      const what = 'begins a JSON array; a manifest has one object a line (jq -c ".[]" makes it so)'
      return { rows, problems: [{ where, what }], warnings: [] }
    }
    const object = parseObject(text)
    if (typeof object === 'string') problems.push({ where, what: object })
    else rows.push(readRow(object, number, unusedKeys))
  }
  return { rows, problems, warnings: describeUnused(unusedKeys, shownPath) }
}

type JsonObject = Readonly<Record<string, unknown>>

function parseObject(text: string): JsonObject | string {
  try {
    const value: unknown = JSON.parse(text)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as JsonObject) : 'is not a JSON object'
  } catch (error) {
    return `is not JSON: ${error instanceof Error ? error.message : String(error)}`
  }
}

function readRow(object: JsonObject, line: number, unusedKeys: Map<string, number[]>): ManifestRow {
  const isForeign = 'audio_filepath' in object && !('audio' in object)
  const fields: Partial<Record<ManifestField, unknown>> = {}
  const unknownKeys: string[] = []
  for (const [key, value] of Object.entries(object)) {
    const field = isForeign ? fieldOf(key) : ownFields.find((own) => own === key)
    if (field != null && (fields[field] === undefined || key === field)) fields[field] = value
    else if (!isForeign) {
      unknownKeys.push(key)
      unusedKeys.set(key, [...(unusedKeys.get(key) ?? []), line])
    }
  }
  return { line, fields, unknownKeys, mayLackId: isForeign }
}

function describeUnused(unusedKeys: ReadonlyMap<string, readonly number[]>, shownPath: string): Problem[] {
  return [...unusedKeys].map(([key, lines]) => {
    const meant = nearestField(key)
    const count = lines.length === 1 ? '' : ` (${lines.length} lines)`
    const hint = meant === null ? undefined : `did you mean "${meant}"?`
    const what = `the key "${key}" is not used${count}`
    return { where: `${shownPath}:${lines[0]}`, what, ...(hint === undefined ? {} : { hint }) }
  })
}
