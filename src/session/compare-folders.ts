import {
  type CompareOptions,
  type Comparison,
  compareSides,
  type Evaluation,
  evaluateRun,
  recordedMargins,
  refuseFineMargins,
} from '#analysis'
import { readRun } from '#journal'
import { readCalibration } from './calibration-store.ts'

export interface ComparedRuns {
  readonly comparison: Comparison
  /** The last run of the second side alone, for thresholds that are not about a difference; scored when it is asked for. */
  evaluate(): Evaluation
}

/**
 * Compares run folders, one or several a side. All journals are scored again; nothing in the folders is changed. Where
 * a calibration of the runs' host and target is stored, single runs get intervals from it.
 *
 * @param results where calibrations are kept; none is looked for unless told
 * @throws BenchError NOT_COMPARABLE with every reason, and the journal's errors
 */
export async function compareFolders(
  baseFolders: readonly string[],
  runFolders: readonly string[],
  options: CompareOptions & { readonly results?: string } = {},
): Promise<ComparedRuns> {
  const base = await Promise.all(baseFolders.map((folder) => readRun(folder)))
  const run = await Promise.all(runFolders.map((folder) => readRun(folder)))
  const latest = run.at(-1)
  if (latest === undefined) throw new RangeError('a side of a comparison needs a run')
  const { results, ...compareOptions } = options
  const calibration = results === undefined ? null : await readCalibration(results, latest.record)
  const margins = { ...recordedMargins(latest.record), ...options.margins }
  refuseFineMargins(calibration, margins, Math.min(base.length, run.length))
  const compared = compareSides(base, run, { spreads: calibration?.spreads, ...compareOptions })
  if (!compared.ok) throw compared.failure
  return {
    comparison: compared.value,
    evaluate: () => evaluateRun(latest, { profile: options.profile, corrections: options.corrections }),
  }
}
