import { type Problem, parseForeignJson } from '#prelude'
import { duplicateIds, isBroken, linesOf, type ParsedTranscripts, type TranscriptRecord } from './record.ts'

const plain = { parts: null, speaker: null, tags: {} } as const

/**
 * A transcript a line, no ids: the line number is the id, and an empty line is an empty transcript.
 *
 * @param firstLine number of the text's first line, where it is a part of a file
 */
export function parseLines(text: string, firstLine = 1): ParsedTranscripts {
  const records = linesOf(text).map(({ line, text: content }): TranscriptRecord => {
    const number = firstLine + line - 1
    return { ...plain, id: String(number), text: content, line: number }
  })
  return { records, problems: [] }
}

/**
 * Kaldi's `text` and LibriSpeech's `.trans.txt`: an id, a space, a transcript, which may be empty.
 *
 * @see https://kaldi-asr.org/doc/data_prep.html
 */
export function parseKaldiText(text: string, firstLine = 1): ParsedTranscripts {
  const records = linesOf(text).flatMap(({ line, text: content }): TranscriptRecord[] => {
    const match = /^\s*(\S+)\s?(.*)$/s.exec(content)
    if (match === null) return []
    return [
      { ...plain, id: match[1] as string, text: (match[2] as string).trim(), line: firstLine + line - 1 },
    ]
  })
  return { records, problems: duplicateIds(records) }
}

/** Fields that are the transcript, most specific first. */
const textFields = ['text', 'pred_text', 'transcript', 'reference', 'hypothesis', 'sentence'] as const
const idFields = ['id', 'utterance_id', 'audio_filepath', 'audio'] as const

/**
 * JSON Lines with an object a line, as NeMo's manifests: the id is `id`, or else `audio_filepath`; the transcript
 * is in the field that is asked for; all other plain fields become tags.
 *
 * @param field the field that holds the transcript: `text` for references, `pred_text` for NeMo's hypotheses
 */
export function parseJsonLines(text: string, field: string = 'text', firstLine = 1): ParsedTranscripts {
  const records: TranscriptRecord[] = []
  const problems: Problem[] = []
  for (const { line: index, text: content } of linesOf(text)) {
    const line = firstLine + index - 1
    if (content.trim() === '') continue
    const row = parseObject(content)
    if (typeof row === 'string') {
      problems.push({
        where: String(line),
        what: row,
        hint: 'write one JSON object a line: {"id":"…","text":"…"}',
      })
      continue
    }
    const problem = fieldProblem(row, field)
    if (problem === null) records.push(recordOf(row, field, line))
    else problems.push({ where: String(line), ...problem })
  }
  return { records, problems: [...problems, ...duplicateIds(records)] }
}

/** The object of a line, or what is wrong with it. */
export function parseObject(line: string): Readonly<Record<string, unknown>> | string {
  let value: unknown
  try {
    value = parseForeignJson(line)
  } catch (error) {
    // JSON.parse says where it stopped; that is what a person needs to see.
    return `the line is no JSON: ${error instanceof Error ? error.message : String(error)}`
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'the line is no JSON object'
  return value as Readonly<Record<string, unknown>>
}

function fieldProblem(row: Readonly<Record<string, unknown>>, field: string): Omit<Problem, 'where'> | null {
  const found = textFields.filter((name) => typeof row[name] === 'string')
  if (typeof row[field] !== 'string') {
    return {
      what: `the line has no text “${field}”`,
      hint:
        found.length === 0
          ? `add "${field}"`
          : `it has ${found.join(', ')}: name the field that holds the text`,
    }
  }
  if (isBroken(row[field])) {
    return {
      what: `“${field}” holds half of a surrogate pair`,
      hint: 'write the whole character, or leave it out',
    }
  }
  if (idOf(row) === null) return { what: 'the line has no id', hint: 'add "id", or "audio_filepath"' }
  return null
}

function idOf(row: Readonly<Record<string, unknown>>): string | null {
  for (const field of idFields) {
    const value = row[field]
    if (typeof value === 'string' && value !== '') return value
    if (typeof value === 'number') return String(value)
  }
  return null
}

function recordOf(row: Readonly<Record<string, unknown>>, field: string, line: number): TranscriptRecord {
  const { speaker } = row
  return {
    id: idOf(row) ?? '',
    text: row[field] as string,
    parts: null,
    speaker: typeof speaker === 'string' ? speaker : null,
    tags: tagsOf(row, [...textFields, ...idFields, field, 'speaker']),
    line,
  }
}

/** The plain fields of a row that have no other meaning, as text. */
export function tagsOf(
  row: Readonly<Record<string, unknown>>,
  others: readonly string[],
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(row).flatMap(([name, value]) => {
      const isPlain = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
      return isPlain && !others.includes(name) ? [[name, String(value)]] : []
    }),
  )
}
