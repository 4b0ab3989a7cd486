import { type Problem, parseForeignJson } from '#prelude'
import type { TranscriptPart } from '../alignment/networks.ts'
import type { ReplacementRule } from '../profiles/extension.ts'
import type { Utterance } from '../read-pair.ts'

/** One transcript of a file, before any normalisation. */
export interface TranscriptRecord {
  /** What pairs it with its partner. In files without ids the line number, from 1. */
  readonly id: string
  /** As written, without markup where the format has markup that `parts` holds. */
  readonly text: string
  /** Words, optional words and alternatives. Null where the format has none of them. */
  readonly parts: readonly TranscriptPart[] | null
  /** Words with a tag behind a semicolon, which is not scored. Absent where the format has no tags. */
  readonly taggedCount?: number
  readonly speaker: string | null
  /** Further columns, labels and fields, by name. */
  readonly tags: Readonly<Record<string, string>>
  /** Line number, from 1. */
  readonly line: number
}

/** What a file holds, and everything that is wrong with it. */
export interface ParsedTranscripts {
  readonly records: readonly TranscriptRecord[]
  /** In line order. `where` is the line number alone: the reader of the file puts its name before it. */
  readonly problems: readonly Problem[]
}

/** A line of a file, numbered from 1, without its ending. */
export interface NumberedLine {
  readonly line: number
  readonly text: string
}

/** The lines of a text. LF, CRLF and CR end a line; an ending at the very end does not begin another one. */
export function linesOf(text: string): NumberedLine[] {
  const body = text.startsWith('\ufeff') ? text.slice(1) : text
  const lines = body.split(/\r\n|\n|\r/)
  if (lines.at(-1) === '') lines.pop()
  return lines.map((line, index) => ({ line: index + 1, text: line }))
}

/** The ids that occur more than once, as problems of their second and later lines. */
export function duplicateIds(records: readonly { readonly id: string; readonly line: number }[]): Problem[] {
  const firstLines = new Map<string, number>()
  const problems: Problem[] = []
  for (const { id, line } of records) {
    const first = firstLines.get(id)
    if (first === undefined) firstLines.set(id, line)
    else {
      problems.push({
        where: String(line),
        what: `the id “${id}” was used before, in line ${first}`,
        hint: 'give every utterance a unique id',
      })
    }
  }
  return problems
}

