import {
  type CompareOptions,
  type Comparison,
  type Evaluation,
  evaluateRun,
  openComparison,
  recordedMargins,
  refuseFineMargins,
} from '#analysis'
import { type RecordedRun, readRecord, readRun, startReadingRun } from '#journal'
import { readCalibration } from './calibration-store.ts'

export interface ComparedRuns {
  readonly comparison: Comparison
  /** The last run of the second side alone, for thresholds that are not about a difference; read when it is asked for. */
  evaluate(): Promise<Evaluation>
}

/**
 * Compares run folders, one or several a side. All journals are scored again, one after the other, so that a run of a
 * million attempts leaves its memory before the next one is read; nothing in the folders is changed. Where
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
  const latest = runFolders.at(-1)
  if (latest === undefined || baseFolders.length === 0) {
    throw new RangeError('a side of a comparison needs a run')
  }
  const record = await readRecord(latest)
  const { results, ...compareOptions } = options
  const calibration = results === undefined ? null : await readCalibration(results, record)
  const margins = { ...recordedMargins(record), ...options.margins }
  refuseFineMargins(calibration, margins, Math.min(baseFolders.length, runFolders.length))
  const comparison = openComparison(record, { spreads: calibration?.spreads, ...compareOptions })
  for await (const { side, run } of readAhead(baseFolders, runFolders)) comparison.add(side, run)
  const compared = comparison.compare()
  if (!compared.ok) throw compared.failure
  const { profile, corrections } = options
  return {
    comparison: compared.value,
    evaluate: async () => evaluateRun(await readRun(latest), { profile, corrections }),
  }
}

type Side = 'base' | 'run'

/** Reads one run while the one before it is being looked at; no more than these two are in memory. */
async function* readAhead(
  baseFolders: readonly string[],
  runFolders: readonly string[],
): AsyncIterable<{ readonly side: Side; readonly run: RecordedRun }> {
  const wanted: { readonly side: Side; readonly folder: string }[] = [
    ...baseFolders.map((folder) => ({ side: 'base' as const, folder })),
    ...runFolders.map((folder) => ({ side: 'run' as const, folder })),
  ]
  let ahead: Promise<RecordedRun> | null = null
  for (const [place, { side, folder }] of wanted.entries()) {
    const run: RecordedRun = await (ahead ?? readRun(folder))
    const next = wanted[place + 1]
    ahead = next === undefined ? null : (await startReadingRun(next.folder)).run
    // It is waited for when it is its turn, and may fail before.
    ahead?.catch(() => undefined)
    yield { side, run }
  }
}
