import type { ScoringChoice } from '#analysis'
import { correctReferences } from '#analysis'
import { type RecordedRun, readRun } from '#journal'
import { storedScoring } from '../stored/score-run.ts'

/** A stored score by its name, or a profile; without both the newest score. */
export interface StoredScoringChoice {
  readonly profile?: string | undefined
  readonly score?: string | null | undefined
}

/** A run to be written, and how its texts are scored. */
export interface ExportRequest {
  readonly run: RecordedRun
  readonly scoring: ScoringChoice
  /** Absolute path of a folder that exists. */
  readonly output: string
}

/** A way to write runs for other programs. */
export interface ExportFormat {
  /** As typed after `--format`. */
  readonly name: string
  readonly summary: string
  /**
   * Writes one run. What the folder has of the same run in this format is replaced.
   *
   * @returns the files, relative to the folder
   * @throws BenchError RUN_NOT_TRACKED, and what scoring throws
   */
  write(request: ExportRequest): Promise<readonly string[]>
}

/**
 * Reads a run as it is exported: with the rules and the corrected references of its newest score or a named one, or by a profile that is
 * asked for.
 *
 * @throws BenchError of the journal's table
 */
export async function readForExport(
  folder: string,
  { profile, score = null }: StoredScoringChoice,
): Promise<Pick<ExportRequest, 'run' | 'scoring'>> {
  const [recorded, { corrections, ...newest }] = await Promise.all([
    readRun(folder),
    storedScoring(folder, score),
  ])
  const { material } = correctReferences(recorded, corrections ?? null)
  const scoring = profile === undefined ? newest : { profile }
  return { run: { ...recorded, utterances: material.utterances }, scoring }
}
