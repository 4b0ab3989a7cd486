import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pLimit from 'p-limit'
import { makeFolder } from '#installation/files'
import { BenchError, counted, isDiskFull, isFileError, type Problem, seededRandom } from '#prelude'
import { corpusErrors, outputNotWritable } from '../errors.ts'
import { importFileName, readImportFile } from '../provenance.ts'
import { cutRecording } from './cut-recording.ts'
import { type ImportedRow, type ImportState, openImportState } from './import-state.ts'
import type { ImportSource, OpenPart, SourceRecording } from './source.ts'
import { makeRow, type NameRegister, nameRegister, sourceId, writeUtterance } from './utterance-files.ts'

/** Amount and destination of an import. */
export interface ImportOptions {
  /** Absolute path of the corpus folder; made if it does not exist. */
  readonly output: string
  /** The request as typed, which is recorded and identifies the import when it is repeated. */
  readonly request: Readonly<Record<string, string | number | null>>
  /** BCP 47 tag of utterances without a language in the source. */
  readonly language: string | null
  /** Maximum number of utterances. */
  readonly limit: number | null
  /** The import ends with the utterance that reaches this duration in total. */
  readonly audioSeconds: number | null
  /** Shuffles parts, and recordings within each; null keeps the order of the source. */
  readonly seed: number | null
  /** Whether to skip unusable recordings, and record them. */
  readonly skipUnusable: boolean
  /** Called before the first recording; not if the corpus is complete already. */
  readonly onBegin?: (beginning: { readonly isResumed: boolean }) => void
  readonly onProgress?: (progress: ImportProgress) => void
  readonly onDownload?: (name: string, receivedBytes: number, totalBytes: number | null) => void
  readonly signal?: AbortSignal
}

export interface ImportProgress {
  readonly part: string
  /** Recordings of the part that are done. */
  readonly recordingsDone: number
  readonly recordingCount: number
  /** Utterances of the whole import, including earlier calls. */
  readonly utteranceCount: number
  readonly audioSeconds: number
}

export interface ImportedCorpus {
  readonly manifestPath: string
  readonly utteranceCount: number
  readonly audioSeconds: number
  /** Number of ids that existed already and got a number appended. */
  readonly renamedCount: number
  readonly skipped: readonly Problem[]
  /** Whether the corpus was complete before this call. */
  readonly wasThere: boolean
}

/** Number of recordings that are read ahead of the one being cut. */
const readAhead = 4

/**
 * Imports a source: cuts its recordings into utterances of mono 16-bit WAV, and writes the manifest at the
 * end. A repeated call resumes with the first missing recording.
 *
 * @throws BenchError IMPORT_UNUSABLE with all problems; IMPORT_NOT_WRITABLE; errors of the source; the
 * signal's reason
 */
export async function importCorpus(source: ImportSource, options: ImportOptions): Promise<ImportedCorpus> {
  const { output, request } = options
  const manifestPath = join(output, 'manifest.jsonl')
  const there = await readImportFile(output, request)
  if (there !== null) return { ...there, manifestPath, renamedCount: 0, wasThere: true }
  await makeFolder(output).catch((cause: NodeJS.ErrnoException) => {
    throw notWritable(cause, output, '')
  })
  await using state = await openImportState(output, request)
  options.onBegin?.({ isResumed: state.utteranceCount > 0 })
  const names = nameRegister(state.ids)
  const failures: Problem[] = []
  const written = { bytes: 0, recordings: 0 }
  const { usualLanguage = null } = source
  for (const part of shuffled(source.parts, options.seed)) {
    if (isEnough(state, options)) break
    if (state.isDone(part.key)) continue
    const before = failures.length
    const opened = await openPart(part, state, options)
    await importPart(part.key, opened, { state, names, failures, options, written, usualLanguage })
    if (failures.length > before) continue
    await state.add({ part: part.key, isDone: true })
    await opened.discard()
  }
  if (failures.length > 0) throw unusable(source, failures, state)
  if (state.utteranceCount === 0)
    throw unusable(source, [{ where: null, what: 'holds no utterances' }], state)
  const { utteranceCount, audioSeconds, skipped } = state
  const { title, licence } = source
  const facts = { formatVersion: 1, source: title, licence, request, utteranceCount, audioSeconds, skipped }
  await writeFile(join(output, importFileName), `${JSON.stringify(facts, null, 2)}\n`)
  await state.finish(manifestPath)
  const { renamedCount } = names
  return { manifestPath, utteranceCount, audioSeconds, renamedCount, skipped, wasThere: false }
}

