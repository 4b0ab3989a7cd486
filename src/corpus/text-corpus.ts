import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { z } from 'zod'
import { counted, fingerprint, type Problem, parseJsonObject } from '#prelude'
import { languageTag } from '#prelude/languages'
import { corpusErrors } from './errors.ts'
import { type CorpusEnvironment, locateCorpus } from './locate.ts'
import { readTextFile } from './text-file.ts'

/** A text to edit, and the expected result. */
export interface TextUtterance {
  /** Unique id in the corpus, by which runs are paired. */
  readonly id: string
  /** The text to send. */
  readonly text: string
  /** The expected result, as written. */
  readonly reference: string
  /** SHA-256 of the text, 64 lower-case hexadecimal digits. */
  readonly sha256: string
  readonly language: string | null
  readonly tags: readonly string[]
  /** Line in the manifest, counted from 1. */
  readonly line: number
}

const textLine = z.object({
  id: z.string().min(1),
  text: z.string().refine((text) => text.trim() !== '', { error: 'is blank' }),
  reference: z.string().refine((text) => text.trim() !== '', { error: 'is blank' }),
  language: z.string().transform(languageTag).optional(),
  tags: z.array(z.string()).optional(),
})

/**
 * Reads texts, one JSON object per line: `{"id": "a", "text": "um hello", "reference": "Hello."}`.
 *
 * @throws BenchError CORPUS_UNKNOWN; CORPUS_UNREADABLE with all problems of all lines
 */
export async function readTextCorpus(nameOrPath: string, environment: CorpusEnvironment) {
  const { name, argument, manifestPath } = await locateCorpus(nameOrPath, environment)
  const shownPath = basename(manifestPath)
  const file = await readTextFile(manifestPath, shownPath).catch((cause: Error) => {
    throw unreadable(manifestPath, [{ where: shownPath, what: cause.message }])
  })
  const problems: Problem[] = [...file.problems]
  const texts = new Map<string, TextUtterance>()
  for (const { number, text: line } of file.lines) {
    if (line.trim() === '') continue
    const where = `${shownPath}:${number}`
    const value = parseJsonObject(line)
    if (typeof value === 'string') {
      problems.push({ where, what: value })
      continue
    }
    const parsed = textLine.safeParse(value)
    if (!parsed.success) {
      for (const { path, message } of parsed.error.issues) {
        problems.push({ where, what: `${path.join('.')}: ${message}` })
      }
      continue
    }
    const { id, text, reference, language, tags } = parsed.data
    if (texts.has(id)) problems.push({ where, what: `the id "${id}" is on an earlier line already` })
    const sha256 = createHash('sha256').update(text).digest('hex')
    texts.set(id, { id, text, reference, sha256, language: language ?? null, tags: tags ?? [], line: number })
  }
  if (problems.length === 0 && texts.size === 0)
    problems.push({ where: shownPath, what: 'has no texts in it' })
  if (problems.length > 0) throw unreadable(manifestPath, problems)
  return { name, argument, manifestPath, texts: [...texts.values()] }
}

/** Fingerprint of texts, which changes with any id, text or reference. */
export function fingerprintOfTexts(texts: readonly TextUtterance[]): string {
  return fingerprint(texts.map(({ id, text, reference }) => ({ id, text, reference })))
}

function unreadable(manifestPath: string, problems: readonly Problem[]): Error {
  return corpusErrors.make('CORPUS_UNREADABLE', {
    message: `${manifestPath} cannot be used for post-processing: ${counted(problems.length, 'problem')}, nothing was skipped`,
    hint: 'write one JSON object a line: {"id": "a", "text": "um hello", "reference": "Hello."}',
    problems,
  })
}
