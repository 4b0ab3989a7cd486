import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Evaluation, evaluateRun, evaluationSchema } from '#analysis'
import { type RecordedRun, readRun, runFiles, writeRunDocument } from '#journal'
import { renderSummaryDocument, summaryCsv, utterancesCsv } from '#reports'
import { runPageHtml } from './run-page.ts'

export interface ScoreRunOptions {
  /** The run's own unless told. */
  readonly profile?: string | undefined
  /** Where corpora are looked up, for the recordings that the page plays; the process's own unless told. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
}

/**
 * Scores what a journal holds and writes the documents that stand beside it. Sends nothing.
 *
 * @param folder a run folder
 * @throws BenchError of the journal's table
 */
export async function scoreRun(folder: string, options: ScoreRunOptions = {}): Promise<Evaluation> {
  const run = await readRun(folder)
  const evaluation = evaluateRun(run, options)
  await writeScore(run, evaluation, (file) => file, options.env)
  return evaluation
}

/** One of the scores that stand beside a journal. */
export interface StandingScore {
  /** As `evaluation.english.json`. */
  readonly file: string
  /** Null where the file cannot be read as an evaluation. */
  readonly evaluation: Evaluation | null
}

/**
 * Scores a run under a profile of one's choice, beside the scores that it has: under another profile than the
 * run's own the documents are called `evaluation.<profile>.json` and so on. Sends nothing.
 *
 * @returns the new score, and all that stand there now, the run's own first
 * @throws BenchError of the journal's table, SCORING_PROFILE_UNKNOWN
 */
export async function rescoreRun(
  folder: string,
  options: ScoreRunOptions = {},
): Promise<{ readonly evaluation: Evaluation; readonly standing: readonly StandingScore[] }> {
  const run = await readRun(folder)
  const evaluation = evaluateRun(run, options)
  const { id } = evaluation.profile
  const isOwn = id === run.record.scoringProfile
  await writeScore(run, evaluation, (file) => (isOwn ? file : file.replace('.', `.${id}.`)), options.env)
  return { evaluation, standing: await standingScores(folder) }
}

async function writeScore(
  run: RecordedRun,
  evaluation: Evaluation,
  nameOf: (file: string) => string,
  env: ScoreRunOptions['env'] = process.env,
): Promise<void> {
  const { folder } = run
  await writeRunDocument(folder, nameOf(runFiles.evaluation), `${JSON.stringify(evaluation, null, 1)}\n`)
  await writeRunDocument(folder, nameOf(runFiles.summary), renderSummaryDocument(evaluation))
  await writeRunDocument(folder, nameOf(runFiles.summaryTable), summaryCsv(evaluation))
  await writeRunDocument(folder, nameOf(runFiles.utteranceTable), utterancesCsv(evaluation))
  const page = nameOf(runFiles.page)
  await writeRunDocument(folder, page, await runPageHtml(run, evaluation, { path: join(folder, page), env }))
}

async function standingScores(folder: string): Promise<readonly StandingScore[]> {
  const others = (await readdir(folder)).filter((file) => /^evaluation\..+\.json$/.test(file)).sort()
  const files = [runFiles.evaluation, ...others]
  return await Promise.all(
    files.map(async (file) => ({ file, evaluation: await readEvaluation(join(folder, file)) })),
  )
}

async function readEvaluation(path: string): Promise<Evaluation | null> {
  try {
    return evaluationSchema.parse(JSON.parse(await readFile(path, 'utf8')))
  } catch {
    // A score that another version wrote, or none at all, is shown as one that cannot be read; the new one stands.
    return null
  }
}
