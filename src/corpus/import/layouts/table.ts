import { basename, dirname, extname, isAbsolute, join } from 'node:path'
import { findDelimiter, startTable } from '#transcripts/tables'
import { makeSegment, type SourceRecording } from '../source.ts'
import { findColumns, type JsonRow, readJsonRows, textField } from './json-rows.ts'
import { cutEnding, type Layout, namesAt, readHead, type Tree } from './layout.ts'

/**
 * A table with a line per recording: CSV, TSV or JSON with named columns (SpeechBrain, Common Voice,
 * AudioFolder, fairseq's speech to text), `metadata.csv` with `id|text|normalised text` (LJSpeech), or a list
 * of files with a file of words next to it (fairseq).
 */
export const table: Layout = {
  name: 'table',
  title: 'table of recordings',
  mark: 'a CSV, TSV or JSON with columns for audio and text, metadata.csv of LJSpeech, or .tsv and .wrd of fairseq',
  matches: async (path) => (await tablesAt(path)).length > 0,

  async read(tree) {
    const [found, ...others] = await tablesAt(tree.root)
    if (found === undefined) return []
    if (others.length > 0) {
      const names = [found, ...others].map(({ path }) => basename(path)).join(', ')
      const hint = 'they may hold the same recordings: name the one that is meant, as <folder>/<table>'
      tree.report({ where: null, what: `the folder has several tables: ${names}`, hint })
      return []
    }
    const { path, kind } = found
    const rows = await readers[kind](path, tree)
    const columns = findColumns(Object.keys(rows[0]?.fields ?? {}), tree.options)
    const { audio, text, id, speaker, language } = columns
    if (audio === null || text === null) {
      const what = `has no column for ${audio === null ? 'audio' : 'the text'}`
      const hint = `name it with --${audio === null ? 'audio' : 'text'}-column`
      tree.report({ where: tree.shown(path), what, hint })
      return []
    }
    const recordings: SourceRecording[] = []
    for (const row of rows) {
      const [named, said] = [textField(row, audio, tree), textField(row, text, tree)]
      if (named === null || said === null) continue
      // SpeechBrain writes a variable for the folder; Common Voice and LJSpeech omit folder and extension.
      const file = named.replace(/^(?:\{\w+\}|\$\w+)[\\/]/, '')
      const names = ['', 'clips', 'wavs', 'audio'].flatMap((folder) =>
        ['', '.wav', '.flac', '.mp3'].map((ending) => join(folder, file + ending)),
      )
      const read = await tree.audio(isAbsolute(file) ? [file] : [file, ...names], dirname(path), row.where)
      if (read === null) continue
      const optional = (name: string | null): string | null =>
        (name === null ? null : textField(row, name, null)) || null
      const segment = makeSegment({ text: said, speaker: optional(speaker), language: optional(language) })
      const name = (id === audio ? null : optional(id)) ?? cutEnding(file)
      recordings.push({
        id: name,
        where: row.where,
        segments: [segment],
        read,
      })
    }
    return recordings
  },
}

type Kind = 'json' | 'csv' | 'tsv' | 'ljspeech' | 'fairseq'

async function tablesAt(path: string) {
  const { folder, names, only } = await namesAt(path)
  const found: { readonly path: string; readonly kind: Kind }[] = []
  for (const name of only ?? names) {
    if (!/\.(?:jsonl?|csv|tsv)$/i.test(name)) continue
    const kind = detectKind(name, await readHead(join(folder, name)), names)
    if (kind !== null) found.push({ path: join(folder, name), kind })
  }
  return found
}

function detectKind(name: string, head: string, names: readonly string[]): Kind | null {
  const [first = '', second = ''] = head.replace(/^\ufeff/, '').split(/\r?\n/, 2)
  const ending = extname(name).toLowerCase()
  const hasColumns = (columns: readonly string[]): boolean => {
    const { audio, text } = findColumns(columns, {})
    return audio !== null && text !== null
  }
  if (ending.startsWith('.json')) {
    // The first object with plain values is a row; the outermost one may have ids as keys.
    const withoutTexts = head.replace(/:\s*"(?:[^"\\]|\\.)*"/g, ':0')
    const [object = ''] = /\{[^{}[\]]*\}/.exec(withoutTexts) ?? []
    return hasColumns([...object.matchAll(/"(\w+)"\s*:/g)].map(([, key = '']) => key)) ? 'json' : null
  }
  if (ending === '.csv') {
    if (/^metadata\.csv$/i.test(name) && /^[^|,;]+\|[^|]+(?:\|[^|]*)?$/.test(first)) return 'ljspeech'
    return hasColumns(
      first.split(findDelimiter('csv', first)).map((column) => column.trim().replace(/^"|"$/g, '')),
    )
      ? 'csv'
      : null
  }
  if (hasColumns(first.split('\t').map((column) => column.trim()))) return 'tsv'
  const isList = !first.includes('\t') && /^[^\t]+\t\d+$/.test(second)
  return isList && names.includes(`${cutEnding(name)}.wrd`) ? 'fairseq' : null
}

const readers: Readonly<Record<Kind, (path: string, tree: Tree) => Promise<readonly JsonRow[]>>> = {
  json: (path, tree) => readJsonRows(tree, path),
  csv: (path, tree) => readColumns(path, 'csv', tree),
  tsv: (path, tree) => readColumns(path, 'tsv', tree),

  async ljspeech(path, tree) {
    const rows: JsonRow[] = []
    for (const { number, text } of await tree.lines(path)) {
      if (text.trim() === '') continue
      const where = `${tree.shown(path)}:${number}`
      const [id = '', said = '', spoken = ''] = text.split('|')
      // The last column spells out numbers and abbreviations.
      if (id === text) tree.report({ where, what: 'is no line of LJSpeech: id|text|normalised text' })
      else rows.push({ where, fields: { id, audio: id, text: spoken.trim() || said } })
    }
    return rows
  },

  async fairseq(path, tree) {
    const [root, ...files] = (await tree.lines(path)).filter(({ text }) => text.trim() !== '')
    const words = await tree.lines(path.replace(/\.tsv$/i, '.wrd'))
    const said = words.filter(({ text }) => text.trim() !== '')
    if (files.length !== said.length) {
      const what = `lists ${files.length} files, and ${cutEnding(path)}.wrd has ${said.length} lines of words`
      tree.report({ where: tree.shown(path), what })
      return []
    }
    // The first line is the folder in which the list was made, which may not exist here.
    const folder = root?.text.trim() ?? ''
    return files.map(({ number, text }, index) => {
      const [name = ''] = text.split('\t')
      const audio = isAbsolute(folder) && folder.startsWith(tree.folder) ? join(folder, name) : name
      return {
        where: `${tree.shown(path)}:${number}`,
        fields: { audio, text: said[index]?.text.trim() ?? '' },
      }
    })
  },
}

async function readColumns(path: string, kind: 'csv' | 'tsv', tree: Tree): Promise<readonly JsonRow[]> {
  const reader = startTable(kind, () => [])
  const text = (await tree.lines(path)).map((line) => line.text).join('\n')
  return [...reader.push({ firstLine: 1, text: `${text}\n` }), ...reader.end()].flatMap((row): JsonRow[] => {
    const where = `${tree.shown(path)}:${row.line}`
    if ('row' in row) return [{ where, fields: row.row }]
    tree.report({ where, ...row.wrong })
    return []
  })
}
