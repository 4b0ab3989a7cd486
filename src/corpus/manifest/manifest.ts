import { basename, dirname } from 'node:path'
import type { BenchError, Problem } from '#prelude'
import { counted, shellWord } from '#prelude'
import { startIdRegister } from '#transcripts/problems'
import { type Reviewer, readReviews } from '../corrections.ts'
import { corpusErrors } from '../errors.ts'
import { type CorpusEnvironment, type CorpusLocation, locateCorpus } from '../locate.ts'
import { problemList } from '../text-file.ts'
import type { Utterance } from '../utterance.ts'
import { type CheckedRow, checkRow, lacks, timesReader } from './check-row.ts'
import { type ManifestRow, meantFor, ownFields } from './manifest-row.ts'
import { readRows } from './read-rows.ts'

/** A manifest that exists. It can be read repeatedly as a stream. */
export interface Manifest extends Pick<CorpusLocation, 'name' | 'argument' | 'manifestPath'> {
  /**
   * Checks every line, and yields the utterances in line order. Memory holds one batch, and 24 to 48 bytes
   * per id. After the first problem nothing more is yielded, and all problems are thrown at the end.
   *
   * @param onWarning receives non-fatal problems, at the end
   * @throws BenchError CORPUS_UNREADABLE with all problems of all lines
   */
  batches(onWarning?: (warning: Problem) => void): AsyncGenerator<readonly Utterance[], void>
}

/**
 * Finds a manifest; see `readCorpus`.
 *
 * @throws BenchError CORPUS_UNKNOWN
 */
export async function openManifest(nameOrPath: string, environment: CorpusEnvironment): Promise<Manifest> {
  const { name, argument, manifestPath } = await locateCorpus(nameOrPath, environment)
  return {
    name,
    argument,
    manifestPath,
    batches: (onWarning = () => undefined) => readBatches(manifestPath, onWarning),
  }
}

async function* readBatches(
  manifestPath: string,
  onWarning: (warning: Problem) => void,
): AsyncGenerator<readonly Utterance[], void> {
  const shownPath = basename(manifestPath)
  const problems = problemList()
  const check = checker(manifestPath, shownPath, problems.add)
  const suspects = { firstLine: 0, count: 0 }
  let utteranceCount = 0
  try {
    for await (const rows of readRows(manifestPath, shownPath, { report: problems.add, onWarning })) {
      const batch = await check(rows)
      utteranceCount += batch.length
      for (const utterance of batch.filter(looksLikeChoices)) {
        suspects.firstLine ||= utterance.line
        suspects.count += 1
      }
      if (problems.count === 0 && batch.length > 0) yield batch
    }
  } catch (cause) {
    throw unopened(manifestPath, cause)
  }
  if (problems.count === 0 && utteranceCount === 0)
    problems.add({ where: shownPath, what: 'has no utterances in it' })
  if (problems.count > 0) throw unreadable(manifestPath, problems.list())
  if (suspects.count === 0) return
  const lines = suspects.count === 1 ? '' : ` (${suspects.count} lines)`
  onWarning({
    where: `${shownPath}:${suspects.firstLine}`,
    what: `the text looks as if it held choices, and every word of them is expected${lines}`,
    hint: 'add "choices": true where { a / b } means that either is right',
  })
}

