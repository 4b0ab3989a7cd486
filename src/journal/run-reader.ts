import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { BenchError, nearest, parseJson, shellWord } from '#prelude'
import { type AttemptLine, attemptLine, type ReusedLine, reusedLine } from './attempt-line.ts'
import { type ModeLine, modeLine, type StagingLine, stagingLine } from './mode-line.ts'
import { type PlanLine, type PlannedRequest, type PlannedUtterance, planLine } from './plan-line.ts'
import { describeProblem, readLines, unreadable } from './read-lines.ts'
import { type RunRecord, runFormatVersion, runRecord } from './run-record.ts'
import { journalErrors, runFiles } from './run-writer.ts'
import { type TelemetryLine, telemetryLine } from './telemetry-line.ts'

export interface RecordedRun {
  readonly folder: string
  readonly record: RunRecord
  readonly utterances: readonly PlannedUtterance[]
  readonly requests: readonly PlannedRequest[]
  readonly attempts: readonly AttemptLine[]
  /** Answers of earlier runs to requests that were not sent. */
  readonly reused: readonly ReusedLine[]
  readonly telemetry: readonly TelemetryLine[]
}

/**
 * Reads a run folder and checks every line.
 *
 * @throws BenchError RUN_NOT_FOUND, RUN_UNREADABLE (all bad lines at once), RUN_FORMAT_NEWER, RUN_FORMAT_OLDER
 */
export async function readRun(folder: string): Promise<RecordedRun> {
  const record = await readRecord(folder)
  const utterances: PlannedUtterance[] = []
  const requests: PlannedRequest[] = []
  const share = sharedTexts()
  await readWhole<PlanLine>(folder, runFiles.plan, planLine, (line) => {
    if (line.kind === 'utterance') utterances.push(line)
    else requests.push(shareIds(line, share))
  })
  const attempts: AttemptLine[] = []
  // A last line that is incomplete because the run died is ignored.
  await readLines<AttemptLine>(folder, runFiles.journal, attemptLine, (line) => {
    shareTexts(line, share)
    attempts.push(shareIds(line, share))
  })
  const reused: ReusedLine[] = []
  await readWhole<ReusedLine>(folder, runFiles.reused, reusedLine, (line) => reused.push(line))
  const telemetry: TelemetryLine[] = []
  await readLines<TelemetryLine>(folder, runFiles.telemetry, telemetryLine, (line) => telemetry.push(line))
  return { folder, record, utterances, requests, attempts, reused, telemetry }
}

/**
 * Time of a run's clock at which a segment begins, in milliseconds: the latest one in the earlier segments, because that
 * clock stops between segments.
 */
export function segmentBeginMs(
  { attempts, telemetry }: Pick<RecordedRun, 'attempts' | 'telemetry'>,
  number: number,
): number {
  let latestMs = 0
  for (const { segment = 0, endedAtMs } of attempts)
    if (segment < number) latestMs = Math.max(latestMs, endedAtMs)
  for (const { segment = 0, atMs } of telemetry) if (segment < number) latestMs = Math.max(latestMs, atMs)
  return latestMs
}

type Share = (text: string) => string

/** Keeps each text once. Ids and answers repeat in every round, so a million lines would hold many copies. */
function sharedTexts(): Share {
  const texts = new Map<string, string>()
  return (text) => {
    const first = texts.get(text)
    if (first !== undefined) return first
    texts.set(text, text)
    return text
  }
}

/** Changes the line itself, because copies of a million lines would be as much garbage again. */
function shareIds<Line extends { readonly contenderId: string; readonly utteranceId: string }>(
  line: Line,
  share: Share,
): Line {
  return Object.assign(line, { contenderId: share(line.contenderId), utteranceId: share(line.utteranceId) })
}

function shareTexts({ outcome }: AttemptLine, share: Share): void {
  if (!outcome.ok) return
  const { text, rawText, engine, model } = outcome.answer
  Object.assign(outcome.answer, {
    text: share(text),
    rawText: rawText === null ? null : share(rawText),
    engine: share(engine),
    model: share(model),
  })
}

