import { type Problem, parseJsonObject } from '#prelude'
import type { Utterance } from '#scoring/read-pair'
import type { LineBlock } from './input.ts'

/** One of the two texts, where a line may have both. */
export type Side = 'reference' | 'hypothesis'

export interface Transcript {
  readonly id: string
  /** An array, with alternatives, only in references; null, for a failed request, only in hypotheses. */
  readonly text: Utterance['reference'] | null
  readonly speaker: string | null
  readonly tags: Readonly<Record<string, string>>
  /** Line number, from 1. */
  readonly line: number
  /** Path of the file, in a folder of several. */
  readonly file?: string
  /** True for an stm segment that is excluded from scoring, with its counterpart. */
  readonly isIgnored?: boolean
}

export interface ParsedTranscripts {
  readonly transcripts: readonly Transcript[]
  /** Problems with a line number in `where`. */
  readonly problems: readonly Problem[]
  /** Number of words with a tag that is not scored; absent in formats without tags. */
  readonly taggedCount?: number
}

/** The fields of one line, by name. */
export type Row = Readonly<Record<string, unknown>>

/** Names of fields or columns that replace the default names. */
export interface RowNames {
  readonly id?: string | undefined
  readonly reference?: string | undefined
  readonly hypothesis?: string | undefined
}

/** Problem of a line. */
export type Wrong = Omit<Problem, 'where'> & { readonly hint: string }

/** A row with its line number, or the problem of its line. */
export type NumberedRow =
  | { readonly line: number; readonly row: Row }
  | { readonly line: number; readonly wrong: Wrong }

// NeMo's manifests identify a recording by its file, and have reference and hypothesis. Common Voice has path and
// sentence.
const defaultFields = {
  id: ['id', 'audio_filepath', 'path'],
  reference: ['reference', 'text', 'sentence'],
  hypothesis: ['hypothesis', 'pred_text', 'text', 'sentence'],
  /** Fields of a hypothesis whose reference is in the same row. */
  pairedHypothesis: ['hypothesis', 'pred_text'],
} as const
const loneSurrogate = /\p{Surrogate}/u
/** Column that marks failed requests, because a cell of a table cannot be null. It works in JSON as well. */
const answeredField = 'answered'

/** Returns the fields to search for a text or an id: only the named field, or the default ones. */
function listFields(what: keyof typeof defaultFields, names: RowNames): readonly string[] {
  const named = what === 'pairedHypothesis' ? names.hypothesis : names[what]
  return named === undefined ? defaultFields[what] : [named]
}

/** Reads rows with one transcript each. Fields without another meaning become tags. */
export function parseRows(rows: readonly NumberedRow[], side: Side, names: RowNames): ParsedTranscripts {
  const transcripts: Transcript[] = []
  const [idFields, textFields] = [listFields('id', names), listFields(side, names)]
  const others = meaningfulFields(names)
  const problems = eachRow(rows, (row, line) => {
    const id = readId(row, idFields)
    const found = side === 'hypothesis' ? readHeard(row, textFields) : readText(row, side, textFields)
    if (id === null || 'what' in found)
      return [...(id === null ? [noId(idFields)] : []), ...('what' in found ? [found] : [])]
    transcripts.push({
      id,
      text: found.text,
      speaker: readSpeaker(row),
      tags: readTags(row, others, side === 'hypothesis'),
      line,
    })
    return []
  })
  return { transcripts, problems }
}

export interface TranscriptPair {
  readonly reference: Transcript
  readonly hypothesis: Transcript
}

/** Returns what a row lacks as a transcript or, with `both`, as a pair, which needs no id. */
export function lacks(row: Row, side: Side | 'both', names: RowNames): readonly Wrong[] {
  const texts = listSides(side).flatMap(([one, what]) => {
    const found = readText(row, one, listFields(what, names))
    return 'what' in found ? [inColumns(found, row, `--${one}-column`)] : []
  })
  const idFields = listFields('id', names)
  const isIdNeeded = side !== 'both' || names.id !== undefined
  return isIdNeeded && readId(row, idFields) === null
    ? [inColumns(noId(idFields), row, '--id-column'), ...texts]
    : texts
}

function listSides(side: Side | 'both'): readonly (readonly [Side, keyof typeof defaultFields])[] {
  return side === 'both'
    ? [
        ['reference', 'reference'],
        ['hypothesis', 'pairedHypothesis'],
      ]
    : [[side, side]]
}

/** Adds the existing columns, and the option that names one, to the hint. */
function inColumns({ what, hint }: Wrong, row: Row, option: string): Wrong {
  return {
    what,
    hint: `${hint}, or name the column: ${option} <name>; there are: ${Object.keys(row).join(', ')}`,
  }
}

