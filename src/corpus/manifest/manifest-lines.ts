import { type Problem, parseForeignJson } from '#prelude'
import type { TextLine } from '../texts/text-file.ts'
import { fieldOf, type ManifestField, nearestField, ownFields } from './manifest-field.ts'
import type { ManifestRow } from './manifest-row.ts'

/** Takes a JSON Lines manifest apart, line by line. */
export interface ManifestLineReader {
  /** @returns null for a blank line, and for one that is no object, which is reported */
  read(line: TextLine): ManifestRow | null
  /** Keys that no line needed to have. */
  warnings(): readonly Problem[]
}

/**
 * Starts to read a JSON Lines manifest, ours or NeMo's, also mixed. Blank lines are passed over.
 *
 * @param shownPath how problems name the file
 * @param report called with each line that is no object
 */
export function manifestLineReader(
  shownPath: string,
  report: (problem: Problem) => void,
): ManifestLineReader {
  const unusedKeys = new Map<string, UnusedKey>()
  let isFirst = true
  let isArray = false
  return {
    read({ number, text }) {
      if (text.trim() === '' || isArray) return null
      const where = `${shownPath}:${number}`
      isArray = isFirst && text.trimStart().startsWith('[')
      isFirst = false
      if (isArray) {
        report({
          where,
          what: 'begins a JSON array; a manifest has one object a line (jq -c ".[]" makes it so)',
        })
        return null
      }
      const object = parseObject(text)
      if (typeof object !== 'string') return readRow(object, number, unusedKeys)
      report({ where, what: object })
      return null
    },
    warnings: () => describeUnused(unusedKeys, shownPath),
  }
}

/** A key that is not used: the first line with it, and how many have it. */
interface UnusedKey {
  readonly line: number
  readonly count: number
}

type JsonObject = Readonly<Record<string, unknown>>

function parseObject(text: string): JsonObject | string {
  try {
    const value: unknown = parseForeignJson(text)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as JsonObject) : 'is not a JSON object'
  } catch (error) {
    return `is not JSON: ${error instanceof Error ? error.message : String(error)}`
  }
}

function readRow(object: JsonObject, line: number, unusedKeys: Map<string, UnusedKey>): ManifestRow {
  const isForeign = 'audio_filepath' in object && !('audio' in object)
  const fields: Partial<Record<ManifestField, unknown>> = {}
  const unknownKeys: string[] = []
  for (const [key, value] of Object.entries(object)) {
    const field = isForeign ? fieldOf(key) : ownFields.find((own) => own === key)
    if (field != null && (fields[field] === undefined || key === field)) fields[field] = value
    else if (!isForeign) {
      unknownKeys.push(key)
      const earlier = unusedKeys.get(key)
      unusedKeys.set(key, { line: earlier?.line ?? line, count: (earlier?.count ?? 0) + 1 })
    }
  }
  return { line, fields, unknownKeys, mayLackId: isForeign }
}

function describeUnused(unusedKeys: ReadonlyMap<string, UnusedKey>, shownPath: string): Problem[] {
  return [...unusedKeys].map(([key, { line, count: lineCount }]) => {
    const meant = nearestField(key)
    const count = lineCount === 1 ? '' : ` (${lineCount} lines)`
    const hint = meant === null ? undefined : `did you mean "${meant}"?`
    const what = `the key "${key}" is not used${count}`
    return { where: `${shownPath}:${line}`, what, ...(hint === undefined ? {} : { hint }) }
  })
}
