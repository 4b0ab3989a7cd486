import { sumOf } from '#prelude'
import { mean } from '#statistics/quantiles'
import { comparedSpeeds } from '../documents/contender-comparison.ts'
import { evaluateRun } from '../evaluate-run.ts'
import { latencySamples } from '../figures/latency/latency-figures.ts'
import {
  type Calibration,
  findResolution,
  type Resolution,
  type Spreads,
} from '../figures/speed/calibration.ts'
import { defaultMargins, type Margins, recordedMargins } from '../figures/speed/margins.ts'
import type { RunMaterial } from '../requests/resolved-run.ts'
import { type ContenderRun, logLatencies, runFigures, sharedSamples } from './run-speeds.ts'

export interface CalibratedRuns {
  readonly calibration: Calibration
  /** The detectable difference of each metric. */
  readonly resolutions: readonly Resolution[]
}

/**
 * Measures the differences between equal runs: one contender against itself, with as many pairs as runs per side.
 *
 * @param base runs of the contender, in order of time
 * @param run the same number of runs of the same contender
 * @param wanted margins of future verdicts; default: those of the runs' config, or the default ones
 */
export function calibrateRuns(
  base: readonly RunMaterial[],
  run: readonly RunMaterial[],
  wanted: Partial<Margins> = {},
): CalibratedRuns {
  const [first] = base
  const contenderId = first?.record.contenders[0]?.id
  if (first === undefined || contenderId === undefined || base.length !== run.length || base.length < 2) {
    throw new RangeError('a calibration needs two runs a side at least, and as many on both')
  }
  const margins = { ...defaultMargins, ...recordedMargins(first.record), ...wanted }
  const partOf = (material: RunMaterial): ContenderRun => {
    const { contenders, utterances } = evaluateRun(material)
    const evaluation = contenders.find(({ contender }) => contender.id === contenderId)
    if (evaluation === undefined) throw new RangeError(`a run of the calibration lacks ${contenderId}`)
    const rows = utterances.filter((row) => row.contenderId === contenderId)
    return { evaluation, samples: latencySamples(rows), unusable: null }
  }
  const sides = [base.map(partOf), run.map(partOf)] as const
  const [sharedBase, sharedRun] = sharedSamples(sides, new Set(first.utterances.map(({ id }) => id)))
  const [before, after] = [sharedBase.map(runFigures), sharedRun.map(runFigures)]
  const spreads: { -readonly [Metric in keyof Spreads]: Spreads[Metric] } = {}
  const resolutions: Resolution[] = []
  for (const metric of comparedSpeeds) {
    const differences = before.flatMap((figures, pair) => {
      const [baseFigure, runFigure] = [figures[metric], after[pair]?.[metric]]
      return typeof baseFigure === 'number' && typeof runFigure === 'number'
        ? [Math.log(runFigure / baseFigure)]
        : []
    })
    const resolution = findResolution(metric, differences, margins.speed)
    if (resolution === null || differences.length < base.length) continue
    spreads[metric] = { standardDeviation: resolution.standardDeviation, pairCount: differences.length }
    resolutions.push(resolution)
  }
  return {
    calibration: {
      measuredAt: first.record.startedAt,
      contenderId,
      pairCount: base.length,
      spreads,
      utteranceSpread: utteranceSpread([...sharedBase, ...sharedRun]),
    },
    resolutions,
  }
}

/**
 * Returns the run-to-run spread of latency per utterance, without the spread of whole runs. The
 * deviations of n utterances in m runs add up to 0 for every utterance and every run, which leaves (n - 1)(m - 1) degrees
 * of freedom.
 *
 * @param runs have the same utterances
 *
 * @see Fisher 1925, Statistical Methods for Research Workers, 48 (two-way layout)
 */
function utteranceSpread(runs: readonly ContenderRun[]): number | null {
  const byRun = runs.map(({ samples }) => logLatencies(samples))
  const runMeans = byRun.map((latencies) => mean([...latencies.values()]))
  const ids = [...(byRun[0]?.keys() ?? [])]
  const squares = sumOf(ids, (id) => {
    const deviations = byRun.map(
      (latencies, run) => (latencies.get(id) as number) - (runMeans[run] as number),
    )
    const centre = mean(deviations)
    return sumOf(deviations, (value) => (value - centre) ** 2)
  })
  const degrees = (ids.length - 1) * (runs.length - 1)
  return degrees < 1 ? null : Math.sqrt(squares / degrees)
}