/** Reads rows with a reference and a hypothesis each. A row without an id has its line number as id. */
export function parsePairRows(
  rows: readonly NumberedRow[],
  names: RowNames,
): { readonly pairs: readonly TranscriptPair[]; readonly problems: readonly Problem[] } {
  const pairs: TranscriptPair[] = []
  const idFields = listFields('id', names)
  const others = meaningfulFields(names)
  const problems = eachRow(rows, (row, line) => {
    const id =
      readId(row, idFields) ?? (idFields.some((field) => field in row) || names.id ? null : String(line))
    const reference = readText(row, 'reference', listFields('reference', names))
    const hypothesis = readHeard(row, listFields('pairedHypothesis', names))
    if (id === null || 'what' in reference || 'what' in hypothesis) {
      const texts = [reference, hypothesis].filter((found) => 'what' in found)
      return [...(id === null ? [noId(idFields)] : []), ...texts]
    }
    const about = { id, speaker: readSpeaker(row), tags: readTags(row, others, true), line }
    pairs.push({
      reference: { ...about, text: reference.text },
      hypothesis: { ...about, text: hypothesis.text },
    })
    return []
  })
  return { pairs, problems }
}

function noId(fields: readonly string[]): Wrong {
  const [first = ''] = fields
  return fields.length === 1
    ? { what: `has no "${first}"`, hint: `add "${first}", the id that pairs the texts` }
    : { what: 'has no "id"', hint: 'add "id", or "audio_filepath": it pairs the texts' }
}

/** Returns the fields that are not tags. */
function meaningfulFields(names: RowNames): ReadonlySet<string> {
  const { id, reference, hypothesis } = defaultFields
  const named = [names.id, names.reference, names.hypothesis].filter((name) => name !== undefined)
  return new Set([...id, ...reference, ...hypothesis, ...named, 'speaker'])
}

/** @returns every problem, with its line number */
function eachRow(
  rows: readonly NumberedRow[],
  read: (row: Row, line: number) => readonly Wrong[],
): readonly Problem[] {
  return rows.flatMap((numbered) => {
    const wrong = 'wrong' in numbered ? [numbered.wrong] : read(numbered.row, numbered.line)
    return wrong.map((one) => ({ ...one, where: String(numbered.line) }))
  })
}

/** Reads JSON objects, one per line; blank lines are skipped. */
export function jsonRows({ text, firstLine }: LineBlock): readonly NumberedRow[] {
  return text.split('\n').flatMap((line, index): NumberedRow[] => {
    if (line.trim() === '') return []
    const row = parseJsonObject(line)
    const at = { line: firstLine + index }
    return [typeof row === 'string' ? { ...at, wrong: { what: row, hint: objectHint } } : { ...at, row }]
  })
}

const objectHint =
  'write an object a line: {"id":"…","text":"…"}, or {"id":"…","reference":"…","hypothesis":"…"}'

function readId(row: Row, fields: readonly string[]): string | null {
  const value = fields.map((field) => row[field]).find((found) => found != null && found !== '')
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && !loneSurrogate.test(value) ? value : null
}

/** Returns null for an empty speaker, because a cell of a table cannot be absent. */
function readSpeaker({ speaker }: Row): string | null {
  if (speaker === '') return null
  return typeof speaker === 'string' || typeof speaker === 'number' ? String(speaker) : null
}

function readText(row: Row, side: Side, fields: readonly string[]): Pick<Transcript, 'text'> | Wrong {
  const field = fields.find((name) => row[name] !== undefined)
  if (field === undefined) {
    return { what: `has no ${fields.map((name) => `"${name}"`).join(' or ')}`, hint: `add "${fields[0]}"` }
  }
  const value = row[field]
  if (value === null && side === 'hypothesis') return { text: null }
  const texts: readonly unknown[] = side === 'reference' && Array.isArray(value) ? value : [value]
  if (texts.length === 0 || !texts.every((text) => typeof text === 'string')) {
    const others =
      side === 'reference' ? 'or a list of texts that are as right' : 'or null where nothing came back'
    return { what: `"${field}" is not a text`, hint: `write a text, ${others}` }
  }
  if (!texts.some((text) => loneSurrogate.test(text)))
    return { text: typeof value === 'string' ? value : texts }
  return {
    what: `"${field}" holds half of a surrogate pair`,
    hint: 'write the whole character, or leave it out',
  }
}

/** Reads a hypothesis; its text is null where the row marks a failed request. */
function readHeard(row: Row, fields: readonly string[]): Pick<Transcript, 'text'> | Wrong {
  const found = readText(row, 'hypothesis', fields)
  const value = row[answeredField]
  if ('what' in found || value === undefined) return found
  const answered = /^(true|yes|1)$|^(?:false|no|0)$/i.exec(String(value))
  if (answered === null) {
    return { what: `"${answeredField}" is ${JSON.stringify(value)}`, hint: 'write true or false' }
  }
  if (answered[1] !== undefined) return found
  if (found.text === null || found.text === '') return { text: null }
  return {
    what: `is not answered by "${answeredField}", and has a hypothesis`,
    hint: `leave the hypothesis empty, or write true into "${answeredField}"`,
  }
}

/** Returns the other fields. An empty one is absent, as an empty cell of a table, and so is one without a name. */
function readTags(
  row: Row,
  others: ReadonlySet<string>,
  isHypothesis: boolean,
): Readonly<Record<string, string>> {
  const tags = Object.entries(row).filter(([name, value]) => {
    const isPlain = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    return (
      isPlain && name !== '' && value !== '' && !others.has(name) && !(isHypothesis && name === answeredField)
    )
  })
  return Object.fromEntries(tags.map(([name, value]) => [name, String(value)]))
}