async function openPart(
  part: ImportSource['parts'][number],
  { workFolder }: ImportState,
  options: ImportOptions,
): Promise<OpenPart> {
  let missingBytes: number | null = null
  try {
    return await part.open({
      workFolder,
      isPartial: options.limit !== null || options.audioSeconds !== null,
      signal: options.signal,
      onDownload(name, receivedBytes, totalBytes) {
        missingBytes = totalBytes === null ? null : totalBytes - receivedBytes
        options.onDownload?.(name, receivedBytes, totalBytes)
      },
    })
  } catch (error) {
    if (!isFileError(error)) throw error
    // The space for unpacking an archive is unknown, so only the download is counted.
    const needed = missingBytes ? `the rest of ${part.key} needs ${megabytes(missingBytes)} more` : ''
    throw notWritable(error as NodeJS.ErrnoException, options.output, needed)
  }
}

interface Work {
  readonly state: ImportState
  readonly names: NameRegister
  readonly failures: Problem[]
  readonly options: ImportOptions
  readonly usualLanguage: string | null
  /** Amount written by this call. */
  readonly written: { bytes: number; recordings: number }
}

function isEnough(
  { utteranceCount, audioSeconds }: Pick<ImportState, 'utteranceCount' | 'audioSeconds'>,
  options: ImportOptions,
): boolean {
  return utteranceCount >= (options.limit ?? Infinity) || audioSeconds >= (options.audioSeconds ?? Infinity)
}

function shuffled<Element>(elements: readonly Element[], seed: number | null): readonly Element[] {
  return seed === null ? elements : seededRandom(seed).shuffled(elements)
}

async function importPart(part: string, { recordings, problems }: OpenPart, work: Work): Promise<void> {
  const { state, failures, options } = work
  if (problems.length > 0 && !options.skipUnusable) {
    // There may be as many problems as lines of a manifest, too many for arguments of `push`.
    for (const problem of problems) failures.push(problem)
    return
  }
  if (problems.length > 0 && !state.hasProblems(part)) await state.add({ part, skipped: problems })
  const named = nameRecordings(recordings)
  const imported = state.recordingsOf(part)
  const names = new Set(named.map(({ name }) => name))
  const gone = [...imported].find((name) => !names.has(name))
  if (gone !== undefined) {
    throw corpusErrors.make('IMPORT_NOT_WRITABLE', {
      message: `${options.output} holds the recording ${gone.replace(/ \d+$/, '')}, which the source does not have any more`,
      hint: 'remove the folder and type the same command again, or name another one with --output',
    })
  }
  const order = shuffled(named, options.seed)
  const limit = pLimit(readAhead)
  const ahead: Promise<Uint8Array | Error>[] = []
  const readAt = (index: number): void => {
    const next = order[index]
    if (next === undefined || imported.has(next.name)) return
    ahead[index] = limit(() => next.recording.read().catch((error: Error) => error))
  }
  for (let index = 0; index < Math.min(readAhead, order.length); index += 1) readAt(index)
  for (const [index, { recording, name }] of order.entries()) {
    options.signal?.throwIfAborted()
    if (isEnough(state, options)) break
    const bytes = await ahead[index]
    delete ahead[index]
    readAt(index + readAhead)
    if (bytes === undefined) continue
    await importRecording({ part, recording, name, index, count: order.length }, bytes, work)
    const { utteranceCount, audioSeconds } = state
    const done = { recordingsDone: index + 1, recordingCount: order.length }
    options.onProgress?.({ part, ...done, utteranceCount, audioSeconds })
  }
}

/** Names recordings by id and a count of repetitions, because their positions change when the source is corrected. */
function nameRecordings(
  recordings: readonly SourceRecording[],
): readonly { readonly recording: SourceRecording; readonly name: string }[] {
  const counts = new Map<string, number>()
  return recordings.map((recording) => {
    const count = (counts.get(recording.id) ?? 0) + 1
    counts.set(recording.id, count)
    return { recording, name: `${recording.id} ${count}` }
  })
}

