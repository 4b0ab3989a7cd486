import { CsvError, parse } from 'csv-parse/sync'
import type { LineBlock } from './input.ts'
import type { NumberedRow, Row, Wrong } from './rows.ts'

/** Reads the rows of a file in blocks of lines. */
export interface RowReader {
  push(block: Pick<LineBlock, 'text' | 'firstLine'>): readonly NumberedRow[]
  /** Returns the rows that the end of the file completes. */
  end(): readonly NumberedRow[]
}

/** Maximum length of a record over several lines, because an unclosed quote makes one of the rest of the file. */
const longestRecord = 16 * 1_048_576

/**
 * Starts to read a table with a header row: CSV with commas or semicolons (RFC 4180), or TSV without quotes. Column
 * names become field names.
 *
 * @param check returns what the columns lack, given a row with all of them and its line. It is reported once, and then
 *   no row is read
 * @param isUsed whether two columns of this name are refused
 */
export function startTable(
  kind: 'csv' | 'tsv',
  check: (row: Row, line: number) => readonly Wrong[],
  isUsed: (name: string) => boolean = (name) => name !== '',
): RowReader {
  /** Null until the first line that is not blank. */
  let header: { names: readonly string[]; delimiter: string; isUsable: boolean } | null = null
  /** Text of an incomplete record, the number of its first line, and whether a quoted field is open. */
  let [pending, pendingLine, isQuoted] = ['', 1, false]

  /** Returns the end of the last complete record. Doubled quotes inside a field keep the number of quotes even. */
  function endOfLastRecord(text: string): number {
    if (kind === 'tsv') return text.length
    let end = 0
    for (let at = 0; at < text.length; at += 1) {
      const character = text.charCodeAt(at)
      if (character === 0x22) isQuoted = !isQuoted
      else if (character === 0x0a && !isQuoted) end = at + 1
    }
    return end
  }

  function readLines(text: string): readonly NumberedRow[] {
    if (text.trim() === '' || header?.isUsable === false) return []
    const delimiter = header?.delimiter ?? findDelimiter(kind, text)
    const records = parseRecords(text, pendingLine, kind, delimiter)
    if ('wrong' in records) return [records]
    let next = pendingLine
    return records.flatMap(({ record, info }): readonly NumberedRow[] => {
      const line = next
      next = pendingLine + info.lines
      if (record.every((value) => value.trim() === '')) return []
      if (header !== null) return header.isUsable ? [makeRow(header, record, line)] : []
      const names = record.map((name) => name.trim())
      const twice = new Set(names.filter((name, index) => isUsed(name) && names.indexOf(name) !== index))
      const wrong =
        twice.size === 0
          ? check(Object.fromEntries(names.map((each) => [each, each])), line)
          : [...twice].map((name) => ({ what: `has two columns "${name}"`, hint: differentNames }))
      header = { names, delimiter, isUsable: wrong.length === 0 }
      return wrong.map((one) => ({ line, wrong: { ...one, what: `the header ${one.what}` } }))
    })
  }

  return {
    push({ text, firstLine }) {
      if (header?.isUsable === false) return []
      if (pending === '') pendingLine = firstLine
      const end = endOfLastRecord(text)
      if (end === 0) {
        pending += text
        if (pending.length <= longestRecord) return []
        pending = ''
        header = { names: [], delimiter: '', isUsable: false }
        return [
          refuseRecord(kind, pendingLine, 'a record is longer than 16 MiB, as if a quote were not closed'),
        ]
      }
      const lines = pending + text.slice(0, end)
      pending = text.slice(end)
      const rows = readLines(lines)
      pendingLine += lines.split('\n').length - 1
      return rows
    },
    end: () => readLines(pending),
  }
}

const differentNames = 'give every column a different name'

function makeRow(
  { names, delimiter }: { readonly names: readonly string[]; readonly delimiter: string },
  record: readonly string[],
  line: number,
): NumberedRow {
  if (record.length === names.length) {
    return { line, row: Object.fromEntries(names.map((name, index) => [name, record[index]])) }
  }
  const what = `has ${record.length} columns, the header has ${names.length}`
  const hint =
    delimiter === '\t'
      ? 'separate fields with one tab; a field cannot hold a tab, because TSV has no quotes'
      : 'put quotes around a field that holds the separator'
  return { line, wrong: { what, hint } }
}

/** @param text begins with the header */
export function findDelimiter(kind: 'csv' | 'tsv', text: string): string {
  const [header = ''] = text.trimStart().split('\n', 1)
  if (kind === 'tsv') return '\t'
  return header.includes(';') && !header.includes(',') ? ';' : ','
}

interface TableRecord {
  readonly record: readonly string[]
  readonly info: { readonly lines: number }
}

/** @param firstLine number of the text's first line in the file */
function parseRecords(
  text: string,
  firstLine: number,
  kind: 'csv' | 'tsv',
  delimiter: string,
): readonly TableRecord[] | ReturnType<typeof refuseRecord> {
  try {
    return parse(text, {
      delimiter,
      record_delimiter: ['\r\n', '\n'],
      quote: kind === 'tsv' ? null : '"',
      info: true,
      relax_column_count: true,
    }) as unknown as TableRecord[]
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    // The message counts lines from the start of the text, which is a part of the file.
    const [place = '', line = '1'] = / at line (\d+)/.exec(error.message) ?? []
    // A quote that is never closed is counted at the end, and opens in the text's first record.
    const linesBefore = error.code === 'CSV_QUOTE_NOT_CLOSED' ? 0 : Number(line) - 1
    return refuseRecord(kind, firstLine + linesBefore, error.message.replace(place, ''))
  }
}

function refuseRecord(kind: 'csv' | 'tsv', line: number, why: string) {
  const what = `cannot be read as ${kind.toUpperCase()}: ${why}`
  return { line, wrong: { what, hint: 'quotes inside of a field are doubled' } }
}
