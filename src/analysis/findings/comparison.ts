import type { RunRecord } from '#journal/run-record'
import type { HostSpeedDifference } from '../comparison/conditions.ts'
import type { Condition } from '../documents/comparison.ts'
import type { ContenderComparison } from '../documents/contender-comparison.ts'
import type { Evaluation } from '../documents/evaluation.ts'
import type { FindingSeverity } from '../documents/finding.ts'
import type { AppliedCorrections } from '../documents/scoring-identity.ts'
import type { FindingDetector, Observation } from './finding-definition.ts'
import { hostBusy } from './run/host.ts'
import { named } from './wording.ts'

export type ComparisonFinding = FindingDetector<ComparisonFacts>

export interface ComparedRun {
  readonly record: RunRecord
  readonly rated: Pick<Evaluation, 'run' | 'validity' | 'findings' | 'instrument'> & {
    /** See `hostBusyText`. */
    readonly busy: string | null
  }
}

/** What the findings of a comparison are read from. */
export interface ComparisonFacts {
  readonly base: readonly ComparedRun[]
  readonly run: readonly ComparedRun[]
  readonly contenders: readonly ContenderComparison[]
  /** Verdicts that are adjusted together for multiple comparisons. */
  readonly comparisonCount: number
  readonly conditions: readonly Condition[]
  /** Settings that differ and are in no table. */
  readonly hiddenSettings: readonly { readonly key: string; readonly base: string; readonly run: string }[]
  /** Why speeds get no verdict; null where they do. */
  readonly withheld: string | null
  /** Null where the machine was as fast on both sides, or that is not known. */
  readonly hostSpeed: HostSpeedDifference | null
  /** Utterances with different audio or another reference under the same id. */
  readonly leftOutIds: readonly string[]
  /** What was corrected in the references of the other side's last run; null where nothing was asked for. */
  readonly corrections: AppliedCorrections | null
}

/** Of the conditions that a comparison shows, those that a speed depends on. */
const ofSpeed: readonly string[] = ['load', 'machine', 'target']

export const conditionsDiffer = {
  code: 'CONDITIONS_DIFFER',
  severity: 'warning',
  detect: ({ conditions, withheld }) => {
    const differing = conditions.filter(
      ({ key, base, run }) => (base !== run || base.includes(' or ')) && ofSpeed.includes(key),
    )
    if (differing.length === 0) return []
    const effect = withheld === null ? 'speed figures also compare conditions' : 'speeds get no verdict'
    const which = differing.map(({ key, base, run }) => `${key} ${base} → ${run}`).join('; ')
    return [{ message: `${effect}: ${which}` }]
  },
} satisfies ComparisonFinding

/** HOST_BUSY of a comparison: runs that are excluded from speeds, because the machine was busy. */
export const hostBusyOfSides = {
  ...hostBusy,
  detect: ({ base, run }) => {
    const all = [...base, ...run].map(({ rated }) => rated)
    const busyIds = all.filter(({ busy }) => busy !== null).map(({ run: { id } }) => id)
    if (busyIds.length === 0) return []
    return {
      message: `the machine was busy in ${busyIds.length} of ${all.length} runs, which are excluded from speeds: ${named(busyIds)}`,
      advice: 'close other work and measure again',
    }
  },
} satisfies ComparisonFinding

export const hostSpeedDiffers = {
  code: 'HOST_SPEED_DIFFERS',
  severity: 'warning',
  detect: ({ hostSpeed }) => {
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
  },
} satisfies ComparisonFinding

export const oneRunASide = {
  code: 'ONE_RUN_A_SIDE',
  severity: 'note',
  detect: ({ base, run, contenders }) => {
    if (Math.max(base.length, run.length) > 1) return []
    const isCalibrated = contenders.some(({ speed }) => speed.some(({ basis }) => basis === 'calibration'))
    return {
      message: isCalibrated
        ? 'speed is descriptive only: of one run a side, the intervals rest on the calibration of this host'
        : 'speed is descriptive only: one run a side says nothing about the spread between runs',
      advice: 'transcribench experiment',
    }
  },
} satisfies ComparisonFinding

export const settingsDiffer = {
  code: 'SETTINGS_DIFFER',
  severity: 'warning',
  detect: ({ hiddenSettings }) =>
    hiddenSettings.length === 0
      ? []
      : [
          {
            message: `also different: ${named(hiddenSettings.map(({ key, base, run }) => `${key} ${base} → ${run}`))}`,
          },
        ],
} satisfies ComparisonFinding

export const settingsUnknown = {
  code: 'SETTINGS_UNKNOWN',
  severity: 'note',
  detect: ({ base, run }) => {
    const sides = [
      ...(base.some(areSettingsUnknown) ? ['the base'] : []),
      ...(run.some(areSettingsUnknown) ? ['the run'] : []),
    ].join(' and ')
    if (sides === '') return []
    return {
      message: `threads, quantisation and concurrency of the service are not known in ${sides}: it does not report them`,
    }
  },
} satisfies ComparisonFinding

/** Whether a run's service is not ours to start and does not say how it was started: equal or not is unknown. */
function areSettingsUnknown({ record: { target } }: ComparedRun): boolean {
  return target.kind !== 'embedded' && target.health?.service_settings === undefined
}

export const sideNotValid = {
  code: 'SIDE_NOT_VALID',
  severity: 'invalid',
  detect: (facts) => runsWith('invalid', 'is not valid by itself', facts),
} satisfies ComparisonFinding

export const sideDecisive = {
  code: 'SIDE_DECISIVE',
  severity: 'decisive',
  detect: (facts) => runsWith('decisive', 'does not show the engine alone', facts),
} satisfies ComparisonFinding

/** The runs that have findings of a severity, with these. */
function runsWith(severity: FindingSeverity, what: string, { base, run }: ComparisonFacts): Observation[] {
  const ofSide = (name: 'base' | 'run', side: readonly ComparedRun[]): Observation[] =>
    side.flatMap(({ rated }) => {
      const reasons = rated.findings.filter((finding) => finding.severity === severity)
      if (reasons.length === 0) return []
      const which = side.length === 1 ? `the ${name}` : `${rated.run.id}, on the side of the ${name},`
      return [{ message: `${which} ${what}: ${reasons.map(({ message }) => message).join('; ')}` }]
    })
  return [...ofSide('base', base), ...ofSide('run', run)]
}

export const utterancesLeftOut = {
  code: 'UTTERANCES_LEFT_OUT',
  severity: 'warning',
  detect: ({ leftOutIds }) =>
    leftOutIds.length === 0
      ? []
      : [
          {
            message: `${leftOutIds.length} with different audio or references excluded: ${named(leftOutIds)}`,
            advice: 'transcribench corpus verify',
          },
        ],
} satisfies ComparisonFinding

export const verdictsShareConfidence = {
  code: 'VERDICTS_SHARE_CONFIDENCE',
  severity: 'note',
  detect: ({ base, run, comparisonCount }) =>
    comparisonCount > 1 && Math.min(base.length, run.length) > 1
      ? [
          {
            message: `the intervals and verdicts of ${comparisonCount} differences are adjusted for multiple comparisons: a single one would have a narrower interval`,
          },
        ]
      : [],
} satisfies ComparisonFinding
