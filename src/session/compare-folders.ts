import { type CompareOptions, type Comparison, compareRuns, type Evaluation, evaluateRun } from '#analysis'
import { readRun } from '#journal'

export interface ComparedRuns {
  readonly comparison: Comparison
  /** The second run alone, for thresholds that are not about a difference. */
  readonly evaluation: Evaluation
}

/**
 * Compares two run folders. Both journals are scored again; nothing in the folders is changed.
 *
 * @throws BenchError NOT_COMPARABLE with every reason, and the journal's errors
 */
export async function compareFolders(
  baseFolder: string,
  runFolder: string,
  options: CompareOptions = {},
): Promise<ComparedRuns> {
  const [base, run] = await Promise.all([readRun(baseFolder), readRun(runFolder)])
  const compared = compareRuns(base, run, options)
  if (!compared.ok) throw compared.failure
  const evaluation = evaluateRun(run, { profile: options.profile })
  return { comparison: compared.value, evaluation }
}
