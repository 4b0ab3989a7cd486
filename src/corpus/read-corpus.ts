import { basename, dirname, extname } from 'node:path'
import { type BenchError, fingerprintOfList, type Problem } from '#prelude'
import type { CorpusEnvironment } from './corpus-environment.ts'
import { deriveIds } from './derived-id.ts'
import { corpusErrors } from './errors.ts'
import { locateCorpus } from './locate.ts'
import { meantFor, ownFields } from './manifest-field.ts'
import { manifestLineReader } from './manifest-lines.ts'
import type { ManifestRow } from './manifest-row.ts'
import { parseManifestTable } from './manifest-table.ts'
import { readTextFile, streamTextLines } from './text-file.ts'
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
  const problems: Problem[] = []
  const { utterances, warnings } = await readRows(manifestPath, shownPath, problems).catch(
    (cause: unknown) => {
      throw unopened(manifestPath, cause)
    },
  )
  if (problems.length > 0) throw unreadable(manifestPath, withoutRepetition(problems))
  if (utterances.length === 0)
    throw unreadable(manifestPath, [{ where: shownPath, what: 'has no utterances in it' }])
  return {
    name,
    manifestPath,
    utterances,
    fingerprint: fingerprintOf(utterances),
    warnings: [...warnings, ...unreadChoices(utterances, shownPath)],
  }
}

/**
 * Names the content of a corpus: ids, references and hashes of the recordings, in this order. Where a manifest has
 * no hash, only `verifyCorpus` can know it, and the fingerprint from there is another one.
 */
export function fingerprintOf(utterances: readonly Utterance[]): string {
  return fingerprintOfList(utterances, ({ id, text, alternatives, hasChoices, sha256 }) => ({
    id,
    text,
    sha256,
    // Left out where there is none, so that corpora keep the name that they had.
    ...(alternatives.length === 0 ? {} : { alternatives }),
    ...(hasChoices ? { hasChoices } : {}),
  }))
}

function unopened(path: string, cause: unknown): unknown {
  if (!(cause instanceof Error && 'code' in cause && 'syscall' in cause)) return cause
  return corpusErrors.make('CORPUS_UNREADABLE', {
    message: `${path} cannot be opened: ${cause.message}`,
    hint: 'name a manifest that you may read, such as ./my-corpus/manifest.jsonl',
    cause,
  })
}

interface ReadRows {
  readonly utterances: readonly Utterance[]
  readonly warnings: readonly Problem[]
}

async function readRows(path: string, shownPath: string, problems: Problem[]): Promise<ReadRows> {
  const report = (problem: Problem): void => void problems.push(problem)
  const register = startRegister(dirname(path), shownPath, report)
  const extension = extname(shownPath)
  if (extension === '.csv' || extension === '.tsv') {
    const file = await readTextFile(path, shownPath)
    const table = parseManifestTable(file.lines, shownPath, extension === '.csv' ? 'csv' : 'tsv')
    for (const problem of [...file.problems, ...table.problems]) report(problem)
    table.rows.forEach(register.add)
    return { utterances: register.finish(), warnings: table.warnings }
  }
  const reader = manifestLineReader(shownPath, report)
  for await (const lines of streamTextLines(path, shownPath, report)) {
    for (const line of lines) {
      const row = reader.read(line)
      if (row !== null) register.add(row)
    }
  }
  return { utterances: register.finish(), warnings: reader.warnings() }
}

interface UtteranceRegister {
  readonly add: (row: ManifestRow) => void
  /** @returns the utterances in line order; those with problems are left out, which were reported */
  finish(): readonly Utterance[]
}

/** Checks rows as they come. Rows without an id wait for the end: only then it is known which names of files are unique. */
function startRegister(
  folder: string,
  shownPath: string,
  report: (problem: Problem) => void,
): UtteranceRegister {
  const lineOf = new Map<string, number>()
  const found: (Utterance | ManifestRow)[] = []
  const sharing = sharedTexts()
  const check = (row: ManifestRow, id: unknown): Utterance | null => {
    const where = `${shownPath}:${row.line}`
    const checked = checkRow(row, id, folder)
    for (const what of checked.problems) report({ where, what, ...lackingHint(what, row) })
    const earlier = typeof id === 'string' ? lineOf.get(id) : undefined
    if (earlier !== undefined) report({ where, what: `the id "${id}" is on line ${earlier} already` })
    else if (typeof id === 'string') lineOf.set(id, row.line)
    return checked.utterance === null ? null : sharing(checked.utterance)
  }
  return {
    add(row) {
      const entry = row.mayLackId && row.fields.id == null ? row : check(row, row.fields.id)
      if (entry !== null) found.push(entry)
    },
    finish() {
      const derived = deriveIds(found.filter((entry) => 'fields' in entry))
      return found
        .map((entry) => ('fields' in entry ? check(entry, derived.get(entry.line)) : entry))
        .filter((utterance) => utterance !== null)
    },
  }
}

const none: readonly string[] = []
/** Names of speakers and tags: more different ones than this are not worth a table. */
const maxShared = 100_000

/** Each line brings copies of the same few texts; in a manifest of millions of lines they are half of the memory. */
function sharedTexts(): (utterance: Utterance) => Utterance {
  const texts = new Map<string, string>()
  const lists = new Map<string, readonly string[]>()
  const shared = <Text extends string | null>(text: Text): Text => {
    if (text === null) return text
    const known = texts.get(text)
    if (known === undefined && texts.size < maxShared) texts.set(text, text)
    return (known ?? text) as Text
  }
  const sharedList = (list: readonly string[]): readonly string[] => {
    if (list.length === 0) return none
    const key = JSON.stringify(list)
    const known = lists.get(key)
    if (known === undefined && lists.size < maxShared) lists.set(key, list)
    return known ?? list
  }
  return (utterance) => ({
    ...utterance,
    alternatives: sharedList(utterance.alternatives),
    language: shared(utterance.language),
    speaker: shared(utterance.speaker),
    source: shared(utterance.source),
    tags: sharedList(utterance.tags),
    keywords: sharedList(utterance.keywords),
  })
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
    ({ text, hasChoices }) => !hasChoices && text.includes('{') && /(?:^|\s)\{[^{}]*\/[^{}]*\}/u.test(text),
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
