import { createReadStream } from 'node:fs'
import { access, readdir, readFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import type { z } from 'zod'
import type { BenchError, Problem } from '#prelude'
import { journalErrors } from './errors.ts'
import {
  type AttemptLine,
  type ModeLine,
  type PlanLine,
  type PlannedRequest,
  type PlannedUtterance,
  type RunRecord,
  runFormatVersion,
  type StagingLine,
  type TelemetryLine,
} from './format.ts'
import { attemptLine, modeLine, planLine, runRecord, stagingLine, telemetryLine } from './parsers.ts'
import { runFiles } from './run-writer.ts'

/** A run as it stands on disk. */
export interface RecordedRun {
  readonly folder: string
  readonly record: RunRecord
  readonly utterances: readonly PlannedUtterance[]
  readonly requests: readonly PlannedRequest[]
  readonly attempts: readonly AttemptLine[]
  readonly telemetry: readonly TelemetryLine[]
  /** True where the last line of the journal was cut off by the death of the run; that line is left out. */
  readonly isTorn: boolean
}

/** Files without which a run can still be judged. */
const dispensable: readonly string[] = [runFiles.modes, runFiles.staged, runFiles.telemetry]

/**
 * Reads a run folder and checks every line.
 *
 * @throws BenchError RUN_NOT_FOUND, RUN_UNREADABLE (all bad lines at once), RUN_FORMAT_NEWER
 */
export async function readRun(folder: string): Promise<RecordedRun> {
  const record = await readRecord(folder)
  const plan = await readLines<PlanLine>(folder, runFiles.plan, planLine)
  const journal = await readLines<AttemptLine>(folder, runFiles.journal, attemptLine)
  const telemetry = await readLines<TelemetryLine>(folder, runFiles.telemetry, telemetryLine)
  const utterances: PlannedUtterance[] = []
  const requests: PlannedRequest[] = []
  for (const line of plan.lines) {
    if (line.kind === 'utterance') utterances.push(line)
    else requests.push(line)
  }
  return {
    folder,
    record,
    utterances,
    requests,
    attempts: journal.lines,
    telemetry: telemetry.lines,
    isTorn: journal.isTorn,
  }
}

/** Reads `run.json` alone. */
export async function readRecord(folder: string): Promise<RunRecord> {
  const path = join(folder, runFiles.record)
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw journalErrors.make('RUN_NOT_FOUND', {
      message: `${folder} is not a run folder: it has no ${runFiles.record}`,
      hint: 'list the runs with: ls results',
      cause,
    })
  })
  const json = parseJson(text)
  const version = (json as { formatVersion?: unknown } | undefined)?.formatVersion
  if (typeof version === 'number' && version > runFormatVersion) {
    throw journalErrors.make('RUN_FORMAT_NEWER', {
      message: `${basename(folder)} has run format ${version}; this asrbench reads up to ${runFormatVersion}`,
      hint: 'read it with the asrbench that wrote it, or a newer one: npm install asrbench@latest',
    })
  }
  const parsed = runRecord.safeParse(json)
  if (!parsed.success) throw unreadable(folder, [{ where: path, what: describe(parsed.error) }])
  return parsed.data
}

/** Reads what a run did to the server's Modes. An absent file reads as nothing done. */
export async function readModeLines(folder: string): Promise<readonly ModeLine[]> {
  const read = await readLines<ModeLine>(folder, runFiles.modes, modeLine)
  return read.lines
}

/** Folders of copies that a run made and has not removed. */
export async function readStagedFolders(folder: string): Promise<readonly string[]> {
  const { lines } = await readLines<StagingLine>(folder, runFiles.staged, stagingLine)
  const standing = new Set<string>()
  for (const line of lines) {
    if (line.kind === 'staging') standing.add(line.folder)
    else standing.delete(line.folder)
  }
  return [...standing]
}

/** The run folders in a results folder, oldest first: by the second that their names begin with, then by their records. */
export async function listRuns(resultsFolder: string): Promise<readonly string[]> {
  const entries = await readdir(resultsFolder, { withFileTypes: true }).catch(() => [])
  const folders = entries
    .filter((entry) => entry.isDirectory() && /^\d{4}-\d{2}-\d{2}T/.test(entry.name))
    .map((entry) => join(resultsFolder, entry.name))
  const areRuns = await Promise.all(folders.map(isRunFolder))
  const runs = folders.filter((_, index) => areRuns[index]).sort()
  const bySecond = [...Map.groupBy(runs, (folder) => basename(folder).slice(0, secondLength)).values()]
  return (await Promise.all(bySecond.map(inOrderOfStart))).flat()
}

