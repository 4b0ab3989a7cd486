import { z } from 'zod'
import { calibrateRuns, calibrationSchema, resolutionSchema } from '#analysis'
import type { BenchConfig } from '#config'
import { type RecordedRun, readRun } from '#journal'
import type { DeepReadonly } from '#prelude'
import { sessionErrors } from '../errors.ts'
import { readCalibrations, storeCalibration } from '../stored/calibration-store.ts'
import { type ExperimentEvent, type ExperimentOptions, runExperiment } from './experiment.ts'
import type { Experiment } from './experiment-document.ts'

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
 * Measures one contender against itself, in ABBA order, and keeps what equal runs differ by, for this host and target. Where it is
 * interrupted, that is what the complete pairs differ by.
 *
 * @throws BenchError STOPPED_EARLY, CALIBRATIONS_UNREADABLE, and what `measure` throws
 */
export async function calibrate(options: CalibrateOptions): Promise<StoredCalibration> {
  const { pairCount, ...rest } = options
  // What cannot be stored in the end is not measured for hours.
  await readCalibrations(options.config.results)
  const config = { ...options.config, contenders: options.config.contenders.slice(0, 1) }
  const { sides } = await runExperiment({
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
  const pairs = await completePairs(sides)
  const [base, run] = [pairs.map((pair) => pair.base), pairs.map((pair) => pair.run)]
  const [first] = base
  if (first === undefined || base.length < 2) {
    throw sessionErrors.make('STOPPED_EARLY', {
      message: 'interrupted before two pairs of runs were complete; nothing was stored',
      hint: 'calibrate again with the same command',
    })
  }
  const calibrated = calibrateRuns(base, run)
  const path = await storeCalibration(config.results, first.record, calibrated.calibration)
  return { ...calibrated, path, folders: [...base, ...run].map(({ folder }) => folder) }
}

interface Pair {
  readonly base: RecordedRun
  readonly run: RecordedRun
}

/** An interruption leaves the last pair without its second run, or with a part of one. */
async function completePairs([base, run]: Experiment['sides']): Promise<readonly Pair[]> {
  const [left = [], right = []] = await Promise.all(
    [base, run].map((side) => Promise.all((side?.folders ?? []).map((folder) => readRun(folder)))),
  )
  const isWhole = ({ record }: RecordedRun): boolean => record.status !== 'interrupted'
  return left.flatMap((own, index) => {
    const other = right[index]
    return other !== undefined && isWhole(own) && isWhole(other) ? [{ base: own, run: other }] : []
  })
}