/** Reads a file that is written before the record, so it is complete even if the run died. */
async function readWhole<Line>(...reading: Parameters<typeof readLines<Line>>): Promise<void> {
  const { isTorn } = await readLines(...reading)
  const [folder, name] = reading
  if (isTorn) throw unreadable(folder, [{ where: join(folder, name), what: 'its last line is cut off' }])
}

export async function readRecord(folder: string): Promise<RunRecord> {
  const path = join(folder, runFiles.record)
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw journalErrors.make('RUN_NOT_FOUND', {
      message: `${folder} is not a run folder: it has no ${runFiles.record}`,
      hint: 'list the runs with: ls results',
      cause,
    })
  })
  // Text that is not JSON has none of the required fields, which the schema reports.
  const json = parseJson(text)
  const version = (json as { formatVersion?: unknown } | undefined)?.formatVersion
  if (typeof version === 'number' && version !== runFormatVersion) {
    const isNewer = version > runFormatVersion
    throw journalErrors.make(isNewer ? 'RUN_FORMAT_NEWER' : 'RUN_FORMAT_OLDER', {
      message: `${basename(folder)} has run format ${version}; this transcribench reads ${runFormatVersion}`,
      hint: `read it with the version that wrote it, or ${isNewer ? 'a newer one' : 'measure again: transcribench run'}`,
    })
  }
  const parsed = runRecord.safeParse(json)
  if (!parsed.success) throw unreadable(folder, [{ where: path, what: describeProblem(parsed.error) }])
  return parsed.data
}

/** Reads the changes that a run made to the server's Modes; empty where the file is absent. */
export async function readModeLines(folder: string): Promise<readonly ModeLine[]> {
  const lines: ModeLine[] = []
  await readLines<ModeLine>(folder, runFiles.modes, modeLine, (line) => lines.push(line))
  return lines
}

/** Returns the folders of copies that a run made and has not removed. */
export async function readStagedFolders(folder: string): Promise<readonly string[]> {
  const standing = new Set<string>()
  await readLines<StagingLine>(folder, runFiles.staged, stagingLine, ({ kind, folder: copies }) => {
    if (kind === 'staging') standing.add(copies)
    else standing.delete(copies)
  })
  return [...standing]
}

/** Returns the run folders in a results folder, oldest first: by the second in their names, then by their records. */
export async function listRuns(resultsFolder: string): Promise<readonly string[]> {
  const entries = await readdir(resultsFolder, { withFileTypes: true }).catch(() => [])
  const folders = entries
    .filter((entry) => entry.isDirectory() && /^\d{4}-\d{2}-\d{2}T/.test(entry.name))
    .map((entry) => join(resultsFolder, entry.name))
  const runs = folders.filter(isRunFolder).sort()
  const bySecond = [...Map.groupBy(runs, (folder) => basename(folder).slice(0, secondLength)).values()]
  return (await Promise.all(bySecond.map(inOrderOfStart))).flat()
}

