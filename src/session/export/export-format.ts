import type { ScoringChoice } from '#analysis'
import type { RecordedRun } from '#journal'

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
