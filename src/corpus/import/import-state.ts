import { mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fingerprint, type Problem, parseJson } from '#prelude'
import { corpusErrors } from '../errors.ts'
import { claimOutput } from '../files.ts'
import type { manifestLine } from '../manifest/manifest-row.ts'
import { streamTextLines } from '../text-file.ts'

/** A line of the manifest, as written. */
export type ImportedRow = ReturnType<typeof manifestLine> & { readonly durationSeconds: number }

/** One line of the state: a recording of a part with its results, problems of a part, or the end of a part. */
type StateLine =
  | {
      readonly part: string
      readonly recording: string
      /** Index among the recordings of the part at the time of the import. */
      readonly place: number
      readonly rows: readonly ImportedRow[]
      readonly skipped: readonly Problem[]
    }
  | { readonly part: string; readonly skipped: readonly Problem[] }
  | { readonly part: string; readonly isDone: true }

/** The progress of an import, saved after every recording, so that it can be resumed. */
export interface ImportState extends AsyncDisposable {
  /** Folder of fetched files; removed when the import is complete. */
  readonly workFolder: string
  readonly ids: ReadonlySet<string>
  readonly utteranceCount: number
  readonly audioSeconds: number
  readonly skipped: readonly Problem[]
  isDone(part: string): boolean
  /** Names of a part's recordings that are imported or skipped. */
  recordingsOf(part: string): ReadonlySet<string>
  /** Whether the problems of a part's texts and tables are recorded. */
  hasProblems(part: string): boolean
  add(line: StateLine): Promise<void>
  /** Writes the manifest in the order of the source, and removes the work folder. */
  finish(manifestPath: string): Promise<void>
}

const formatVersion = 2

/**
 * Opens or creates the state of an import in its folder.
 *
 * @param request the request; a state of another request is refused
 * @throws BenchError IMPORT_NOT_WRITABLE, also while another process imports into the folder
 */