interface Place {
  readonly part: string
  readonly recording: SourceRecording
  /** Name in the state. */
  readonly name: string
  readonly index: number
  readonly count: number
}

async function importRecording(place: Place, bytes: Uint8Array | Error, work: Work): Promise<void> {
  const { state, failures, options } = work
  const { part, recording, name, index } = place
  try {
    // Errors of the hub or the disk are not problems of the recording.
    if (bytes instanceof BenchError || (bytes instanceof Error && isDiskFull(bytes))) throw bytes
    const { rows, problems } =
      bytes instanceof Error
        ? { rows: [], problems: [{ where: recording.where, what: `cannot be read: ${bytes.message}` }] }
        : await writeRecording(place, bytes, work)
    if (problems.length > 0 && !options.skipUnusable) failures.push(...problems)
    else await state.add({ part, recording: name, place: index, rows, skipped: problems })
  } catch (error) {
    throw isFileError(error)
      ? notWritable(error as NodeJS.ErrnoException, options.output, neededSpace(work, place))
      : error
  }
}

/** Writes all utterances of a recording, or none. */
async function writeRecording(
  place: Place,
  bytes: Uint8Array,
  { state, names, options, written: total, usualLanguage }: Work,
): Promise<{ readonly rows: readonly ImportedRow[]; readonly problems: readonly Problem[] }> {
  const { recording } = place
  const written: { readonly index: number; readonly row: ImportedRow }[] = []
  const problems: Problem[] = []
  let { utteranceCount, audioSeconds } = state
  for await (const utterance of cutRecording(recording, bytes)) {
    if (!utterance.ok) {
      const { reason, where = recording.where } = utterance.failure
      problems.push({ where, what: `${recording.id}: ${reason}` })
      continue
    }
    const { index, wav } = utterance.value
    const { row, problems: faults } = makeRow(
      utterance.value,
      names.claim(sourceId(recording, utterance.value)),
      options.language ?? usualLanguage,
    )
    const where = utterance.value.cut.where ?? recording.where
    problems.push(...faults.map((what) => ({ where, what: `${row.id}: ${what}` })))
    if (faults.length > 0) continue
    await writeUtterance(options.output, row, wav)
    total.bytes += wav.length
    written.push({ index, row })
    utteranceCount += 1
    audioSeconds += row.durationSeconds
    if (isEnough({ utteranceCount, audioSeconds }, options)) break
  }
  if (problems.length > 0 && !options.skipUnusable) {
    for (const { row } of written) await rm(join(options.output, row.audio), { force: true })
    return { rows: [], problems }
  }
  total.recordings += 1
  // The pieces are sorted, because a short segment within a long one ends first.
  return { rows: written.sort((left, right) => left.index - right.index).map(({ row }) => row), problems }
}

function unusable(source: ImportSource, problems: readonly Problem[], state: ImportState): BenchError {
  const count = counted(problems.length, 'problem')
  const done =
    state.utteranceCount === 0
      ? ''
      : `; ${state.utteranceCount} ${state.utteranceCount === 1 ? 'utterance is' : 'utterances are'} imported and kept`
  return corpusErrors.make('IMPORT_UNUSABLE', {
    message: `${source.title} cannot be imported as it is: ${count}${done}`,
    hint: 'correct them and type the same command again, or add --skip-unusable to go without them, which the corpus records',
    problems,
  })
}

/** @param needed the missing space, or empty where unknown */
function notWritable(cause: NodeJS.ErrnoException, output: string, needed: string): BenchError {
  if (!isDiskFull(cause)) return outputNotWritable('IMPORT_NOT_WRITABLE', output, cause)
  return corpusErrors.make('IMPORT_NOT_WRITABLE', {
    message: `the disk of ${output} is full${needed === '' ? '' : `; ${needed}`}`,
    hint: 'free the space and type the same command again: it goes on where it stopped; or take less with --limit or --hours',
    cause,
  })
}

/** Estimates the space from the mean size of the recordings that this call has written. */
function neededSpace({ state, written }: Work, { count, index }: Place): string {
  if (written.recordings === 0) return 'not one utterance fits'
  const needed = megabytes((written.bytes / written.recordings) * (count - index))
  return `${state.utteranceCount} utterances are written, and the other ${count - index} recordings need about ${needed} more`
}

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1e6)} MB`
}
