import { z } from 'zod'
import { calibrateRuns } from '#analysis/comparison/calibrate-runs'
import { compareSides } from '#analysis/comparison/compare-runs'
import { type QuestionState, questionState } from '#analysis/comparison/verdicts'
import type { Comparison } from '#analysis/documents/comparison'
import type { Experiment, ExperimentStop } from '#analysis/documents/experiment'
import { referenceDrift } from '#analysis/figures/machine/drift'
import { calibrationSchema, resolutionSchema } from '#analysis/figures/speed/calibration'
import { type Margins, recordedMargins, refuseFineMargins } from '#analysis/figures/speed/margins'
import type { BenchConfig } from '#config/bench-config'
import { type RecordedRun, readRun } from '#journal/run-reader'
import { systemClock } from '#load/clock'
import { BenchError, type DeepReadonly, seededRandom } from '#prelude'
import { readCalibration, readCalibrations, storeCalibration } from '#results/calibrations'
import { readRunSummary } from '#results/summaries'
import { runErrors } from './execute/errors.ts'
import { measure } from './measure.ts'
import { abbaOrder } from './plan/order.ts'
import type { MeasureEvent, MeasureOptions } from './prepare-run.ts'

/** One side of an experiment with its config: a build, a target or a contender. */
export interface ExperimentSide {
  /** Unique among the sides. */
  readonly name: string
  readonly config: BenchConfig
}

export interface ExperimentOptions extends Omit<MeasureOptions, 'config' | 'onEvent'> {
  /** At least two sides; each further side is compared with the first. */
  readonly sides: readonly ExperimentSide[]
  readonly margins?: Partial<Margins> | undefined
  /** Half-width of the latency's interval, as a share, at which the experiment stops; null for never. */
  readonly precision: number | null
  /** No further pass begins if it would probably exceed this time. */
  readonly budgetSeconds: number
  /** Whether every side has exactly `maxRuns` runs, whatever the intermediate results. */
  readonly isFixed?: boolean
  /** Maximum number of runs of each side. */
  readonly maxRuns: number
  /** Quiet time before every run. */
  readonly coolDownSeconds: number
  readonly seed: number
  readonly onEvent?: (event: ExperimentEvent) => void
}

export type ExperimentEvent =
  | { readonly kind: 'run'; readonly side: string; readonly position: number; readonly pass: number }
  | { readonly kind: 'look'; readonly runCount: number; readonly comparisons: readonly Comparison[] }
  | { readonly kind: 'measure'; readonly side: string; readonly event: MeasureEvent }

/** Minimum number of passes before an experiment may stop early. */
const passesToDecide = 5

/**
 * Measures two or more sides interleaved, in randomised ABBA order. Each run has its own process of the built-in
 * service, if that is the target. It stops when errors, failures, latency and tail latency of every further side have
 * a verdict. The intervals hold at every look, so looking after each pass is no bias.
 *
 * @throws BenchError MARGIN_TOO_FINE if a calibration shows that the runs cannot resolve the margin, and the errors
 * of `measure`; completed runs remain on disk
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
        // If a run cannot begin, the results of the earlier runs are kept.
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

/** Refuses margins below the calibrated resolution. Host and target are known only after the first run. */
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
    const [baseId, runId] = [base?.[0]?.record.contenders[0]?.id, side[0]?.record.contenders[0]?.id]
    const areAlone = base?.[0]?.record.contenders.length === 1 && side[0]?.record.contenders.length === 1
    const pair =
      baseId === undefined || runId === undefined || !areAlone ? undefined : [{ base: baseId, run: runId }]
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
  // The estimate for another pass is the mean duration of the passes so far.
  if (spentMs / 1000 + spentMs / 1000 / pass > budgetSeconds) return 'budget'
  return pass >= maxRuns ? 'runs' : null
}

export interface CalibrateOptions
  extends Pick<ExperimentOptions, 'clock' | 'command' | 'env' | 'stop' | 'drop'> {
  /** Config whose first contender is compared with itself. */
  readonly config: BenchConfig
  /** Number of pairs of runs, at least 2; ten give a better estimate. */
  readonly pairCount: number
  readonly coolDownSeconds: number
  readonly onEvent?: (event: ExperimentEvent) => void
}

/** Schema of the output of `transcribench calibrate --json`. */
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
 * Measures one contender against itself, in ABBA order, and stores the differences between equal runs for this host
 * and target. Incomplete pairs of an interrupted calibration, and invalid pairs, are omitted.
 *
 * @throws BenchError STOPPED_EARLY, RUN_NOT_VALID, CALIBRATIONS_UNREADABLE, and the errors of `measure`
 */
export async function calibrate(options: CalibrateOptions): Promise<StoredCalibration> {
  const { pairCount, ...rest } = options
  // The file is read before hours of measuring, because an unreadable one could not be written at the end.
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
  return left.flatMap((leftRun, index) => {
    const rightRun = right[index] ?? null
    return leftRun === null || rightRun === null ? [] : [{ base: leftRun, run: rightRun }]
  })
}

/** A run for a calibration; null if it was interrupted or is invalid, as after the loss of its target. */
async function readUsable(folder: string): Promise<RecordedRun | null> {
  const [run, summary] = await Promise.all([readRun(folder), readRunSummary(folder)])
  return run.record.status === 'interrupted' || summary?.validity === 'invalid' ? null : run
}
