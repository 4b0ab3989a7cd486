import type { ComparableRun } from '#analysis/comparison/comparable-run'
import { type CompareOptions, openComparison } from '#analysis/comparison/compare-runs'
import type { Comparison } from '#analysis/documents/comparison'
import type { Evaluation } from '#analysis/documents/evaluation'
import { evaluateRun } from '#analysis/evaluate-run'
import { recordedMargins, refuseFineMargins } from '#analysis/figures/speed/margins'
import { readRecord, readRun } from '#journal/run-reader'
import type { RunRecord } from '#journal/run-record'
import { readCalibration } from './calibrations.ts'
import { storedScoring } from './scores.ts'

export interface ComparedRuns {
  readonly comparison: Comparison
  /** Evaluates the last run of the second side, for thresholds that are not about a difference. */
  evaluate(): Promise<Evaluation>
}

/**
 * Compares run folders, one or several a side. All journals are scored again; the folders are not changed. If a
 * calibration of the runs' host and target is stored, single runs get intervals from it. Runs of an experiment keep
 * its sequential intervals: it ended when they were narrow enough, so any other kind would be too narrow.
 *
 * @param score name of a stored score of the last run, by which both sides are scored; default: its newest
 * @param results folder of calibrations; default: no calibration is used
 * @throws BenchError NOT_COMPARABLE with every reason, CALIBRATIONS_UNREADABLE, and the journal's errors
 */
export async function compareFolders(
  baseFolders: readonly string[],
  runFolders: readonly string[],
  options: CompareOptions & { readonly results?: string; readonly score?: string | undefined } = {},
): Promise<ComparedRuns> {
  const latest = runFolders.at(-1)
  if (latest === undefined || baseFolders.length === 0) {
    throw new RangeError('a side of a comparison needs a run')
  }
  const record = await readRecord(latest)
  const earlier = await Promise.all([...baseFolders, ...runFolders.slice(0, -1)].map(readRecord))
  const { results, score = null, ...scoringOptions } = options
  // By default, runs are compared by the score that their own reports show.
  const newest = await storedScoring(latest, score)
  const corrected = [latest, ...runFolders.slice(0, -1), ...baseFolders]
  const compareOptions = {
    ...scoringOptions,
    profile: scoringOptions.profile ?? newest.profile,
    rules: scoringOptions.rules ?? (scoringOptions.profile === undefined ? newest.rules : undefined),
    noSpeech: scoringOptions.noSpeech ?? newest.noSpeech,
    corrections:
      scoringOptions.corrections ?? (score === null ? await firstCorrections(corrected) : newest.corrections),
  }
  const calibration = results === undefined ? null : await readCalibration(results, record)
  const margins = { ...recordedMargins(record), ...options.margins }
  refuseFineMargins(calibration, margins, Math.min(baseFolders.length, runFolders.length))
  const isSequential = [...earlier, record].some(isOfExperiment)
  const scoring = { spreads: calibration?.spreads, isSequential, ...compareOptions }
  const comparison = openComparison(record, scoring)
  const runs: ComparableRun[] = []
  // Runs are read one after the other, so that only the compared parts stay in memory.
  for (const folder of [...baseFolders, ...runFolders]) runs.push(comparison.keep(await readRun(folder)))
  const compared = comparison.compare(runs.slice(0, baseFolders.length), runs.slice(baseFolders.length))
  if (!compared.ok) throw compared.failure
  const { profile, rules, noSpeech, corrections } = compareOptions
  return {
    comparison: compared.value,
    evaluate: async () => evaluateRun(await readRun(latest), { profile, rules, noSpeech, corrections }),
  }
}

/** Corrections of the first run with any in its newest score; they apply to both sides. */
async function firstCorrections(folders: readonly string[]): Promise<CompareOptions['corrections']> {
  for (const folder of folders) {
    const { corrections } = await storedScoring(folder)
    if (corrections !== undefined) return corrections
  }
  return undefined
}

/** Whether an experiment measured the run, according to its command. */
function isOfExperiment({ command: [, ...words] }: RunRecord): boolean {
  return words.find((word) => !word.startsWith('-')) === 'experiment'
}