export async function openImportState(output: string, request: unknown): Promise<ImportState> {
  const workFolder = join(output, '.import')
  const path = join(workFolder, 'state.jsonl')
  await mkdir(workFolder, { recursive: true })
  await using opening = new AsyncDisposableStack()
  opening.use(await claimOutput(output, join(workFolder, 'pid'), 'IMPORT_NOT_WRITABLE'))
  const wanted = fingerprint({ formatVersion, request })
  const earlier = await readState(path, wanted, output)
  const file = opening.use(await open(path, 'a'))
  // An unfinished line of a killed process is removed.
  await file.truncate(earlier.wholeBytes)
  if (earlier.wholeBytes === 0) {
    await file.appendFile(`${JSON.stringify({ formatVersion, request: wanted })}\n`)
  }
  const opened = opening.move()
  return {
    workFolder,
    ids: earlier.ids,
    skipped: earlier.skipped,
    get utteranceCount() {
      return earlier.utteranceCount
    },
    get audioSeconds() {
      return earlier.audioSeconds
    },
    isDone: (part) => earlier.doneParts.has(part),
    recordingsOf: (part) => earlier.recordings.get(part) ?? new Set(),
    hasProblems: (part) => earlier.reportedParts.has(part),
    async add(line) {
      await file.appendFile(`${JSON.stringify(line)}\n`)
      count(earlier, line)
    },
    async finish(manifestPath) {
      await writeManifest(path, manifestPath, earlier.isSorted)
      await file.close()
      await rm(workFolder, { recursive: true, force: true })
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

/** The content of a state file. */
interface Earlier {
  wholeBytes: number
  utteranceCount: number
  audioSeconds: number
  readonly skipped: Problem[]
  readonly ids: Set<string>
  readonly doneParts: Set<string>
  readonly recordings: Map<string, Set<string>>
  readonly reportedParts: Set<string>
  last: { part: string; place: number } | null
  /** False if a recording that first failed was imported by a later call, and so follows its successors. */
  isSorted: boolean
}

async function readState(path: string, request: string, output: string): Promise<Earlier> {
  const earlier: Earlier = {
    wholeBytes: 0,
    utteranceCount: 0,
    audioSeconds: 0,
    skipped: [],
    ids: new Set(),
    doneParts: new Set(),
    recordings: new Map(),
    reportedParts: new Set(),
    last: null,
    isSorted: true,
  }
  for await (const { line, endsAt } of wholeLines(path)) {
    const parsed = parseJson(line) as StateLine | { readonly request: string } | undefined
    // After a power failure the end may contain zeros; recordings from there on are imported again.
    if (parsed === undefined) break
    if (!('request' in parsed)) count(earlier, parsed)
    else if (parsed.request !== request) {
      throw corpusErrors.make('IMPORT_NOT_WRITABLE', {
        message: `${output} holds an unfinished import of another source, with other options or of another version`,
        hint: 'finish that one, remove the folder, or name another one with --output',
      })
    }
    earlier.wholeBytes = endsAt
  }
  return earlier
}

function count(earlier: Earlier, line: StateLine): void {
  if ('isDone' in line) return void earlier.doneParts.add(line.part)
  // There may be as many problems as lines of a manifest, too many for arguments of `push`.
  for (const problem of line.skipped) earlier.skipped.push(problem)
  if (!('rows' in line)) return void earlier.reportedParts.add(line.part)
  const { part, recording, place, rows } = line
  earlier.recordings.set(part, (earlier.recordings.get(part) ?? new Set()).add(recording))
  const { last } = earlier
  if (last?.part === part ? last.place > place : earlier.doneParts.has(part)) earlier.isSorted = false
  earlier.last = { part, place }
  for (const { id, durationSeconds } of rows) {
    earlier.ids.add(id)
    earlier.utteranceCount += 1
    earlier.audioSeconds += durationSeconds
  }
}

/** The complete lines of a file, with the offset after each; an unfinished one may end within a character. */
async function* wholeLines(path: string): AsyncGenerator<{ readonly line: string; readonly endsAt: number }> {
  const size = (await stat(path).catch(() => null))?.size ?? 0
  if (size === 0) return
  let [endsAt, isText] = [0, true]
  const lines = streamTextLines(path, path, () => {
    isText = false
  })
  for await (const batch of lines) {
    for (const { text: line } of batch) {
      endsAt += Buffer.byteLength(line) + 1
      if (isText && endsAt <= size) yield { line, endsAt }
    }
  }
}

async function writeManifest(state: string, manifestPath: string, isSorted: boolean): Promise<void> {
  const partial = `${manifestPath}.partial`
  await using manifest = await open(partial, 'w')
  let batch = ''
  for await (const { rows } of isSorted ? recordingLines(state) : await sortedLines(state)) {
    for (const row of rows) batch += `${JSON.stringify(row)}\n`
    if (batch.length < 1 << 20) continue
    await manifest.appendFile(batch)
    batch = ''
  }
  await manifest.appendFile(batch)
  await manifest.sync()
  await rename(partial, manifestPath)
}

type RecordingLine = Extract<StateLine, { rows: unknown }>

async function* recordingLines(path: string): AsyncGenerator<RecordingLine> {
  for await (const { line } of wholeLines(path)) {
    const parsed = JSON.parse(line) as StateLine
    if ('rows' in parsed) yield parsed
  }
}

async function sortedLines(path: string): Promise<readonly RecordingLine[]> {
  const lines: RecordingLine[] = []
  for await (const line of recordingLines(path)) lines.push(line)
  const partOrder = new Map<string, number>()
  for (const { part } of lines) if (!partOrder.has(part)) partOrder.set(part, partOrder.size)
  const orderOf = ({ part }: RecordingLine): number => partOrder.get(part) ?? 0
  return lines.sort((left, right) => orderOf(left) - orderOf(right) || left.place - right.place)
}
