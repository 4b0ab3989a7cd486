import type { RunRecord } from '#journal/run-record'
import type { Condition } from '../documents/comparison.ts'
import type { ContenderComparison } from '../documents/contender-comparison.ts'
import type { Evaluation } from '../documents/evaluation.ts'
import type { FindingSeverity } from '../documents/finding.ts'
import type { AppliedCorrections } from '../documents/scoring-identity.ts'
import {
  type HiddenSetting,
  type HostSpeedDifference,
  speedConditions,
} from '../figures/machine/conditions.ts'
import { findingOf, type Observation } from './finding-definition.ts'
import { hostBusy } from './run/host.ts'
import { named } from './wording.ts'

export interface ComparedRun {
  readonly record: RunRecord
  readonly rated: Pick<Evaluation, 'run' | 'validity' | 'findings' | 'instrument'> & {
    /** See `hostBusyText`. */
    readonly busy: string | null
  }
}

export interface ComparisonFacts {
  readonly base: readonly ComparedRun[]
  readonly run: readonly ComparedRun[]
  readonly contenders: readonly ContenderComparison[]
  /** Number of verdicts that are adjusted together for multiple comparisons. */
  readonly comparisonCount: number
  readonly conditions: readonly Condition[]
  /** Settings that differ and appear in no table. */
  readonly hiddenSettings: readonly HiddenSetting[]
  /** Why speeds get no verdict; null where they do. */
  readonly withheld: string | null
  /** Null where the machines of both sides were equally fast, or where that is unknown. */
  readonly hostSpeed: HostSpeedDifference | null
  /** Utterances with different audio or another reference under the same id. */
  readonly leftOutIds: readonly string[]
  /** Corrections in the references of the other side's last run; null where none were requested. */
  readonly corrections: AppliedCorrections | null
}

const comparisonFinding = findingOf<ComparisonFacts>()

function describeDifference({ key, base, run }: HiddenSetting): string {
  return `${key} ${base} → ${run}`
}

export const conditionsDiffer = comparisonFinding(
  'CONDITIONS_DIFFER',
  'warning',
  ({ base, run, conditions, withheld }) => {
    const records = [...base, ...run].map(({ record }) => record)
    const varied = Object.entries(speedConditions).flatMap(([key, describe]) =>
      new Set(records.map(describe)).size > 1 ? [key] : [],
    )
    const differing = conditions.filter(({ key }) => varied.includes(key))
    if (differing.length === 0) return []
    const effect = withheld === null ? 'speed figures also compare conditions' : 'speeds get no verdict'
    return { message: `${effect}: ${differing.map(describeDifference).join('; ')}` }
  },
)

/** HOST_BUSY of a comparison: runs that are excluded from speeds because their machine was busy. */
export const hostBusyOfSides = comparisonFinding(hostBusy.code, hostBusy.severity, ({ base, run }) => {
  const all = [...base, ...run].map(({ rated }) => rated)
  const busyIds = all.filter(({ busy }) => busy !== null).map(({ run: { id } }) => id)
  if (busyIds.length === 0) return []
  return {
    message: `the machine was busy in ${busyIds.length} of ${all.length} runs, which are excluded from speeds: ${named(busyIds)}`,
    advice: 'close other work and measure again',
  }
})

export const hostSpeedDiffers = comparisonFinding('HOST_SPEED_DIFFERS', 'warning', ({ hostSpeed }) => {
  if (hostSpeed === null) return []
  const { ratio, base, run } = hostSpeed
  const pace =
    ratio < 1
      ? `${Math.round((1 - ratio) * 100)}% slower in the run than in the base`
      : `${Math.round((1 - 1 / ratio) * 100)}% slower in the base than in the run`
  const integers = `${Math.round(base.integerMillionsPerSecond)} → ${Math.round(run.integerMillionsPerSecond)}`
  const floats = `${base.floatBillionsPerSecond.toFixed(2)} → ${run.floatBillionsPerSecond.toFixed(2)}`
  return {
    message: `speeds get no verdict: the machine itself was ${pace} (million integer steps a second ${integers}, billion float operations ${floats})`,
    advice: 'measure both sides interleaved: transcribench experiment',
  }
})

export const oneRunASide = comparisonFinding('ONE_RUN_A_SIDE', 'note', ({ base, run, contenders }) => {
  if (Math.max(base.length, run.length) > 1) return []
  const isCalibrated = contenders.some(({ speed }) => speed.some(({ basis }) => basis === 'calibration'))
  return {
    message: isCalibrated
      ? 'speed is descriptive only: of one run a side, the intervals rest on the calibration of this host'
      : 'speed is descriptive only: one run a side says nothing about the spread between runs',
    advice: 'transcribench experiment',
  }
})

export const settingsDiffer = comparisonFinding('SETTINGS_DIFFER', 'warning', ({ hiddenSettings }) => {
  if (hiddenSettings.length === 0) return []
  return { message: `also different: ${named(hiddenSettings.map(describeDifference))}` }
})

export const settingsUnknown = comparisonFinding('SETTINGS_UNKNOWN', 'note', ({ base, run }) => {
  const sides = [
    ...(base.some(areSettingsUnknown) ? ['the base'] : []),
    ...(run.some(areSettingsUnknown) ? ['the run'] : []),
  ].join(' and ')
  if (sides === '') return []
  return {
    message: `threads, quantisation and concurrency of the service are not known in ${sides}: it does not report them`,
  }
})

/** Whether the settings of a run's service are unknown: we did not start it, and it does not report them. */
function areSettingsUnknown({ record: { target } }: ComparedRun): boolean {
  return target.kind !== 'embedded' && target.health?.service_settings === undefined
}

export const sideNotValid = comparisonFinding('SIDE_NOT_VALID', 'invalid', (facts) =>
  runsWith('invalid', 'is not valid by itself', facts),
)

export const sideDecisive = comparisonFinding('SIDE_DECISIVE', 'decisive', (facts) =>
  runsWith('decisive', 'does not show the engine alone', facts),
)

function runsWith(severity: FindingSeverity, problem: string, { base, run }: ComparisonFacts): Observation[] {
  const ofSide = (name: 'base' | 'run', side: readonly ComparedRun[]): Observation[] =>
    side.flatMap(({ rated }) => {
      const reasons = rated.findings.filter((finding) => finding.severity === severity)
      if (reasons.length === 0) return []
      const which = side.length === 1 ? `the ${name}` : `${rated.run.id}, on the side of the ${name},`
      return [{ message: `${which} ${problem}: ${reasons.map(({ message }) => message).join('; ')}` }]
    })
  return [...ofSide('base', base), ...ofSide('run', run)]
}

export const utterancesLeftOut = comparisonFinding('UTTERANCES_LEFT_OUT', 'warning', ({ leftOutIds }) => {
  if (leftOutIds.length === 0) return []
  return {
    message: `${leftOutIds.length} with different audio or references excluded: ${named(leftOutIds)}`,
    advice: 'transcribench corpus verify',
  }
})

export const verdictsShareConfidence = comparisonFinding(
  'VERDICTS_SHARE_CONFIDENCE',
  'note',
  ({ base, run, comparisonCount }) => {
    if (comparisonCount < 2 || Math.min(base.length, run.length) < 2) return []
    return {
      message: `the intervals and verdicts of ${comparisonCount} differences are adjusted for multiple comparisons: a single one would have a narrower interval`,
    }
  },
)
