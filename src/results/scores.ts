import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { z } from 'zod'
import { type Evaluation, evaluationSchema, scoreName } from '#analysis/documents/evaluation'
import { type EvaluateOptions, evaluateRun } from '#analysis/evaluate-run'
import { findRunCorpus, type RecordedRun, readRecord, readRun } from '#journal/run-reader'
import type { RunRecord } from '#journal/run-record'
import { runFiles, scoreFileName, scoreFileNames, writeRunDocument } from '#journal/run-writer'
import { BenchError, faultOf, parseForeignJson, shellWord, withoutUndefined } from '#prelude'
import type { ScoreText } from '#reports/run/listings'
import {
  evaluationJson,
  renderJson,
  renderSummaryDocument,
  summaryCsv,
  utterancesCsv,
} from '#reports/run/summary-document'
import { profileNames } from '#scoring/profiles/index'
import { resultsErrors } from './errors.ts'
import { runPageHtml } from './run-page-file.ts'
import { changedAtMs, isCalled, newestScore, scoreFiles } from './summaries.ts'

/** The rules, words and references by which a run is scored. */
export type ScoreOptions = Pick<EvaluateOptions, 'profile' | 'rules' | 'noSpeech' | 'corrections'>

interface PageEnvironment {
  /** Environment for finding the corpus, whose recordings the page plays; default: that of the process. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
}

/**
 * Scores a journal and writes the documents of the score next to it. Sends nothing.
 *
 * @param folder a run folder
 * @param record of the ended run, if it may not have been written
 * @returns the score, and why its documents could not be written; null if they were
 * @throws BenchError of the journal's table if the run cannot be read, CORRECTIONS_UNREADABLE
 */
export async function scoreRun(
  folder: string,
  { record, ...environment }: PageEnvironment & { readonly record?: RunRecord } = {},
): Promise<{ readonly evaluation: Evaluation; readonly unwritten: unknown }> {
  const recorded = await readRun(folder)
  const run = record === undefined ? recorded : { ...recorded, record }
  const options = await ownScoring(run, environment)
  const evaluation = evaluateRun(run, options)
  return { evaluation, unwritten: await faultOf(writeScore(run, { evaluation, options }, null, environment)) }
}

/** The corrections of the run's corpus: every later run over it is scored with them. */
export async function ownScoring(
  run: Pick<RecordedRun, 'folder' | 'record'>,
  { env = process.env }: PageEnvironment,
): Promise<ScoreOptions> {
  const corpus = await findRunCorpus(run)
  return corpus === null ? {} : await corpusScoring(corpus, run.record.corpus.name, env)
}

/**
 * @param corpus name or path
 * @param name of the corpus in documents
 */
export async function corpusScoring(
  corpus: string,
  name: string,
  env: NonNullable<PageEnvironment['env']>,
): Promise<ScoreOptions> {
  const { correctionsPath, readCorrections } = await import('#corpus/corrections')
  // The corpus may be gone, as for a merged run; then there are no corrections.
  const path = await correctionsPath(corpus, { env }).catch(() => null)
  if (path === null || (await changedAtMs(path)) === 0) return {}
  const corrections = await readCorrections(path, `${name}/${basename(path)}`)
  return corrections.lines.length === 0 ? {} : { corrections }
}

/**
 * Scores a run by chosen rules and keeps its existing scores. Scores other than the run's own are named by profile
 * and first characters of the fingerprint, such as `evaluation.<profile>.<fingerprint>.json`. The same rules
 * therefore replace only their own score. Sends nothing.
 *
 * @returns the new score, and all scores of the run, the run's own first
 * @throws BenchError of the journal's table, SCORING_PROFILE_UNKNOWN
 */
export async function rescoreRun(
  folder: string,
  options: ScoreOptions = {},
  environment: PageEnvironment = {},
): Promise<{
  readonly evaluation: Evaluation
  /** Names of the written files that people and programs read. */
  readonly files: readonly string[]
  readonly scores: readonly ScoreText[]
}> {
  const run = await readRun(folder)
  const isOwn = Object.values(options).every((option) => option === undefined)
  const chosen = { ...(await ownScoring(run, environment)), ...withoutUndefined(options) }
  const evaluation = evaluateRun(run, chosen)
  const name = isOwn ? null : scoreName(evaluation)
  try {
    await writeScore(run, { evaluation, options: chosen }, name, environment)
    // The page of the run shows the newest score with its name, so it is rewritten.
    if (name !== null) await writePage(run, evaluation, join(folder, runFiles.page), environment)
  } catch (error) {
    throw isFull(error) ? scoreUnsaved(error) : error
  }
  return { evaluation, files: scoreFileNames(name), scores: await listScores(folder) }
}

function isFull(error: unknown): error is BenchError {
  return error instanceof BenchError && error.code === 'RESULTS_DISK_FULL'
}

/** An unsaved score loses no measurements, so nothing has to be sent again. */
function scoreUnsaved(cause: BenchError): BenchError {
  return new BenchError(cause.code, cause.exit, {
    message: `${cause.message}; the score is not saved`,
    hint: 'make room on that disk, then give the command again',
    cause,
  })
}

async function writeScore(
  run: RecordedRun,
  { evaluation, options }: { readonly evaluation: Evaluation; readonly options: ScoreOptions },
  name: string | null,
  environment: PageEnvironment,
): Promise<void> {
  const { folder } = run
  const nameOf = (file: string): string => scoreFileName(file, name)
  await writeRunDocument(folder, nameOf(runFiles.scoring), renderJson(options))
  await writeRunDocument(folder, nameOf(runFiles.evaluation), evaluationJson(evaluation))
  await writeRunDocument(folder, nameOf(runFiles.summary), renderSummaryDocument(evaluation))
  await writeRunDocument(folder, nameOf(runFiles.summaryTable), summaryCsv(evaluation))
  await writeRunDocument(folder, nameOf(runFiles.utteranceTable), utterancesCsv(evaluation))
  await writePage(run, evaluation, join(folder, nameOf(runFiles.page)), environment)
}

async function writePage(
  run: RecordedRun,
  evaluation: Evaluation,
  path: string,
  { env = process.env }: PageEnvironment,
): Promise<void> {
  await writeRunDocument(run.folder, basename(path), await runPageHtml(run, evaluation, { path, env }))
}

/**
 * The options of the newest score of a run, or of a named one, for commands that score its texts again. The
 * corrections are those of that score, even if their file has changed since. A run without a score, such as one that
 * died, is scored as `score` would: by its own rules, with the corrections of its corpus.
 *
 * @param name as for `openScore`
 * @throws BenchError SCORE_NOT_FOUND for a name
 */
export async function storedScoring(
  folder: string,
  name: string | null = null,
  environment: PageEnvironment = {},
): Promise<ScoreOptions> {
  const { file } = (name === null ? await newestScore(folder) : await findScore(folder, name)) ?? {}
  const own = async () => await ownScoring({ folder, record: await readRecord(folder) }, environment)
  if (file === undefined) return await own()
  try {
    const path = join(folder, file.replace(/^evaluation/, 'scoring'))
    return scoringSchema.parse(JSON.parse(await readFile(path, 'utf8')))
  } catch (cause) {
    // Without such a file, the run's own rules apply, but a named score must exist.
    if (name === null) return await own()
    throw resultsErrors.make('SCORE_NOT_FOUND', {
      message: `how the score "${name}" of ${basename(folder)} was made is not stored with it`,
      hint: `make it again: transcribench score ${shellWord(folder)} --profile <profile>`,
      cause,
    })
  }
}

const scoringSchema = z
  .object({
    profile: z.string().optional(),
    rules: z.array(z.custom<NonNullable<ScoreOptions['rules']>[number]>()).optional(),
    noSpeech: z.array(z.custom<NonNullable<ScoreOptions['noSpeech']>[number]>()).optional(),
    corrections: z
      .object({
        source: z.string(),
        fingerprint: z.string(),
        lines: z.array(z.object({ utteranceId: z.string(), before: z.string(), after: z.string() })),
      })
      .optional(),
  })
  .readonly()

export async function listScores(folder: string): Promise<readonly ScoreText[]> {
  return await Promise.all(
    (await scoreFiles(folder)).map(async (file) => ({
      file,
      evaluation: await readEvaluation(join(folder, file)),
    })),
  )
}

/** A score with the names of its files in the run folder; empty if it was not stored. */
export interface OpenedScore {
  readonly evaluation: Evaluation
  readonly files: readonly string[]
}

/** @param file of the evaluation */
function opened(file: string, evaluation: Evaluation): OpenedScore {
  return { evaluation, files: scoreFileNames(file === runFiles.evaluation ? null : scoreName(evaluation)) }
}

/**
 * One stored score of a run: the newest, or the named one. If there is none since the journal's last change, or none
 * is readable, the journal is scored as `storedScoring` says; nothing is written.
 *
 * @param name a score's file, its profile, or the first characters of its fingerprint; null for the newest
 * @throws BenchError SCORE_NOT_FOUND, and of the journal's table
 */
export async function openScore(
  folder: string,
  name: string | null,
  environment: PageEnvironment = {},
): Promise<OpenedScore> {
  if (name !== null) {
    const { file, evaluation } = await findScore(folder, name)
    return opened(file, evaluation)
  }
  const newest = await newestScore(folder)
  const stored = newest === null ? null : await readEvaluation(join(folder, newest.file))
  if (newest !== null && stored !== null) return opened(newest.file, stored)
  const scoring = await storedScoring(folder, null, environment)
  return { evaluation: evaluateRun(await readRun(folder), scoring), files: [] }
}

async function findScore(
  folder: string,
  name: string,
): Promise<{ readonly file: string; readonly evaluation: Evaluation }> {
  const scores = await listScores(folder)
  const matching = scores.flatMap(({ file, evaluation }) => {
    if (evaluation === null) return []
    const called = { file, profileId: evaluation.profile.id, score: scoreName(evaluation) }
    return isCalled(called, name) ? [{ file, evaluation }] : []
  })
  const [only] = matching
  if (only !== undefined && matching.length === 1) return only
  const isProfile = matching.length === 0 && profileNames.includes(name)
  const making = isProfile ? `, or make it: transcribench score ${shellWord(folder)} --profile ${name}` : ''
  throw resultsErrors.make('SCORE_NOT_FOUND', {
    message:
      matching.length > 1
        ? `${matching.length} scores of ${basename(folder)} are called "${name}"`
        : `${basename(folder)} has no score "${name}"`,
    hint: `name one of these by its file, profile or fingerprint${making}`,
    problems: scores.map(({ file, evaluation }) => ({
      where: file,
      what:
        evaluation === null
          ? 'cannot be read by this transcribench'
          : `${evaluation.profile.id} ${evaluation.scoring.fingerprint.slice(0, 8)}`,
    })),
  })
}

async function readEvaluation(path: string): Promise<Evaluation | null> {
  try {
    return evaluationSchema.parse(parseForeignJson(await readFile(path, 'utf8')))
  } catch {
    // An evaluation of another version, or a damaged one, is listed as unreadable.
    return null
  }
}
