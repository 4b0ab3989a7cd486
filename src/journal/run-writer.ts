import { existsSync } from 'node:fs'
import { appendFile, type FileHandle, mkdir, open, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, join } from 'node:path'
import { lockFile, makeFolder, replaceFile } from '#installation/files'
import { defineErrors, type ErrorTable, isDiskFull, shellWord } from '#prelude'
import type { AttemptLine, ReusedLine } from './attempt-line.ts'
import type { ModeLine, StagingLine } from './mode-line.ts'
import type { PlanLine } from './plan-line.ts'
import type { RunRecord } from './run-record.ts'
import type { TelemetryLine } from './telemetry-line.ts'

export const runFiles = {
  record: 'run.json',
  plan: 'plan.jsonl',
  journal: 'journal.jsonl',
  reused: 'reused.jsonl',
  modes: 'modes.jsonl',
  staged: 'staged.jsonl',
  telemetry: 'telemetry.jsonl',
  lock: 'run.lock',
  evaluation: 'evaluation.json',
  scoring: 'scoring.json',
  summary: 'summary.json',
  summaryTable: 'summary.csv',
  utteranceTable: 'utterances.csv',
  page: 'report.html',
} as const

/**
 * Returns the names of the files that show one score, the page first. `scoring.json`, its settings, is not among them.
 *
 * @param name name of the score; null for the run's own score
 * @returns `report.html`, …, or `report.<name>.html`, …
 */
export function scoreFileNames(name: string | null): readonly string[] {
  const { page, summaryTable, utteranceTable, summary, evaluation } = runFiles
  return [page, summaryTable, utteranceTable, summary, evaluation].map((file) => scoreFileName(file, name))
}

/** Returns the name of one of `runFiles` for a score. */
export function scoreFileName(file: string, name: string | null): string {
  return name === null ? file : file.replace('.', `.${name}.`)
}

/**
 * @param resultsFolder absolute path; created when missing
 * @param wantedId name of the new folder in it; `-2` and so on are appended where it exists
 * @throws BenchError RESULTS_UNWRITABLE, and from the writer's methods RESULTS_DISK_FULL
 */
export async function createRun(resultsFolder: string, wantedId: string): Promise<RunWriter> {
  const folder = await explained(join(resultsFolder, wantedId), async () => {
    await makeFolder(resultsFolder)
    return makeNewFolder(join(resultsFolder, wantedId))
  })
  return openWriter(folder, await lockRun(folder))
}

/**
 * Locks the folder of a run for the process that writes it.
 *
 * @returns null where another process writes it
 */
export async function lockRun(folder: string): Promise<Disposable | null> {
  // A file system without locks keeps no second writer out, which is no reason to refuse the first one.
  return lockFile(join(folder, runFiles.lock)).catch(() => ({ [Symbol.dispose]: () => undefined }))
}

/**
 * Opens the folder of an ended run, which the caller has locked, to continue it. What is written there is kept, and files of lines that are missing
 * are made. After a line that is incomplete, new content begins on a new line.
 *
 * @throws BenchError as `createRun`
 */
export async function reopenRun(folder: string): Promise<RunWriter> {
  for (const name of [runFiles.journal, runFiles.modes, runFiles.telemetry])
    await appendSafely(folder, name, [])
  return openWriter(folder, null)
}

export type RunWriter = Awaited<ReturnType<typeof openWriter>>

/**
 * Writes a run to disk as it happens. Written lines survive the death of this process; mode lines and the record
 * also survive a power cut. Disposing closes the files and releases the lock.
 *
 * @param folder absolute path of the run folder
 * @param lock of the folder; null where the caller releases it
 */
async function openWriter(folder: string, lock: Disposable | null) {
  const files = await explained(folder, async () => ({
    journal: await open(join(folder, runFiles.journal), 'a'),
    modes: await open(join(folder, runFiles.modes), 'a'),
    telemetry: await open(join(folder, runFiles.telemetry), 'a'),
  }))
  const append = (file: FileHandle, line: unknown): Promise<void> =>
    explained(folder, () => file.appendFile(jsonLine(line)))

  return {
    folder,
    id: basename(folder),
    writePlan: (lines: Iterable<PlanLine>): Promise<void> =>
      explained(folder, () => writePieces(join(folder, runFiles.plan), jsonLines(lines))),
    /** Writes the answers of earlier runs once, with the plan. */
    writeReused: (lines: readonly ReusedLine[]): Promise<void> =>
      explained(folder, () => writePieces(join(folder, runFiles.reused), jsonLines(lines))),
    /** Replaces `run.json` as a whole, so that a reader never sees an incomplete file. */
    writeRecord: (record: RunRecord): Promise<void> =>
      writeRunDocument(folder, runFiles.record, `${JSON.stringify(record, null, 2)}\n`),
    appendAttempt: (line: AttemptLine): Promise<void> => append(files.journal, line),
    async appendMode(line: ModeLine): Promise<void> {
      await append(files.modes, line)
      // What has to be undone on the server must be known even after a power cut.
      await explained(folder, () => files.modes.datasync())
    },
    appendTelemetry: (line: TelemetryLine): Promise<void> => append(files.telemetry, line),
    async [Symbol.asyncDispose](): Promise<void> {
      await Promise.all(Object.values(files).map((file) => file.close()))
      lock?.[Symbol.dispose]()
    },
  }
}