async function inOrderOfStart(folders: readonly string[]): Promise<readonly string[]> {
  if (folders.length === 1) return folders
  const started = await Promise.all(
    folders.map(async (folder) => ({
      folder,
      // A record that cannot be read is told of by whoever opens the run.
      at: await readRecord(folder).then(
        ({ startedAt }) => startedAt,
        () => '',
      ),
    })),
  )
  return started
    .sort((left, right) => (left.at < right.at ? -1 : Number(left.at > right.at)))
    .map(({ folder }) => folder)
}

/** Of `2026-11-21T07-31-02Z`. */
const secondLength = 20

/**
 * Finds a run by path, by name, by a unique beginning of its name, or as `latest`.
 *
 * @throws BenchError RUN_NOT_FOUND, RUN_AMBIGUOUS
 */
export async function findRun(name: string, resultsFolder: string): Promise<string> {
  const runs = await listRuns(resultsFolder)
  const latest = runs.at(-1)
  if (name === 'latest' && latest !== undefined) return latest
  const asPath = resolve(name)
  if (await isRunFolder(asPath)) return asPath
  const named = runs.find((run) => basename(run) === name)
  if (named !== undefined) return named
  const matching = runs.filter((run) => basename(run).startsWith(name))
  const [only] = matching
  if (only !== undefined && matching.length === 1) return only
  const shown = (matching.length > 0 ? matching : runs).slice(-10)
  throw journalErrors.make(matching.length > 1 ? 'RUN_AMBIGUOUS' : 'RUN_NOT_FOUND', {
    message:
      matching.length > 1
        ? `${matching.length} runs in ${resultsFolder} begin with "${name}"`
        : `there is no run "${name}" in ${resultsFolder}`,
    hint: runs.length === 0 ? 'measure one first: asrbench run' : 'name one of these, or say latest',
    problems: shown.map((run) => ({ where: null, what: basename(run) })),
  })
}

function isRunFolder(folder: string): Promise<boolean> {
  return access(join(folder, runFiles.record)).then(
    () => true,
    () => false,
  )
}

const notJson = 'not JSON'

async function readLines<Line>(
  folder: string,
  name: string,
  parser: z.ZodType<Line>,
): Promise<{ lines: Line[]; isTorn: boolean }> {
  const lines: Line[] = []
  const problems: Problem[] = []
  let lineNumber = 0
  let badLast = null as Problem | null
  try {
    const input = createReadStream(join(folder, name), 'utf8')
    for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      lineNumber += 1
      // What was added after a torn end begins with an empty line.
      if (text === '' && badLast?.what === notJson) badLast = null
      if (text === '') continue
      if (badLast !== null) problems.push(badLast)
      badLast = null
      const json = parseJson(text)
      const parsed = parser.safeParse(json)
      if (parsed.success) lines.push(parsed.data)
      else
        badLast = {
          where: `${name}:${lineNumber}`,
          what: json === undefined ? notJson : describe(parsed.error),
        }
    }
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause
    if (dispensable.includes(name)) return { lines, isTorn: false }
    problems.push({ where: join(folder, name), what: 'is missing' })
  }
  // Only a line that is no JSON at all can be the torn end of a run that died while writing.
  const isTorn = badLast?.what === notJson
  if (badLast !== null && !isTorn) problems.push(badLast)
  if (problems.length > 0) throw unreadable(folder, problems)
  return { lines, isTorn }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // What is not JSON is reported by the caller, who knows the line.
    return undefined
  }
}

function describe(error: z.ZodError): string {
  return error.issues
    .slice(0, 3)
    .map((issue) => `${issue.path.join('.') || 'the line'}: ${issue.message}`)
    .join('; ')
}

function unreadable(folder: string, problems: readonly Problem[]): BenchError {
  return journalErrors.make('RUN_UNREADABLE', {
    message: `${problems.length} ${problems.length === 1 ? 'place' : 'places'} in ${folder} cannot be read`,
    hint: 'restore the folder from a copy, or measure again: asrbench run',
    problems,
  })
}
