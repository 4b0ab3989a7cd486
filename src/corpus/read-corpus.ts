import { basename, dirname, extname } from 'node:path'
import { type BenchError, fingerprint, type Problem } from '#prelude'
import type { CorpusEnvironment } from './corpus-environment.ts'
import { deriveIds } from './derived-id.ts'
import { corpusErrors } from './errors.ts'
import { locateCorpus } from './locate.ts'
import { meantFor, ownFields } from './manifest-field.ts'
import { parseManifestLines } from './manifest-lines.ts'
import type { ManifestRow, ManifestRows } from './manifest-row.ts'
import { parseManifestTable } from './manifest-table.ts'
import { readTextFile, type TextFile } from './text-file.ts'
import type { Corpus, Utterance } from './utterance.ts'
import { checkRow, lacks } from './utterance-check.ts'

/**
 * Reads the manifest of a corpus and checks every line of it. The audio is not opened: see `verifyCorpus`.
 *
 * A name is looked up in `./corpora`, in the data directory, and among the corpora that come with transcribench. Anything
 * with a slash or a manifest's extension is a path, of a manifest or of its folder. Read are JSON Lines (our keys, or
 * NeMo's), CSV and TSV; corpora/README.md describes them.
 *
 * @throws BenchError CORPUS_UNKNOWN; CORPUS_UNREADABLE with all problems of all lines
 */
export async function readCorpus(nameOrPath: string, environment: CorpusEnvironment): Promise<Corpus> {
  const { name, manifestPath } = await locateCorpus(nameOrPath, environment)
  const shownPath = basename(manifestPath)
  const file = await openManifest(manifestPath, shownPath)
  const parsed = parseManifest(file, shownPath)
  const { utterances, problems } = checkRows(parsed.rows, dirname(manifestPath), shownPath)
  const all = [...file.problems, ...parsed.problems, ...problems]
  if (all.length > 0) throw unreadable(manifestPath, all)
  if (utterances.length === 0)
    throw unreadable(manifestPath, [{ where: shownPath, what: 'has no utterances in it' }])
  return {
    name,
    manifestPath,
    utterances,
    fingerprint: fingerprintOf(utterances),
    warnings: [...parsed.warnings, ...unreadChoices(utterances, shownPath)],
  }
}

/**
 * Names the content of a corpus: ids, references and hashes of the recordings, in this order. Where a manifest has
 * no hash, only `verifyCorpus` can know it, and the fingerprint from there is another one.
 */
export function fingerprintOf(utterances: readonly Utterance[]): string {
  return fingerprint(
    utterances.map(({ id, text, alternatives, hasChoices, sha256 }) => ({
      id,
      text,
      sha256,
      // Left out where there is none, so that corpora keep the name that they had.
      ...(alternatives.length === 0 ? {} : { alternatives }),
      ...(hasChoices ? { hasChoices } : {}),
    })),
  )
}

async function openManifest(path: string, shownPath: string): Promise<TextFile> {
  try {
    return await readTextFile(path, shownPath)
  } catch (error) {
    if (!(error instanceof Error)) throw error
    throw corpusErrors.make('CORPUS_UNREADABLE', {
      message: `${path} cannot be opened: ${error.message}`,
      hint: 'name a manifest that you may read, such as ./my-corpus/manifest.jsonl',
      cause: error,
    })
  }
}

function parseManifest(file: TextFile, shownPath: string): ManifestRows {
  const extension = extname(shownPath)
  if (extension === '.csv') return parseManifestTable(file.lines, shownPath, 'csv')
  if (extension === '.tsv') return parseManifestTable(file.lines, shownPath, 'tsv')
  return parseManifestLines(file.lines, shownPath)
}

function checkRows(
  rows: readonly ManifestRow[],
  folder: string,
  shownPath: string,
): { readonly utterances: readonly Utterance[]; readonly problems: readonly Problem[] } {
  const derived = deriveIds(rows)
  const lineOf = new Map<string, number>()
  const utterances: Utterance[] = []
  const problems: Problem[] = []
  for (const row of rows) {
    const where = `${shownPath}:${row.line}`
    const id = row.fields.id ?? derived.get(row.line)
    const checked = checkRow(row, id, folder)
    problems.push(...checked.problems.map((what) => ({ where, what, ...lackingHint(what, row) })))
    const earlier = typeof id === 'string' ? lineOf.get(id) : undefined
    if (earlier !== undefined) problems.push({ where, what: `the id "${id}" is on line ${earlier} already` })
    else if (typeof id === 'string') lineOf.set(id, row.line)
    if (checked.utterance !== null) utterances.push(checked.utterance)
  }
  return { utterances, problems: withoutRepetition(problems) }
}

/** For a line that has a field under another name. */
function lackingHint(what: string, { unknownKeys = [] }: ManifestRow): { readonly hint?: string } {
  const field = ownFields.find((name) => what === lacks(name))
  const meant = field === undefined ? null : meantFor(field, unknownKeys)
  if (field === undefined || meant === null) return {}
  const accepted = field === 'audio' ? ' accepted is "audio", or "audio_filepath" in a NeMo manifest' : ''
  return { hint: `the line has "${meant}": did you mean "${field}"?${accepted}` }
}

/** More lines than this with the same problem are reported once. */
const maxAlike = 3

function withoutRepetition(problems: readonly Problem[]): readonly Problem[] {
  const alike = Map.groupBy(problems, ({ what, hint }) => `${what}\n${hint}`)
  return [...alike.values()].flatMap((those) => {
    const [first] = those
    return first === undefined || those.length <= maxAlike
      ? those
      : [{ ...first, what: `${first.what} (${those.length} lines)` }]
  })
}

/** `{ a / b }` in a text whose line does not say that it holds choices: braces and slashes count for nothing then. */
function unreadChoices(utterances: readonly Utterance[], shownPath: string): readonly Problem[] {
  const meant = utterances.filter(
    ({ text, hasChoices }) => !hasChoices && /(?:^|\s)\{[^{}]*\/[^{}]*\}/u.test(text),
  )
  const [first] = meant
  if (first === undefined) return []
  const count = meant.length === 1 ? '' : ` (${meant.length} lines)`
  return [
    {
      where: `${shownPath}:${first.line}`,
      what: `the text looks as if it held choices, and every word of them is expected${count}`,
      hint: 'add "choices": true where { a / b } means that either is right',
    },
  ]
}

function unreadable(manifestPath: string, problems: readonly Problem[]): BenchError {
  const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`
  return corpusErrors.make('CORPUS_UNREADABLE', {
    message: `${manifestPath} cannot be used: ${count}, nothing was skipped`,
    hint: 'correct the lines, then: transcribench corpus verify <name or path>',
    problems: [...problems].sort((left, right) => lineIn(left) - lineIn(right)),
  })
}

function lineIn({ where }: Problem): number {
  return Number(/:(\d+)$/.exec(where ?? '')?.[1] ?? 0)
}