/** Whether a text is broken: half of a surrogate pair is not a character. */
function isBroken(text: string): boolean {
  return /\p{Surrogate}/u.test(text)
}

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
function parseObject(line: string): Readonly<Record<string, unknown>> | string {
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
function tagsOf(
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

/** What can be scored, and what cannot and why. */
export interface ParsedPairs {
  readonly utterances: readonly Utterance[]
  readonly problems: readonly Problem[]
}

/**
 * Reads `pairs.jsonl`: objects with `id`, `reference` (a text, or a list of texts that are as right) and
 * `hypothesis` (a text, or null where nothing came back), one a line. `speaker` and all other plain fields are
 * kept as tags.
 */
export function parsePairs(text: string, firstLine = 1): ParsedPairs {
  const utterances: (Utterance & { readonly line: number })[] = []
  const problems: Problem[] = []
  for (const { line: index, text: content } of linesOf(text)) {
    const line = firstLine + index - 1
    if (content.trim() === '') continue
    const row = parseObject(content)
    const what = typeof row === 'string' ? row : pairProblem(row)
    if (typeof row === 'string' || what !== null) {
      problems.push({
        where: String(line),
        what: what ?? '',
        hint: 'write {"id":"…","reference":"…","hypothesis":"…"}, one object a line',
      })
      continue
    }
    utterances.push({
      id: String(row['id']),
      reference: row['reference'] as string | string[],
      hypothesis: row['hypothesis'] as string | null,
      speaker: typeof row['speaker'] === 'string' ? row['speaker'] : null,
      tags: tagsOf(row, ['id', 'reference', 'hypothesis', 'speaker']),
      line,
    })
  }
  return { utterances, problems: [...problems, ...duplicateIds(utterances)] }
}

function pairProblem(row: Readonly<Record<string, unknown>>): string | null {
  const { id, reference, hypothesis } = row
  if ((typeof id !== 'string' && typeof id !== 'number') || id === '') return 'the line has no id'
  const references: readonly unknown[] = Array.isArray(reference) ? reference : [reference]
  if (references.length === 0 || !references.every((text) => typeof text === 'string')) {
    return 'the line has no reference'
  }
  if (typeof hypothesis !== 'string' && hypothesis !== null) return 'the line has no hypothesis'
  const texts = [...references, hypothesis].filter((text) => typeof text === 'string')
  return texts.some(isBroken) ? 'a text holds half of a surrogate pair' : null
}

/** References and hypotheses of two files, paired by id, and what has no partner. */
export interface PairedRecords {
  readonly utterances: readonly Utterance[]
  /** Ids that only one side has, in file order: never dropped in silence, never paired by position. */
  readonly unpaired: readonly {
    readonly side: 'reference' | 'hypothesis'
    readonly id: string
    readonly line: number
  }[]
}

/** Pairs transcripts by id. Of an id that occurs twice the first one counts; the parsers report the second. */
export function pairRecords(
  references: readonly TranscriptRecord[],
  hypotheses: readonly TranscriptRecord[],
): PairedRecords {
  const byId = new Map(hypotheses.toReversed().map((record) => [record.id, record]))
  const known = new Set(references.map(({ id }) => id))
  const utterances: Utterance[] = []
  const unpaired: { side: 'reference' | 'hypothesis'; id: string; line: number }[] = []
  const taken = new Set<string>()
  for (const reference of references) {
    const hypothesis = byId.get(reference.id)
    if (hypothesis === undefined) unpaired.push({ side: 'reference', id: reference.id, line: reference.line })
    else if (!taken.has(reference.id)) utterances.push(utteranceOf(reference, hypothesis))
    taken.add(reference.id)
  }
  for (const { id, line } of hypotheses) if (!known.has(id)) unpaired.push({ side: 'hypothesis', id, line })
  return { utterances, unpaired }
}

function utteranceOf(reference: TranscriptRecord, hypothesis: TranscriptRecord): Utterance {
  return {
    id: reference.id,
    reference: reference.parts ?? reference.text,
    hypothesis: hypothesis.parts ?? hypothesis.text,
    speaker: reference.speaker ?? hypothesis.speaker,
    tags: { ...hypothesis.tags, ...reference.tags },
  }
}

/** The rules of a file, in lower case, what of it a profile has no use for, and what in it is no rule. */
export interface ParsedGlm {
  readonly replacements: readonly ReplacementRule[]
  /** Rules that write alternatives, and rules for one side or kind of file: a profile treats all texts alike. */
  readonly leftOut: readonly Problem[]
  readonly problems: readonly Problem[]
}

/**
 * Reads a global mapping file, as NIST's scoring kit has them. A rule without a context holds inside of words too.
 *
 *   ;; comment
 *   * name "English"
 *   [BACKUP] => [BACK UP] / [ ] __ [ ]     ;; as a separate word
 *   FALKNER => FAULKNER / [WILLIAM ] __
 *   ;; INPUT_DEPENDENT_APPLICATION = "hyp"
 *
 * Rules that write alternatives, `HE'S => { HE IS / HE HAS }`, are for hypotheses: there csrfilt.sh makes a choice of each
 * contraction, and sclite takes the branch that suits the reference. Such a text is a network, not a text, so no profile
 * can make it. Files that csrfilt.sh has filtered hold the choices as transcript markup, which is read and scored so.
 *
 * @see SCTK, doc/rfilter1.htm; csrfilt.sh for what the last line means: what follows is for what the expression matches,
 *   the purpose of a text (`ref`, `hyp`) or the kind of its file (`trn`, `stm`, `ctm`, `txt`, `rttm`)
 */
export function parseGlm(text: string): ParsedGlm {
  const parsed = {
    replacements: [] as ReplacementRule[],
    leftOut: [] as Problem[],
    problems: [] as Problem[],
  }
  let isForSome = false
  for (const { line, text: content } of linesOf(text)) {
    const written = content.trim()
    isForSome = sectionOf(written) ?? isForSome
    if (written === '' || written.startsWith(';;') || written.startsWith('*')) continue
    const where = String(line)
    const rule = ruleOf(written)
    if (rule === null) parsed.problems.push({ where, ...notARule })
    else if (isForSome) parsed.leftOut.push({ where, ...oneSided })
    else if (/[{}]/.test(rule.to)) parsed.leftOut.push({ where, ...alternatives })
    else parsed.replacements.push(rule)
  }
  return parsed
}

const notARule: Omit<Problem, 'where'> = {
  what: 'the line is no rule',
  hint: 'write FROM => TO / [ ] __ [ ], or ;; before a comment',
}
const oneSided: Omit<Problem, 'where'> = { what: 'the rule is for one side or one kind of file only' }
const alternatives: Omit<Problem, 'where'> = {
  what: 'the rule writes alternatives',
  hint: 'list the ways to write it as equivalences',
}

/** Whether what follows a remark is not for everything; null for any other line. */
function sectionOf(line: string): boolean | null {
  const types = /^;;\s+INPUT_DEPENDENT_APPLICATION\s*=\s*"([^"]*)"/i.exec(line)?.[1]
  return types === undefined ? null : !isForAll(types.toLowerCase())
}

/** The expressions of real files are lists of words; whatever else one is, it is not taken for all. */
function isForAll(expression: string): boolean {
  const named = expression.replaceAll(/[()^$]/g, '').split('|')
  const matches = (purposes: readonly string[]): boolean =>
    purposes.every((purpose) => named.some((name) => name === '.*' || purpose.includes(name)))
  return matches(['ref', 'hyp']) || matches(['trn', 'stm', 'ctm', 'txt', 'rttm'])
}

function ruleOf(line: string): ReplacementRule | null {
  const rule = /^(.+?)\s*=>\s*(.*?)(?:\s*\/\s*([^/]*?)\s*__\s*(.*?))?\s*(?:;;.*)?$/.exec(line)
  const [from, to, before, after] = [1, 2, 3, 4].map((part) => literal(rule?.[part] ?? ''))
  return from === '' ? null : { from: `${from}`, to: `${to}`, before: `${before}`, after: `${after}` }
}

/** Text in brackets has its spaces; without brackets it has none around it. */
function literal(written: string): string {
  const bracketed = /^\[(.*)\]$/s.exec(written.trim())?.[1]
  return (bracketed ?? written.trim()).toLowerCase()
}
