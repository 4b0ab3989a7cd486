import type { Problem } from '#prelude'
import type { LineBlock } from './line-blocks.ts'
import type { ParsedTranscripts, Side, Transcript } from './transcript-lines.ts'

/** The fields of one line, by name. */
export type Row = Readonly<Record<string, unknown>>

/** What is wrong with a line. */
export type Wrong = Omit<Problem, 'where'> & { readonly hint: string }

/** A row with its line, or what is wrong with that. */
export type NumberedRow =
  | { readonly line: number; readonly row: Row }
  | { readonly line: number; readonly wrong: Wrong }

// NeMo's manifests name a recording by its file, and write what was recognised beside what was said; Common Voice has
// path and sentence.
const idFields = ['id', 'audio_filepath', 'path'] as const
const textFields = {
  reference: ['reference', 'text', 'sentence'],
  hypothesis: ['hypothesis', 'pred_text', 'text', 'sentence'],
} as const satisfies Record<Side, readonly string[]>
const pairedHypothesis = ['hypothesis', 'pred_text'] as const
const loneSurrogate = /\p{Surrogate}/u
const named: readonly string[] = [...idFields, ...textFields.reference, ...textFields.hypothesis, 'speaker']
/** A cell cannot be null: this column says which hypotheses are none. In JSON it says the same. */
const answeredField = 'answered'

/** Reads rows, each a transcript; fields without a meaning of their own become tags. */
export function parseRows(rows: readonly NumberedRow[], side: Side): ParsedTranscripts {
  const transcripts: Transcript[] = []
  const problems = eachRow(rows, (row, line) => {
    const id = idOf(row)
    const found = side === 'hypothesis' ? heardOf(row, textFields[side]) : textOf(row, side, textFields[side])
    if (id === null || 'what' in found)
      return [...(id === null ? [noId] : []), ...('what' in found ? [found] : [])]
    transcripts.push({
      id,
      text: found.text,
      speaker: speakerOf(row),
      tags: tagsOf(row, side === 'hypothesis'),
      line,
    })
    return []
  })
  return { transcripts, problems }
}

/** A reference and a hypothesis that stand in one object. */
export interface RowPair {
  readonly reference: Transcript
  readonly hypothesis: Transcript
}

/** What a row lacks to be a transcript, or with `both` to be a pair of them. */
export function lacks(row: Row, side: Side | 'both'): readonly Wrong[] {
  const sides = side === 'both' ? (['reference', 'hypothesis'] as const) : [side]
  const fields = (one: Side): readonly string[] =>
    side === 'both' && one === 'hypothesis' ? pairedHypothesis : textFields[one]
  const texts = sides.map((one) => textOf(row, one, fields(one))).filter((found) => 'what' in found)
  return idOf(row) === null ? [noId, ...texts] : texts
}

/** Reads rows, each with its reference and its hypothesis. */
export function parsePairRows(rows: readonly NumberedRow[]): {
  readonly pairs: readonly RowPair[]
  readonly problems: readonly Problem[]
} {
  const pairs: RowPair[] = []
  const problems = eachRow(rows, (row, line) => {
    const id = idOf(row)
    const reference = textOf(row, 'reference', textFields.reference)
    const hypothesis = heardOf(row, pairedHypothesis)
    if (id === null || 'what' in reference || 'what' in hypothesis) {
      return [...(id === null ? [noId] : []), ...[reference, hypothesis].filter((found) => 'what' in found)]
    }
    const about = { id, speaker: speakerOf(row), tags: tagsOf(row, true), line }
    pairs.push({
      reference: { ...about, text: reference.text },
      hypothesis: { ...about, text: hypothesis.text },
    })
    return []
  })
  return { pairs, problems }
}

const noId: Wrong = { what: 'has no "id"', hint: 'add "id", or "audio_filepath": it pairs the texts' }

/** @returns every problem, with the number of its line */
function eachRow(
  rows: readonly NumberedRow[],
  read: (row: Row, line: number) => readonly Wrong[],
): readonly Problem[] {
  return rows.flatMap((row): Problem[] => {
    const wrong = 'wrong' in row ? [row.wrong] : read(row.row, row.line)
    return wrong.map((problem) => ({ where: String(row.line), ...problem }))
  })
}

/** JSON objects, one a line; blank lines are passed over. */
export function jsonRows({ text, firstLine }: LineBlock): readonly NumberedRow[] {
  return text.split('\n').flatMap((line, index): NumberedRow[] => {
    if (line.trim() === '') return []
    const row = parseObject(line)
    const at = { line: firstLine + index }
    return [typeof row === 'string' ? { ...at, wrong: { what: row, hint: objectHint } } : { ...at, row }]
  })
}

const objectHint =
  'write an object a line: {"id":"…","text":"…"}, or {"id":"…","reference":"…","hypothesis":"…"}'

/** The object of a line, or what is wrong with it. */
function parseObject(line: string): Row | string {
  try {
    const value: unknown = JSON.parse(line)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Row
    return 'is not a JSON object'
  } catch (error) {
    return `is not JSON: ${error instanceof Error ? error.message : String(error)}`
  }
}

function idOf(row: Row): string | null {
  const value = idFields.map((field) => row[field]).find((field) => field !== undefined)
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && value !== '' && !loneSurrogate.test(value) ? value : null
}

function speakerOf({ speaker }: Row): string | null {
  return typeof speaker === 'string' || typeof speaker === 'number' ? String(speaker) : null
}

function textOf(row: Row, side: Side, fields: readonly string[]): Pick<Transcript, 'text'> | Wrong {
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

/** What was recognised; null where the row says that nothing came back. */
function heardOf(row: Row, fields: readonly string[]): Pick<Transcript, 'text'> | Wrong {
  const found = textOf(row, 'hypothesis', fields)
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

function tagsOf(row: Row, isHypothesis: boolean): Readonly<Record<string, string>> {
  const tags: Record<string, string> = {}
  for (const [name, value] of Object.entries(row)) {
    const isPlain = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    if (isPlain && !named.includes(name) && !(isHypothesis && name === answeredField))
      tags[name] = String(value)
  }
  return tags
}
