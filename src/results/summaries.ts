import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import pLimit from 'p-limit'
import { z } from 'zod'
import { listRuns } from '#journal/run-reader'
import { runFiles } from '#journal/run-writer'
import { type DeepReadonly, parseForeignJson } from '#prelude'
import { scoreWords } from '#reports/layout/words'

/** The corpus of a run, as its config named it; null where it did not. */
export function readCorpusName({ config }: { readonly config: unknown }): string | null {
  if (config === null || typeof config !== 'object' || !('corpus' in config)) return null
  return typeof config['corpus'] === 'string' ? config['corpus'] : null
}

/** Of the scores that were made since the journal was written; null where there is none. */
export async function newestScore(
  folder: string,
): Promise<{ readonly file: string; readonly atMs: number } | null> {
  const journalAtMs = await changedAtMs(join(folder, runFiles.journal))
  let newest: { file: string; atMs: number } | null = null
  for (const file of await scoreFiles(folder)) {
    const atMs = await changedAtMs(join(folder, file))
    if (atMs >= journalAtMs && (newest === null || atMs > newest.atMs)) newest = { file, atMs }
  }
  return newest
}

/** Path of the summary of the newest score of a run; of the score of the run where that is not known. */
export async function newestSummaryPath(folder: string): Promise<string> {
  const { file = runFiles.evaluation } = (await newestScore(folder).catch(() => null)) ?? {}
  return join(folder, file.replace(/^evaluation/, 'summary'))
}

/** Names of the score files of a run that are there. */
export async function scoreFiles(folder: string): Promise<readonly string[]> {
  const files = await readdir(folder)
  const others = files.filter((file) => /^evaluation\..+\.json$/.test(file)).sort()
  return files.includes(runFiles.evaluation) ? [runFiles.evaluation, ...others] : others
}

/** Milliseconds of the system's clock; 0 for a file that is not there. */
export async function changedAtMs(path: string): Promise<number> {
  return await stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  )
}

const interval = z.object({ low: z.number(), high: z.number() }).nullable().optional()

/** What lists and histories need of a `summary.json`; the rest is left alone, whatever version wrote it. */
const summarySchema = z.object({
  run: z.object({
    name: z.string(),
    startedAt: z.string(),
    target: z.string(),
    cpuModel: z.string(),
    cpuCount: z.number(),
  }),
  validity: z.string(),
  profile: z.object({ id: z.string(), leads: z.enum(['words', 'characters']) }),
  /** See `scoreName`. */
  score: z.string(),
  corpus: z.object({ name: z.string(), fingerprint: z.string() }),
  load: z.object({ description: z.string() }),
  speeds: z.object({ withheld: z.string().nullable() }),
  /** Null where the references are those of the run. */
  corrections: z.object({ fingerprint: z.string(), correctedCount: z.number() }).nullable().optional(),
  contenders: z.array(
    z.object({
      id: z.string(),
      metrics: z.record(z.string(), z.object({ value: z.number().nullable(), interval })),
    }),
  ),
})
export type RunSummary = DeepReadonly<z.infer<typeof summarySchema>>

/**
 * The summaries of all runs of a folder by their names, in the order of these, which is that of time. Nothing is scored again,
 * so a million attempts cost as much as ten. A run that never finished, or is of another version, has none that can be read.
 */
export async function readRunSummaries(results: string) {
  const limit = pLimit(16)
  return await Promise.all(
    (await listRuns(results)).map((folder) =>
      limit(async () => ({ id: basename(folder), summary: await readRunSummary(folder) })),
    ),
  )
}

/**
 * The summary of the newest score of a run; null where it has none that can be read.
 *
 * @param name of a score, as `openScore` takes it: the newest of those with the name
 */
export async function readRunSummary(folder: string, name: string | null = null): Promise<RunSummary | null> {
  if (name === null) return readSummary(await newestSummaryPath(folder))
  let newest: { readonly summary: RunSummary; readonly atMs: number } | null = null
  for (const file of await scoreFiles(folder)) {
    const path = join(folder, file.replace(/^evaluation/, 'summary'))
    const summary = await readSummary(path)
    if (summary === null || !isCalled({ file, profileId: summary.profile.id, score: summary.score }, name))
      continue
    const atMs = await changedAtMs(path)
    if (newest === null || atMs > newest.atMs) newest = { summary, atMs }
  }
  return newest?.summary ?? null
}

/** Null where it cannot be read. */
export async function readSummary(path: string): Promise<RunSummary | null> {
  try {
    return summarySchema.parse(parseForeignJson(await readFile(path, 'utf8')))
  } catch {
    // `transcribench score` gives a run its summary again.
    return null
  }
}

/** Whether a score is meant by a name: its file, its profile with or without version, or the beginning of its fingerprint. */
export function isCalled(
  { file, profileId, score }: { readonly file: string; readonly profileId: string; readonly score: string },
  name: string,
): boolean {
  const isNamed = profileId === name || profileId.replace(/@\d+/, '') === name || score === name
  return file === name || isNamed || (name.length >= 4 && fingerprintIn(score).startsWith(name.slice(0, 8)))
}

/** Which score a summary is of, in the words of every screen. */
export function describeSummaryScore(
  summary: Pick<RunSummary, 'profile' | 'score' | 'corrections'>,
): readonly string[] {
  const { profile, score, corrections } = summary
  return scoreWords(profile.id, fingerprintIn(score), corrections?.correctedCount ?? 0)
}

/** The beginning of the fingerprint, with which the name of a score ends. */
function fingerprintIn(score: string): string {
  return score.slice(score.lastIndexOf('.') + 1)
}
