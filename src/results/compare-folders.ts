import type { ComparableRun } from '#analysis/comparison/comparable-run'
import { type CompareOptions, openComparison } from '#analysis/comparison/compare-runs'
import type { Comparison } from '#analysis/documents/comparison'
import type { Evaluation } from '#analysis/documents/evaluation'
import { evaluateRun } from '#analysis/evaluate-run'
import { recordedMargins, refuseFineMargins } from '#analysis/figures/speed/calibration'
import { readRecord, readRun } from '#journal/run-reader'
import type { RunRecord } from '#journal/run-record'
import { readCalibration } from './calibrations.ts'
import { storedScoring } from './scores.ts'

export interface ComparedRuns {
  readonly comparison: Comparison
  /** The last run of the second side alone, for thresholds that are not about a difference; read when it is asked for. */
  evaluate(): Promise<Evaluation>
}

/**
 * Compares run folders, one or several a side. All journals are scored again; nothing in the folders is changed. Where
 * a calibration of the runs' host and target is stored, single runs get intervals from it. Runs of an experiment get the
 * intervals that it had: it ended when they were narrow enough, and any other would be too narrow.
 *
 * @param score a stored score of the last run by its name, in whose way both sides are scored; default: its newest
 * @param results where calibrations are kept; default: no calibration is used
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
  const { results, score = null, ...asked } = options
  // What a run's own screens show is what is compared, unless something else is asked for.
  const newest = await storedScoring(latest, score)
  const corrected = [latest, ...runFolders.slice(0, -1), ...baseFolders]
  const compareOptions = {
    ...asked,
    profile: asked.profile ?? newest.profile,
    rules: asked.profile === undefined ? newest.rules : undefined,
    noSpeech: asked.noSpeech ?? newest.noSpeech,
    corrections:
      asked.corrections ?? (score === null ? await firstCorrections(corrected) : newest.corrections),
  }
  const calibration = results === undefined ? null : await readCalibration(results, record)
  const margins = { ...recordedMargins(record), ...options.margins }
  refuseFineMargins(calibration, margins, Math.min(baseFolders.length, runFolders.length))
  const isSequential = [...earlier, record].some(isOfExperiment)
  const scoring = { spreads: calibration?.spreads, isSequential, ...compareOptions }
  const comparison = openComparison(record, scoring)
  const kept: ComparableRun[] = []
  // One after the other: of a run, only what is compared stays in memory.
  for (const folder of [...baseFolders, ...runFolders]) kept.push(comparison.keep(await readRun(folder)))
  const compared = comparison.compare(kept.slice(0, baseFolders.length), kept.slice(baseFolders.length))
  if (!compared.ok) throw compared.failure
  const { profile, rules, noSpeech, corrections } = compareOptions
  return {
    comparison: compared.value,
    evaluate: async () => evaluateRun(await readRun(latest), { profile, rules, noSpeech, corrections }),
  }
}

/** Those of the newest score of the first run that has any: a correction counts on both sides. */
async function firstCorrections(folders: readonly string[]): Promise<CompareOptions['corrections']> {
  for (const folder of folders) {
    const { corrections } = await storedScoring(folder)
    if (corrections !== undefined) return corrections
  }
  return undefined
}

/** Derived from the command that measured the run. */
function isOfExperiment({ command: [, ...words] }: RunRecord): boolean {
  return words.find((word) => !word.startsWith('-')) === 'experiment'
}
