import { isUtf8 } from 'node:buffer'
import { resolve } from 'node:path'
import { CsvError } from 'csv-parse'
import { parse } from 'csv-parse/sync'
import { parseJson } from '#prelude'
import { asUtf8 } from '#prelude/utf16'
import { findDelimiter } from '#transcripts/tables'
import { findField } from './manifest-row.ts'

/**
 * Makes the paths of a manifest without a folder, such as standard input, absolute. The first line shows
 * whether it is JSON Lines or a table. Unparseable lines, and text that is not UTF-8, are kept, and reported
 * when the manifest is read.
 *
 * @param bytes in UTF-8, or in UTF-16 with a byte order mark
 * @param folder folder to which its paths are relative
 * @returns the content, and the matching file extension
 */
export function withAbsolutePaths(bytes: Uint8Array, folder: string) {
  const utf8 = Buffer.from(asUtf8(bytes))
  const text = utf8.toString().replace(/^\uFEFF/, '')
  const first = text.trimStart().split(/\r?\n/, 1)[0] ?? ''
  const isTable = !/^[{[]/.test(first) && /[,;\t]/.test(first)
  const isKept = !isUtf8(utf8)
  if (!isTable) return { ending: '.jsonl', content: isKept ? utf8 : linesFrom(folder, text) }
  const delimiter = findDelimiter(first.includes('\t') ? 'tsv' : 'csv', first)
  const content = isKept ? utf8 : tableFrom(folder, text, delimiter)
  return { ending: delimiter === '\t' ? '.tsv' : '.csv', content }
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
