import { parseJson } from '#prelude'
import type { TextLine } from '../../text-file.ts'
import type { SourceOptions } from '../source.ts'
import type { Tree } from './layout.ts'

export type Columns = Readonly<Record<'audio' | 'text' | 'id' | 'speaker' | 'language', string | null>>

/** Usual names of the columns, in order of precedence. */
const usualNames: Readonly<Record<keyof Columns, readonly string[]>> = {
  audio: words(
    'audio wav file_name audio_filepath audio_path audio_file path file filename wav_filename wav_path speech recording',
  ),
  text: words(
    'text sentence transcription transcript normalized_text raw_text raw_transcription normalized_transcription wrd words ' +
      'tgt_text sentence_text transcript_text utterance reference target label caption prompt',
  ),
  id: words('id utterance_id segment_id audio_id utt_id file path wav_filename'),
  speaker: words('speaker_id speaker spk_id client_id'),
  language: words('locale lang language'),
}

function words(text: string): readonly string[] {
  return text.split(' ')
}

/**
 * Finds the columns by their names, regardless of case.
 *
 * @param options columns that the user names; no other column is used then
 * @param catalogued columns that a catalogue names, which take precedence over the usual names
 */
export function findColumns(
  columns: readonly string[],
  { audioColumn, textColumn }: Pick<SourceOptions, 'audioColumn' | 'textColumn'>,
  catalogued: { readonly [Kind in keyof Columns]?: string | null | undefined } = {},
): Columns {
  const find = (kind: keyof Columns, named?: string): string | null => {
    const names = named === undefined ? [catalogued[kind] ?? null, ...usualNames[kind]] : [named]
    const matching = names.map((name) =>
      columns.find((column) => column === name || column.toLowerCase() === name?.toLowerCase()),
    )
    return matching.find((column) => column !== undefined) ?? null
  }
  return {
    audio: find('audio', audioColumn),
    text: find('text', textColumn),
    id: find('id'),
    speaker: find('speaker'),
    language: find('language'),
  }
}

/** A row of a JSON Lines table. */
export interface JsonRow {
  readonly where: string
  readonly fields: Readonly<Record<string, unknown>>
}

/**
 * Reads the objects of a JSON Lines file, optionally gzipped, or of one document that has them in a list or
 * by id. Other lines are reported.
 */
export async function readJsonRows(tree: Tree, path: string): Promise<readonly JsonRow[]> {
  const rows: JsonRow[] = []
  const lines = await tree.lines(path)
  const first = lines.find(({ text }) => text.trim() !== '')?.text ?? ''
  const document = asFields(parseJson(first)) === null ? readDocument(lines, tree.shown(path)) : null
  if (document !== null) return document
  for (const { number, text } of lines) {
    if (text.trim() === '') continue
    const where = `${tree.shown(path)}:${number}`
    const fields = asFields(parseJson(text))
    if (fields === null) tree.report({ where, what: 'is not a JSON object' })
    else rows.push({ where, fields })
  }
  return rows
}

/** @returns null for lines that do not form a document of objects */
function readDocument(lines: readonly TextLine[], shown: string): readonly JsonRow[] | null {
  const value = parseJson(lines.map(({ text }) => text).join('\n'))
  const entries: readonly (readonly [string, unknown])[] = Array.isArray(value)
    ? value.map((each, index) => [String(index + 1), each])
    : Object.entries(asFields(value) ?? {}).map(([id, each]) => [id, { id, ...asFields(each) }])
  const rows = entries.map(([name, each]) => ({ where: `${shown}:${name}`, fields: asFields(each) }))
  return rows.length > 0 && rows.every((row): row is JsonRow => row.fields !== null) ? rows : null
}

/** @returns null for any JSON value but an object */
export function asFields(value: unknown): JsonRow['fields'] | null {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? (value as JsonRow['fields']) : null
}

/** @returns null where the field is missing or of another type, which is reported if `tree` is given */
export function textField({ where, fields }: JsonRow, name: string, tree: Tree | null): string | null {
  const value = fields[name]
  if (typeof value === 'string') return value
  if (typeof value === 'number') return String(value)
  tree?.report({ where, what: `has no text "${name}"` })
  return null
}

/** A non-negative number of seconds; null for any other value. */
export function secondsField(fields: JsonRow['fields'], name: string): number | null {
  const value = fields[name]
  return typeof value === 'number' && value >= 0 && Number.isFinite(value) ? value : null
}
