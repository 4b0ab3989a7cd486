import { z } from 'zod'
import { calibrateRuns, calibrationSchema, resolutionSchema } from '#analysis'
import type { BenchConfig } from '#config'
import { type RecordedRun, readRun } from '#journal'
import type { BenchError, DeepReadonly } from '#prelude'
import { runErrors } from '#run'
import { sessionErrors } from '../errors.ts'
import { readCalibrations, storeCalibration } from '../stored/calibration-store.ts'
import { readRunSummary } from '../stored/run-summaries.ts'
import { type ExperimentEvent, type ExperimentOptions, runExperiment } from './experiment.ts'
import type { Experiment, ExperimentStop } from './experiment-document.ts'

export interface CalibrateOptions
  extends Pick<ExperimentOptions, 'clock' | 'command' | 'env' | 'stop' | 'drop'> {
  /** Its first contender is compared with itself. */
  readonly config: BenchConfig
  /** Pairs of runs, at least 2; ten say more. */
  readonly pairCount: number
  readonly coolDownSeconds: number
  readonly onEvent?: (event: ExperimentEvent) => void
}

/** The form of what `transcribench calibrate --json` prints. */
export const calibratedSchema = z
  .strictObject({
    calibration: calibrationSchema.describe('What was measured.'),
    resolutions: z.array(resolutionSchema).describe('What can be distinguished, metric by metric.'),
    path: z.string().describe('The file that keeps it.'),
    folders: z.array(z.string()).describe('Folders of the runs.'),
  })
  .describe('What equal runs of one contender differ by on this host, for this target.')
export type StoredCalibration = DeepReadonly<z.infer<typeof calibratedSchema>>

/**
 * Measures one contender against itself, in ABBA order, and keeps what equal runs differ by, for this host and target. Pairs that
 * are not complete, because it was interrupted, or not valid are left out.
 *
 * @throws BenchError STOPPED_EARLY, RUN_NOT_VALID, CALIBRATIONS_UNREADABLE, and what `measure` throws
 */
export async function calibrate(options: CalibrateOptions): Promise<StoredCalibration> {
  const { pairCount, ...rest } = options
  // What cannot be stored in the end is not measured for hours.
  await readCalibrations(options.config.results)
  const config = { ...options.config, contenders: options.config.contenders.slice(0, 1) }
  const { sides, stopped } = await runExperiment({
    ...rest,
    sides: [
      { name: 'A', config: { ...config, name: 'calibrate-a' } },
      { name: 'B', config: { ...config, name: 'calibrate-b' } },
    ],
    isFixed: true,
    precision: null,
    budgetSeconds: Number.POSITIVE_INFINITY,
    maxRuns: pairCount,
    seed: config.seed,
  })
  const pairs = await usablePairs(sides)
  const [base, run] = [pairs.map((pair) => pair.base), pairs.map((pair) => pair.run)]
  const [first] = base
  if (first === undefined || base.length < 2) throw tooFewPairs(stopped)
  const calibrated = calibrateRuns(base, run)
  const path = await storeCalibration(config.results, first.record, calibrated.calibration)
  return { ...calibrated, path, folders: [...base, ...run].map(({ folder }) => folder) }
}

interface Pair {
  readonly base: RecordedRun
  readonly run: RecordedRun
}

function tooFewPairs(stopped: ExperimentStop): BenchError {
  const hint = 'calibrate again with the same command'
  return stopped === 'interrupted'
    ? sessionErrors.make('STOPPED_EARLY', {
        message: 'interrupted before two pairs of runs were complete; nothing was stored',
        hint,
      })
    : runErrors.make('RUN_NOT_VALID', {
        message: 'fewer than two pairs of runs are valid; nothing was stored',
        hint: `see why: transcribench report latest; then ${hint}`,
      })
}

async function usablePairs([base, run]: Experiment['sides']): Promise<readonly Pair[]> {
  const [left = [], right = []] = await Promise.all(
    [base, run].map((side) => Promise.all((side?.folders ?? []).map(readUsable))),
  )
  return left.flatMap((own, index) => {
    const other = right[index] ?? null
    return own === null || other === null ? [] : [{ base: own, run: other }]
  })
}

/** Null for a run that was interrupted, and for one that says nothing of its contender, as after the loss of its target. */
async function readUsable(folder: string): Promise<RecordedRun | null> {
  const [run, summary] = await Promise.all([readRun(folder), readRunSummary(folder)])
  return run.record.status === 'interrupted' || summary?.validity === 'invalid' ? null : run
}
