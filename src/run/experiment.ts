import { z } from 'zod'
import { calibrateRuns } from '#analysis/comparison/calibrate-runs'
import { compareSides } from '#analysis/comparison/compare-runs'
import { type QuestionState, questionState } from '#analysis/comparison/verdicts'
import type { Comparison } from '#analysis/documents/comparison'
import { referenceDrift } from '#analysis/figures/machine/drift'
import {
  calibrationSchema,
  type Margins,
  recordedMargins,
  refuseFineMargins,
  resolutionSchema,
} from '#analysis/figures/speed/calibration'
import type { BenchConfig } from '#config/bench-config'
import { type RecordedRun, readRun } from '#journal/run-reader'
import { systemClock } from '#load/clock'
import { BenchError, type DeepReadonly, seededRandom } from '#prelude'
import { readCalibration, readCalibrations, storeCalibration } from '#results/calibrations'
import type { Experiment, ExperimentStop } from '#results/stored-document'
import { readRunSummary } from '#results/summaries'
import { runErrors } from './execute/errors.ts'
import { measure } from './measure.ts'
import { abbaOrder } from './plan/order.ts'
import type { MeasureEvent, MeasureOptions } from './prepare-run.ts'

export type { Experiment } from '#results/stored-document'

/** One side of an experiment: a build, a target, a contender, whatever its config says. */
export interface ExperimentSide {
  /** Unique among the sides. */
  readonly name: string
  readonly config: BenchConfig
}

export interface ExperimentOptions extends Omit<MeasureOptions, 'config' | 'onEvent'> {
  /** Two or more; every one is compared with the first. */
  readonly sides: readonly ExperimentSide[]
  readonly margins?: Partial<Margins> | undefined
  /** Half the width of the interval of the latency at which it is precise enough, as a share; null for never. */
  readonly precision: number | null
  /** No further pair is begun after so long. */
  readonly budgetSeconds: number
  /** Runs of every side are as many as `maxRuns`, whatever they say meanwhile. */
  readonly isFixed?: boolean
  /** Runs of every side at most. */
  readonly maxRuns: number
  /** Quiet time before every run. */
  readonly coolDownSeconds: number
  readonly seed: number
  readonly onEvent?: (event: ExperimentEvent) => void
}

/** What happens while an experiment goes on. */
export type ExperimentEvent =
  | { readonly kind: 'run'; readonly side: string; readonly position: number; readonly pass: number }
  | { readonly kind: 'look'; readonly runCount: number; readonly comparisons: readonly Comparison[] }
  | { readonly kind: 'measure'; readonly side: string; readonly event: MeasureEvent }

/** Passes from which on a speed is judged. */
const passesToDecide = 5

/**
 * Measures two or more sides interleaved, in randomised ABBA order, each run a unit with a separate service where that is
 * the built-in one, until the question is answered: are the errors, the failures, the latency and its tail of every further
 * side better, worse or equivalent. The interval holds at every look, so that looking after each pass does no harm.
 *
 * @throws BenchError MARGIN_TOO_FINE where a calibration says that so many runs cannot see the margin, and what
 *   `measure` throws; completed runs remain on disk
 */
