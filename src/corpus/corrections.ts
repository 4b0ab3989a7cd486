import { stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { z } from 'zod'
import { counted, fingerprint, parseJsonObject } from '#prelude'
import { corpusErrors } from './errors.ts'
import { type CorpusEnvironment, locateCorpus } from './locate.ts'
import { problemList, readTextFile } from './text-file.ts'
import type { Utterance } from './utterance.ts'

/** Name of the file next to the manifest; lines are only appended, never changed. */
export const correctionsFileName = 'corrections.jsonl'

const correctionLine = z.strictObject({
  utteranceId: z.string().min(1),
  /** The text before the correction; a correction of another text than the reference has no effect. */
  before: z.string(),
  after: z.string(),
  when: z.iso.datetime(),
  by: z.string(),
  /** Whether the reviewer had seen a contender's text, or typed from the recording alone. */
  seen: z.enum(['seen', 'blind']),
})
type Correction = Readonly<z.infer<typeof correctionLine>>

/** A file of corrections, in chronological order. */
export interface CorrectionsFile {
  /** The file as the user named it. */
  readonly source: string
  /** Fingerprint of the texts of all lines. */
  readonly fingerprint: string
  readonly lines: readonly Correction[]
}

/**
 * Reads a file of corrections, and checks every line.
 *
 * @param path absolute
 * @param source name of the file in the document that is made with it
 * @param content the file's content, where it cannot be read from the path, such as standard input
 * @throws BenchError CORRECTIONS_UNREADABLE with all invalid lines; none is skipped
 */
export async function readCorrections(
  path: string,
  source: string = path,
  content?: Uint8Array,
): Promise<CorrectionsFile> {
  const file = await readTextFile(content ?? path, basename(path)).catch((cause: NodeJS.ErrnoException) => {
    throw corpusErrors.make('CORRECTIONS_UNREADABLE', {
      message: `the corrections ${path} cannot be read (${cause.code ?? cause.message})`,
      hint: 'name a file of corrections: transcribench score <run> --corrections <file>',
      cause,
    })
  })
  const problems = problemList()
  const lines: Correction[] = []
  for (const problem of file.problems) problems.add(problem)
  for (const { number, text } of file.lines) {
    if (text.trim() === '') continue
    const checked = checkLine(text)
    if (typeof checked === 'string') problems.add({ where: `${basename(path)}:${number}`, what: checked })
    else lines.push(checked)
  }
  if (problems.count > 0) {
    throw corpusErrors.make('CORRECTIONS_UNREADABLE', {
      message: `${path} cannot be used: ${counted(problems.count, 'line')}, nothing was skipped`,
      hint: 'correct or remove the lines',
      problems: problems.list(),
    })
  }
  const texts = lines.map(({ utteranceId, before, after }) => [utteranceId, before, after])
  return { source, fingerprint: fingerprint(texts), lines }
}

function checkLine(text: string): Correction | string {
  const value = parseJsonObject(text)
  if (typeof value === 'string') return value
  const parsed = correctionLine.safeParse(value)
  if (parsed.success) return parsed.data
  return parsed.error.issues
    .map(({ path, message }) => `${path.join('.') || 'the line'}: ${message}`)
    .join('; ')
}

/**
 * The path of a corpus's corrections, which is next to its manifest.
 *
 * @param nameOrPath as for `readCorpus`
 * @throws BenchError CORPUS_UNKNOWN
 */
export async function correctionsPath(nameOrPath: string, environment: CorpusEnvironment): Promise<string> {
  const { manifestPath } = await locateCorpus(nameOrPath, environment)
  return join(dirname(manifestPath), correctionsFileName)
}

/** Replaces a draft by its reviewed text; other utterances stay unchanged. */
export type Reviewer = (utterance: Utterance) => Utterance

/**
 * Reads the reviews of a corpus's drafts from the corrections next to its manifest.
 *
 * @throws BenchError CORRECTIONS_UNREADABLE
 */
export async function readReviews(manifestPath: string): Promise<Reviewer> {
  const path = join(dirname(manifestPath), correctionsFileName)
  const isThere = await stat(path).catch(() => null)
  if (isThere === null) return (utterance) => utterance
  const { lines } = await readCorrections(path)
  const byId = Map.groupBy(lines, ({ utteranceId }) => utteranceId)
  return (utterance) => {
    const text = utterance.isDraft ? reviewedText(utterance.text, byId.get(utterance.id) ?? []) : null
    return text === null ? utterance : { ...utterance, text, isDraft: false }
  }
}

/**
 * The reviewed text of a draft: the last correction of the draft, or of a text that corrections made of it. A
 * correction that leaves the text unchanged confirms it.
 *
 * @returns null where it was not reviewed, or the correction was undone
 */
function reviewedText(draft: string, corrections: readonly Correction[]): string | null {
  const texts = new Set([draft])
  let reviewed: string | null = null
  for (const { before, after } of corrections) {
    if (!texts.has(before)) continue
    texts.add(after)
    const isUndone = after === draft && before !== draft
    reviewed = isUndone || after === '' ? null : after
  }
  return reviewed
}