async function makeNewFolder(folder: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const path = number === 1 ? folder : `${folder}-${number}`
    try {
      await mkdir(path)
      return path
    } catch (error) {
      // Two runs may start in the same second.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}

/**
 * Replaces a document next to the journal as a whole, so that a reader never sees an incomplete one.
 *
 * @param text one string, or pieces where the document may exceed the max length of a string
 */
export function writeRunDocument(
  folder: string,
  name: string,
  text: string | Iterable<string>,
): Promise<void> {
  return explained(folder, () =>
    replaceFile(join(folder, name), (draft) =>
      typeof text === 'string' ? writeFile(draft, text, { flush: true }) : writePieces(draft, text),
    ),
  )
}

/** Appends the mode changes that were made after the death of a run. */
export function appendModeLines(folder: string, lines: readonly ModeLine[]): Promise<void> {
  return appendSafely(folder, runFiles.modes, lines)
}

/** Records that a folder of copies is made or removed. The line is flushed to the disk before the promise resolves. */
export function appendStagingLine(folder: string, line: StagingLine): Promise<void> {
  return appendSafely(folder, runFiles.staged, [line])
}

/** Appends lines. An empty line comes before them where the last one is incomplete, as of a run that died. */
function appendSafely(folder: string, file: string, lines: readonly unknown[]): Promise<void> {
  const path = join(folder, file)
  return explained(folder, async () => {
    const separator = (await endsTorn(path)) ? '\n\n' : ''
    await appendFile(path, [separator, ...jsonLines(lines)].join(''), { flush: true })
  })
}

async function endsTorn(path: string): Promise<boolean> {
  await using file = await open(path, 'a+')
  const { size } = await file.stat()
  if (size === 0) return false
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1)
  return buffer.toString() !== '\n'
}

function* jsonLines(lines: Iterable<unknown>): Iterable<string> {
  for (const line of lines) yield jsonLine(line)
}

/** Servers may answer with half of a surrogate pair, and most other programs refuse a file that has one. */
function jsonLine(line: unknown): string {
  const text = JSON.stringify(line)
  if (!/\\ud[89a-f]/.test(text)) return `${text}\n`
  return `${JSON.stringify(line, (_, value) => (typeof value === 'string' ? value.toWellFormed() : value))}\n`
}

/** Flushes the file to the disk before the promise resolves. */
async function writePieces(path: string, pieces: Iterable<string>): Promise<void> {
  await using file = await open(path, 'w')
  let pending = ''
  for (const piece of pieces) {
    pending += piece
    if (pending.length < 65_536) continue
    await file.appendFile(pending)
    pending = ''
  }
  await file.appendFile(pending)
  await file.datasync()
}

/** Replaces an error of the file system with one that has a hint; any other is a bug, and stays one. */
async function explained<Value>(folder: string, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work()
  } catch (cause) {
    const { code: reason, syscall } = cause as NodeJS.ErrnoException
    if (isDiskFull(cause)) {
      throw journalErrors.make('RESULTS_DISK_FULL', {
        message: `the disk is full: ${folder} cannot be written any further (${reason})`,
        // Without a record there is no run to resume.
        hint: existsSync(join(folder, runFiles.record))
          ? `make room, then: transcribench run --resume ${shellWord(folder)}; or give the command again with --results and a folder on another disk`
          : 'make room, or use --results with a folder on another disk; then give the command again',
        cause,
      })
    }
    if (syscall === undefined) throw cause
    throw journalErrors.make('RESULTS_UNWRITABLE', {
      message: `${folder} cannot be written (${reason})`,
      hint: `name a folder that you may write, such as --results ${shellWord(join(homedir(), 'results'))}`,
      cause,
    })
  }
}

const journalExits = {
  RESULTS_UNWRITABLE: 'badInput',
  RESULTS_DISK_FULL: 'badInput',
  RUN_NOT_FOUND: 'badInput',
  RUN_AMBIGUOUS: 'badInput',
  RUN_UNREADABLE: 'badInput',
  RUN_FORMAT_NEWER: 'badInput',
  RUN_FORMAT_OLDER: 'badInput',
} as const

export const journalErrors: ErrorTable<keyof typeof journalExits> = defineErrors(journalExits)