export async function runExperiment(options: ExperimentOptions): Promise<Experiment> {
  const { sides, clock = systemClock, onEvent = () => undefined, stop } = options
  const folders = new Map<string, string[]>(sides.map(({ name }) => [name, []]))
  const materials = new Map<string, RecordedRun[]>(sides.map(({ name }) => [name, []]))
  const startedAtMs = clock.nowMs()
  const order = abbaOrder(sides, seededRandom(options.seed))
  let comparisons: readonly Comparison[] = []
  let stopped: ExperimentStop | null = null
  for (let pass = 1; stopped === null; pass += 1) {
    for (const [position, side] of order().entries()) {
      const pauseMs = 1000 * options.coolDownSeconds
      if (pauseMs > 0) await clock.sleepUntil(clock.nowMs() + pauseMs, stop)
      if (stop?.aborted === true) break
      onEvent({ kind: 'run', side: side.name, position, pass })
      const measured = await measure({
        ...options,
        clock,
        config: side.config,
        onEvent: (event) => onEvent({ kind: 'measure', side: side.name, event }),
      }).catch((error: unknown) => {
        // What the runs before have measured is not lost with a run that had not begun.
        const hasRuns = [...folders.values()].some(({ length }) => length > 0)
        if (hasRuns && error instanceof BenchError && error.code === 'STOPPED_EARLY') return null
        throw error
      })
      if (measured === null) break
      const { folder, unwritten } = measured
      if (unwritten !== null) throw unwritten
      folders.get(side.name)?.push(folder)
      materials.get(side.name)?.push(await readRun(folder))
      if (pass === 1 && position === 0) await refuseIfTooFine(materials.get(side.name)?.[0], options)
    }
    if (stop?.aborted === true) stopped = 'interrupted'
    else {
      comparisons = compareAll(sides, materials, options)
      onEvent({ kind: 'look', runCount: pass, comparisons })
      const load = materials.get(sides[0]?.name ?? '')?.[0]?.record.load
      const asksThroughput = load?.kind === 'closed' && load.concurrency > 1
      const states = comparisons.map((comparison) => questionState(comparison, asksThroughput))
      stopped = stopAfter(pass, comparisons, states, options, clock.nowMs() - startedAtMs)
    }
  }
  const baseName = sides[0]?.name ?? ''
  return {
    stopped,
    sides: sides.map(({ name }) => ({ name, folders: folders.get(name) ?? [] })),
    comparisons,
    drift: referenceDrift(materials.get(baseName) ?? []),
  }
}

/** After the first run the host and the target are known, and with them the calibration. */
async function refuseIfTooFine(run: RecordedRun | undefined, options: ExperimentOptions): Promise<void> {
  const results = options.sides[0]?.config.results
  if (run === undefined || results === undefined) return
  const margins = { ...recordedMargins(run.record), ...options.margins }
  refuseFineMargins(await readCalibration(results, run.record), margins, options.maxRuns)
}

function compareAll(
  sides: readonly ExperimentSide[],
  materials: ReadonlyMap<string, readonly RecordedRun[]>,
  { margins }: ExperimentOptions,
): readonly Comparison[] {
  const [base, ...others] = sides.map(({ name }) => materials.get(name) ?? [])
  return others.map((side) => {
    const [left, right] = [base?.[0]?.record.contenders[0]?.id, side[0]?.record.contenders[0]?.id]
    const areAlone = base?.[0]?.record.contenders.length === 1 && side[0]?.record.contenders.length === 1
    const pair =
      left === undefined || right === undefined || !areAlone ? undefined : [{ base: left, run: right }]
    const compared = compareSides(base ?? [], side, { margins, isSequential: true, contenders: pair })
    if (!compared.ok) throw compared.failure
    return compared.value
  })
}

function stopAfter(
  pass: number,
  comparisons: readonly Comparison[],
  states: readonly QuestionState[],
  { precision, budgetSeconds, maxRuns, isFixed = false }: ExperimentOptions,
  spentMs: number,
): ExperimentStop | null {
  if (pass >= passesToDecide && !isFixed) {
    if (states.every(({ isOpen }) => !isOpen)) {
      return states.some(({ isBeyondRuns }) => isBeyondRuns) ? 'corpus' : 'resolved'
    }
    const latencies = comparisons.flatMap(({ contenders }) =>
      contenders.flatMap(({ speed }) => speed.filter(({ metric }) => metric === 'latency')),
    )
    const isPrecise = ({ interval }: (typeof latencies)[number]): boolean =>
      precision !== null && interval !== null && (interval.high - interval.low) / 2 <= precision
    if (latencies.length > 0 && latencies.every(isPrecise)) return 'precision'
  }
  // Another pass would take about as long as those before.
  if (spentMs / 1000 + spentMs / 1000 / pass > budgetSeconds) return 'budget'
  return pass >= maxRuns ? 'runs' : null
}

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

function tooFewPairs(stopped: ExperimentStop): BenchError {
  const hint = 'calibrate again with the same command'
  return stopped === 'interrupted'
    ? runErrors.make('STOPPED_EARLY', {
        message: 'interrupted before two pairs of runs were complete; nothing was stored',
        hint,
      })
    : runErrors.make('RUN_NOT_VALID', {
        message: 'fewer than two pairs of runs are valid; nothing was stored',
        hint: `see why: transcribench report latest; then ${hint}`,
      })
}

async function usablePairs([base, run]: Experiment['sides']) {
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
