import { stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { z } from 'zod'
import { counted, fingerprint, parseForeignJson } from '#prelude'
import { corpusErrors } from './errors.ts'
import { type CorpusEnvironment, locateCorpus } from './locate.ts'
import { problemList, readTextFile } from './text-file.ts'
import type { Utterance } from './utterance.ts'

/** Next to the manifest; lines are added to it and never changed. */
export const correctionsFileName = 'corrections.jsonl'

const correctionLine = z.strictObject({
  utteranceId: z.string().min(1),
  /** The text that was corrected. A correction of another text than the reference's counts for nothing. */
  before: z.string(),
  after: z.string(),
  when: z.iso.datetime(),
  by: z.string(),
  /** Whether any contender's text was seen before, or the text was typed from the recording alone. */
  seen: z.enum(['seen', 'blind']),
})
type Correction = Readonly<z.infer<typeof correctionLine>>

/** A file of corrections, in the order in which they were made. */
export interface CorrectionsFile {
  /** As it was named. */
  readonly source: string
  /** Over the texts of all lines. */
  readonly fingerprint: string
  readonly lines: readonly Correction[]
}

/**
 * Reads a file of corrections and checks every line of it.
 *
 * @param path absolute
 * @param source how the document that is made with them names the file
 * @param content what was read of it, where that is not for its path to say: standard input
 * @throws BenchError CORRECTIONS_UNREADABLE with every line that cannot be used: none is skipped
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
  let value: unknown
  try {
    value = parseForeignJson(text)
  } catch (error) {
    return `is not JSON: ${(error as Error).message}`
  }
  const parsed = correctionLine.safeParse(value)
  if (parsed.success) return parsed.data
  return parsed.error.issues
    .map(({ path, message }) => `${path.join('.') || 'the line'}: ${message}`)
    .join('; ')
}

/**
 * The file of a corpus's corrections: next to its manifest.
 *
 * @param nameOrPath as `readCorpus` takes it
 * @throws BenchError CORPUS_UNKNOWN
 */
export async function correctionsPath(nameOrPath: string, environment: CorpusEnvironment): Promise<string> {
  const { manifestPath } = await locateCorpus(nameOrPath, environment)
  return join(dirname(manifestPath), correctionsFileName)
}

/** Takes the reviewed text for a draft; an utterance that is no draft, or not reviewed, stays as it is. */
export type Reviewer = (utterance: Utterance) => Utterance

/**
 * Reads what a person made of the drafts of a corpus, from the corrections next to its manifest.
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
 * What corrections make of a draft: the last one that corrects its text, or what another made of it. One that leaves the
 * text as it is confirms it.
 *
 * @returns null where it was not reviewed, or a correction was undone
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
