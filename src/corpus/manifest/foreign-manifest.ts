import { resolve } from 'node:path'
import { CsvError } from 'csv-parse'
import { parse } from 'csv-parse/sync'
import { parseJson } from '#prelude'
import { findField } from './manifest-row.ts'

/**
 * Makes the paths of a manifest without a folder, such as standard input, absolute. The first line shows
 * whether it is JSON Lines or a table. Unparseable lines are kept, and reported when the manifest is read.
 *
 * @param folder folder to which its paths are relative
 * @returns the text, and the matching file extension
 */
export function withAbsolutePaths(text: string, folder: string) {
  const first =
    text
      .replace(/^\uFEFF/, '')
      .trimStart()
      .split(/\r?\n/, 1)[0] ?? ''
  const isTable = !/^[{[]/.test(first) && /[,;\t]/.test(first)
  if (!isTable) return { ending: '.jsonl', text: linesFrom(folder, text) }
  const delimiter = first.includes('\t') ? '\t' : first.includes(';') && !first.includes(',') ? ';' : ','
  return { ending: delimiter === '\t' ? '.tsv' : '.csv', text: tableFrom(folder, text, delimiter) }
}

function linesFrom(folder: string, text: string): string {
  return text
    .split('\n')
    .map((line) => {
      const value = parseJson(line)
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return line
      const entries = Object.entries(value)
      const absolute = entries.map(([key, path]) => [key, isPath(key, path) ? resolve(folder, path) : path])
      return entries.some(([key, path]) => isPath(key, path))
        ? JSON.stringify(Object.fromEntries(absolute))
        : line
    })
    .join('\n')
}

function isPath(name: string, value: unknown): value is string {
  const field = findField(name)
  const isField = field === 'audio' || field === 'times'
  return isField && typeof value === 'string' && value.trim() !== '' && !value.includes('://')
}

function tableFrom(folder: string, text: string, delimiter: string): string {
  const quote = delimiter === '\t' ? null : '"'
  const options = { delimiter, quote, relax_column_count: true, bom: true }
  let rows: readonly (readonly string[])[]
  try {
    rows = parse(text, options)
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    return text
  }
  const [header = []] = rows
  return rows
    .map((row, place) =>
      row
        .map((cell, column) =>
          place > 0 && isPath(header[column] ?? '', cell) ? resolve(folder, cell.trim()) : cell,
        )
        .map((cell) => (quote === null || !/[",;\r\n]/.test(cell) ? cell : `"${cell.replaceAll('"', '""')}"`))
        .join(delimiter),
    )
    .map((line) => `${line}\n`)
    .join('')
}