async function inOrderOfStart(folders: readonly string[]): Promise<readonly string[]> {
  if (folders.length === 1) return folders
  const started = await Promise.all(
    folders.map(async (folder) => ({
      folder,
      // The error of an unreadable record is reported where the run is opened.
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

/** Length of `2026-11-21T07-31-02Z`. */
const secondLength = 20

/**
 * Finds a run by the path or name of its folder, by a name that no other run has, by a unique prefix of a folder
 * name, or as `latest`. A name of several runs is an error, because the newest may not be the one that is meant.
 *
 * @throws BenchError RUN_NOT_FOUND, RUN_AMBIGUOUS
 */
export async function findRun(name: string, resultsFolder: string): Promise<string> {
  const runs = await listRuns(resultsFolder)
  const latest = runs.at(-1)
  if (name === 'latest' && latest !== undefined) return latest
  // An unset variable of a script gives an empty name, which is a prefix of every name.
  const isNamed = name !== ''
  const folder = [resolve(name), join(resultsFolder, name)].find(isRunFolder)
  if (isNamed && folder !== undefined) return folder
  const named = await runsNamed(name, runs)
  const [first] = named
  if (first !== undefined && named.length === 1) return first
  if (first !== undefined) {
    throw journalErrors.make('RUN_AMBIGUOUS', {
      message: `${named.length} runs in ${resultsFolder} are called "${name}"`,
      hint: `name one of these by its folder; the newest is ${basename(named.at(-1) ?? first)}`,
      problems: named.slice(-10).map((run) => ({ where: null, what: basename(run) })),
    })
  }
  const matching = runs.filter((run) => isNamed && basename(run).startsWith(name))
  const [only] = matching
  if (only !== undefined && matching.length === 1) return only
  const shown = (matching.length > 0 ? matching : runs).slice(-10)
  const meant = nearest(
    name,
    runs.flatMap((run) => [givenName(run), basename(run)]),
  )
  throw journalErrors.make(matching.length > 1 ? 'RUN_AMBIGUOUS' : 'RUN_NOT_FOUND', {
    message:
      matching.length > 1
        ? `${matching.length} runs in ${resultsFolder} begin with "${name}"`
        : `there is no run "${name}" in ${resultsFolder}${meant === null || !isNamed ? '' : `; did you mean "${meant}"?`}`,
    hint: runs.length === 0 ? 'measure one first: transcribench run' : 'name one of these, or say latest',
    problems: shown.map((run) => ({ where: null, what: basename(run) })),
  })
}

/** Returns the run name at the end of a folder's name: `slow` of `2026-11-21T07-31-02Z-slow`. */
function givenName(folder: string): string {
  return basename(folder).slice(secondLength + 1)
}

/** Finds runs by name. A folder's name lacks the characters that some systems forbid, and may end in a number. */
async function runsNamed(name: string, runs: readonly string[]): Promise<readonly string[]> {
  const inFolder = runNameInFolder(name)
  const named: string[] = []
  for (const run of inFolder === '' ? [] : runs) {
    const runName = givenName(run)
    const [, unnumbered] = /^(.*)-\d+$/u.exec(runName) ?? []
    if (runName === inFolder) named.push(run)
    else if (unnumbered === inFolder) {
      const record = await readRecord(run).catch(() => null)
      if (record?.name === name) named.push(run)
    }
  }
  return named
}

/** Returns a run's name as it appears in the name of its folder. */
function runNameInFolder(name: string): string {
  return name.replaceAll(/[^\p{L}\p{N}._-]+/gu, '-')
}

/** Returns a folder name such as `2026-11-21T07-31-02Z-quick`. It sorts by time, and every system allows it. */
export function runId(startedAt: Date, name: string): string {
  const time = startedAt
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replaceAll(':', '-')
  return `${time}-${runNameInFolder(name)}`
}

/**
 * Finds several runs as `findRun` finds one.
 *
 * @throws BenchError RUN_NOT_FOUND, RUN_AMBIGUOUS; for several names, with the problem of each
 */
export async function findRuns(names: readonly string[], resultsFolder: string): Promise<readonly string[]> {
  const found = await Promise.allSettled(names.map((name) => findRun(name, resultsFolder)))
  const failures = found.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
  const bug = failures.find((failure) => !(failure instanceof BenchError))
  if (bug !== undefined || failures.length === 1) throw bug ?? failures[0]
  if (failures.length > 1) {
    throw journalErrors.make('RUN_NOT_FOUND', {
      message: `${failures.length} runs were not found`,
      hint: `list the runs with: ls ${shellWord(resultsFolder)}`,
      problems: failures.map(({ message }: BenchError) => ({ where: null, what: message })),
    })
  }
  return found.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
}

function isRunFolder(folder: string): boolean {
  return existsSync(join(folder, runFiles.record))
}
