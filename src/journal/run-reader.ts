import { access, readFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { parseJson, shellWord, succeeds } from '#prelude'
import { type AttemptLine, attemptLine, type ReusedLine, reusedLine } from './attempt-line.ts'
import { type ModeLine, modeLine, type StagingLine, stagingLine } from './mode-line.ts'
import { type PlanLine, type PlannedRequest, type PlannedUtterance, planLine } from './plan-line.ts'
import { describeProblem, readLines, unreadable } from './read-lines.ts'
import { type RunRecord, readCorpusName, runFormatVersion, runRecord } from './run-record.ts'
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

/** @throws BenchError RUN_NOT_FOUND, RUN_UNREADABLE (all bad lines at once), RUN_FORMAT_NEWER, RUN_FORMAT_OLDER */
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

/**
 * Where the corpus of a run is found: at the manifest that was recorded, as seen from the run folder, or else by its
 * name or path in the config, if the run or the corpus was moved. Null if the run names none.
 */
export async function findRunCorpus({
  folder,
  record,
}: Pick<RecordedRun, 'folder' | 'record'>): Promise<string | null> {
  const path = record.manifest === undefined ? null : resolve(folder, record.manifest)
  return path !== null && (await succeeds(access(path))) ? path : readCorpusName(record)
}

export async function readRecord(folder: string): Promise<RunRecord> {
  const path = join(folder, runFiles.record)
  const text = await readFile(path, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'ENOENT' && cause.code !== 'ENOTDIR') throw cause
    throw journalErrors.make('RUN_NOT_FOUND', {
      message: `${folder} is not a run folder: it has no ${runFiles.record}`,
      hint: `list the runs with: ls ${shellWord(dirname(folder))}`,
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