/** Checks rows as they are read. If rows lack ids, the manifest is read a second time for its file names. */
function checker(
  manifestPath: string,
  shownPath: string,
  report: (problem: Problem) => void,
): (rows: readonly ManifestRow[]) => Promise<readonly Utterance[]> {
  const folder = dirname(manifestPath)
  const lines = startIdRegister()
  const readTimes = timesReader()
  const check = (row: ManifestRow, id: unknown): CheckedRow => {
    const where = `${shownPath}:${row.line}`
    const checked = checkRow(row, id, folder)
    for (const what of checked.problems) report({ where, what, ...lackingHint(what, row) })
    const earlier = typeof id === 'string' ? lines.add(id, row.line) : null
    if (earlier !== null) report({ where, what: `the id "${id}" is on line ${earlier} already` })
    return checked
  }
  const timed = async (utterance: Utterance, path: string): Promise<Utterance> => {
    const read = await readTimes(path, utterance)
    if ('times' in read) return { ...utterance, times: read.times }
    report({ where: `${shownPath}:${utterance.line}`, what: read.problem })
    return utterance
  }
  let derived: ReturnType<typeof deriveIds> | null = null
  let reviews: Promise<Reviewer> | null = null
  const idOf = async (row: ManifestRow): Promise<unknown> => {
    const silent = { report: () => undefined, onWarning: () => undefined }
    derived ??= deriveIds(readRows(manifestPath, shownPath, silent))
    return (await derived)(row)
  }
  return async (rows) => {
    const utterances: Utterance[] = []
    for (const row of rows) {
      const { utterance, timesPath } = check(row, lacksId(row) ? await idOf(row) : row.fields.id)
      if (utterance === null) continue
      utterances.push(timesPath === null ? utterance : await timed(utterance, timesPath))
    }
    if (!utterances.some(({ isDraft }) => isDraft)) return utterances
    reviews ??= readReviews(manifestPath)
    return utterances.map(await reviews)
  }
}

/** Whether a line gets its id from the name of its file. */
function lacksId({ fields, mayLackId }: ManifestRow): boolean {
  return mayLackId && fields.id == null
}

/**
 * Derives ids from file names: `clips/0057.wav` gets `0057`. Files of the same name are distinguished by
 * folder: `a/0057`, `b/0057`. Two lines with the same file share an id, which the check for duplicates
 * reports.
 *
 * @param rows all rows of the manifest
 * @returns the id of a line without one; undefined where its audio is not a text
 */
async function deriveIds(
  rows: AsyncIterable<readonly ManifestRow[]>,
): Promise<(row: ManifestRow) => string | undefined> {
  const [seen, shared] = [startIdRegister(), startIdRegister()]
  for await (const batch of rows) {
    for (const row of batch) {
      const { audio } = row.fields
      if (!lacksId(row) || typeof audio !== 'string') continue
      if (seen.add(stem(audio), row.line) !== null) shared.add(stem(audio), row.line)
    }
  }
  return ({ fields: { audio } }) => {
    if (typeof audio !== 'string') return undefined
    return shared.lineOf(stem(audio)) !== null ? withoutExtension(audio) : stem(audio)
  }
}

function stem(path: string): string {
  return withoutExtension(path).split(/[\\/]/).at(-1) ?? path
}

function withoutExtension(path: string): string {
  return path.replace(/\.[^./\\]+$/, '')
}

/** Hint for a line that has the missing field under another name. */
function lackingHint(what: string, { unknownKeys = [] }: ManifestRow): { readonly hint?: string } {
  const field = ownFields.find((name) => what === lacks(name))
  const meant = field === undefined ? null : meantFor(field, unknownKeys)
  if (field === undefined || meant === null) return {}
  const accepted = field === 'audio' ? ' accepted is "audio", or "audio_filepath" in a NeMo manifest' : ''
  return { hint: `the line has "${meant}": did you mean "${field}"?${accepted}` }
}

/** Whether a text contains `{ a / b }` without declaring choices, so that braces and slashes are ignored. */
function looksLikeChoices({ text, hasChoices }: Utterance): boolean {
  return !hasChoices && text.includes('{') && /(?:^|\s)\{[^{}]*\/[^{}]*\}/u.test(text)
}

function unopened(path: string, cause: unknown): unknown {
  if (!(cause instanceof Error && 'code' in cause && 'syscall' in cause)) return cause
  return corpusErrors.make('CORPUS_UNREADABLE', {
    message: `${path} cannot be opened: ${cause.message}`,
    hint: 'name a manifest that you may read, such as ./my-corpus/manifest.jsonl',
    cause,
  })
}

function unreadable(manifestPath: string, problems: readonly Problem[]): BenchError {
  const count = counted(problems.length, 'problem')
  return corpusErrors.make('CORPUS_UNREADABLE', {
    message: `${manifestPath} cannot be used: ${count}, nothing was skipped`,
    hint: `correct the lines, then: transcribench corpus verify ${shellWord(manifestPath)}`,
    problems: [...problems].sort((left, right) => lineIn(left) - lineIn(right)),
  })
}

function lineIn({ where }: Problem): number {
  return Number(/:(\d+)$/.exec(where ?? '')?.[1] ?? 0)
}
