import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import pLimit from 'p-limit'
import { z } from 'zod'
import { listRuns } from '#journal/find-run'
import { runFiles } from '#journal/run-writer'
import { type DeepReadonly, parseForeignJson } from '#prelude'
import { scoreWords } from '#reports/run/provenance'
import { profileName } from '#scoring/profiles/profile'

/** The newest score that was made since the journal was written; null if there is none. */
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

async function newestSummaryPath(folder: string): Promise<string> {
  const { file = runFiles.evaluation } = (await newestScore(folder).catch(() => null)) ?? {}
  return join(folder, file.replace(/^evaluation/, 'summary'))
}

export async function scoreFiles(folder: string): Promise<readonly string[]> {
  const files = await readdir(folder)
  const others = files.filter((file) => /^evaluation\..+\.json$/.test(file)).sort()
  return files.includes(runFiles.evaluation) ? [runFiles.evaluation, ...others] : others
}

/** Modification time in milliseconds; 0 if the file does not exist. */
export async function changedAtMs(path: string): Promise<number> {
  return await stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  )
}

const interval = z.object({ low: z.number(), high: z.number() }).nullable().optional()

/** The part of a `summary.json` that lists and histories need; the rest may be of any version. */
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
  /** Name of the score, see `scoreName`. */
  score: z.string(),
  corpus: z.object({ name: z.string(), fingerprint: z.string() }),
  load: z.object({ description: z.string() }),
  speeds: z.object({ withheld: z.string().nullable() }),
  /** Null if the references are those of the run. */
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
 * The summaries of all runs of a folder by name, in chronological order. Nothing is scored again, so the number of
 * attempts does not matter. Unfinished runs, and those of another version, have no readable summary.
 *
 * @param score name of a score to read of every run; default: the newest of each
 */
export async function readRunSummaries(results: string, score: string | null = null) {
  const limit = pLimit(16)
  return await Promise.all(
    (await listRuns(results)).map((folder) =>
      limit(async () => ({ id: basename(folder), summary: await readRunSummary(folder, score) })),
    ),
  )
}

/**
 * The summary of the newest score of a run; null if it has no readable one.
 *
 * @param name of a score, as for `openScore`: the newest with this name
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

async function readSummary(path: string): Promise<RunSummary | null> {
  try {
    return summarySchema.parse(parseForeignJson(await readFile(path, 'utf8')))
  } catch {
    // `transcribench score` can restore the summary of a run.
    return null
  }
}

/** Whether a name denotes a score: by file, profile with or without version, or start of its fingerprint. */
export function isCalled(
  { file, profileId, score }: { readonly file: string; readonly profileId: string; readonly score: string },
  name: string,
): boolean {
  const isNamed = profileId === name || profileName(profileId) === name || score === name
  return file === name || isNamed || (name.length >= 4 && fingerprintIn(score).startsWith(name.slice(0, 8)))
}

export function describeSummaryScore(
  summary: Pick<RunSummary, 'profile' | 'score' | 'corrections'>,
): readonly string[] {
  const { profile, score, corrections } = summary
  return scoreWords(profile.id, fingerprintIn(score), corrections?.correctedCount ?? 0)
}

/** The first characters of the fingerprint, which are the end of a score's name. */
function fingerprintIn(score: string): string {
  return score.slice(score.lastIndexOf('.') + 1)
}
