import { type Comparison, comparisonFormatVersion } from '../documents/comparison.ts'
import { type Finding, type FindingCode, finding } from '../documents/finding.ts'
import type { AppliedCorrections } from '../documents/scoring-identity.ts'
import type { HostSpeedDifference } from '../figures/host-speed.ts'
import { hostBusyText } from '../findings/host-findings.ts'
import { correctionFindings } from '../findings/text-findings.ts'
import { named } from '../findings/wording.ts'
import type { TranscriptScorer } from '../requests/transcript-scorer.ts'
import { familyConfidence, type SettledComparisons } from './adjust-verdicts.ts'
import type { KeptRun } from './comparable-run.ts'
import { conditionsOf } from './conditions.ts'
import { areSettingsUnknown, hiddenSettings } from './hidden-settings.ts'
import { idsOf, type UtteranceMatch } from './match-utterances.ts'

export interface ComparisonParts {
  readonly scorer: TranscriptScorer
  readonly seed: number
  readonly match: UtteranceMatch
  readonly settled: SettledComparisons
  readonly withheld: string | null
  readonly hostSpeed: HostSpeedDifference | null
  readonly ranking: Comparison['ranking']
  /** What was corrected in the references of the other side's last run; null where nothing was asked for. */
  readonly corrected: AppliedCorrections | null
}

/** Puts a comparison together from its parts. */
export function comparisonDocument(
  base: readonly KeptRun[],
  run: readonly KeptRun[],
  parts: ComparisonParts,
): Comparison {
  const { scorer, seed, settled, ranking } = parts
  const { contenders, comparisonCount } = settled
  const [left, right] = [latestOf(base), latestOf(run)]
  const pairedIds = {
    base: new Set(contenders.map(({ baseContenderId }) => baseContenderId)),
    run: new Set(contenders.map(({ runContenderId }) => runContenderId)),
  }
  const conditions = conditionsOf(recordsOf(base), recordsOf(run), {
    base: left.record.contenders.filter(({ id }) => pairedIds.base.has(id)),
    run: right.record.contenders.filter(({ id }) => pairedIds.run.has(id)),
  })
  const unpairedOf = (side: 'base' | 'run', { record }: KeptRun): Comparison['unpairedContenders'] =>
    record.contenders.filter(({ id }) => !pairedIds[side].has(id)).map(({ id }) => ({ side, id }))
  return {
    formatVersion: comparisonFormatVersion,
    base: comparedSide(base),
    run: comparedSide(run),
    profile: scorer.profile,
    seed,
    conditions,
    findings: comparisonFindings(base, run, conditions, parts),
    family: { confidence: familyConfidence, comparisonCount },
    contenders,
    ranking,
    unpairedContenders: [...unpairedOf('base', left), ...unpairedOf('run', right)],
  }
}

function recordsOf(side: readonly KeptRun[]): KeptRun['record'][] {
  return side.map(({ record }) => record)
}

/** Whose contenders stand for the side. */
function latestOf(side: readonly KeptRun[]): KeptRun {
  const latest = side.at(-1)
  if (latest === undefined) throw new RangeError('a side of a comparison needs a run')
  return latest
}

function comparedSide(side: readonly KeptRun[]): Comparison['base'] {
  const runs = side.map(({ rated: { run, validity } }) => ({
    id: run.id,
    startedAt: run.startedAt,
    validity,
  }))
  const [first] = runs
  if (first === undefined) throw new RangeError('a side of a comparison needs a run')
  const isValid = runs.every(({ validity }) => validity === 'valid')
  return { ...first, validity: isValid ? 'valid' : 'invalid', runs }
}

function comparisonFindings(
  base: readonly KeptRun[],
  run: readonly KeptRun[],
  conditions: Comparison['conditions'],
  { match, withheld, hostSpeed, settled, corrected }: ComparisonParts,
): readonly Finding[] {
  const leftOut = idsOf([...match.differentAudio, ...match.differentReference])
  const differing = conditions.filter(
    ({ key, base: ours, run: theirs }) =>
      (ours !== theirs || ours.includes(' or ')) && ['load', 'machine', 'target'].includes(key),
  )
  const hidden = hiddenSettings(recordsOf(base), recordsOf(run))
  const untold = [
    recordsOf(base).some(areSettingsUnknown) ? ['the base'] : [],
    recordsOf(run).some(areSettingsUnknown) ? ['the run'] : [],
  ].flat()
  const runCount = Math.min(base.length, run.length)
  return [
    ...invalidSides('base', base),
    ...invalidSides('run', run),
    ...correctionFindings(corrected),
    ...found(leftOut.length > 0, 'UTTERANCES_LEFT_OUT', {
      what: `${leftOut.length} with different audio or references left out: ${named(leftOut)}`,
      advice: 'transcribench corpus verify',
    }),
    ...found(differing.length > 0, 'CONDITIONS_DIFFER', {
      what:
        (withheld === null ? 'speed figures also compare conditions' : 'speeds are not judged') +
        `: ${differing.map((one) => `${one.key} ${one.base} → ${one.run}`).join('; ')}`,
    }),
    ...hostSpeedFindings(hostSpeed),
    ...found(hidden.length > 0, 'SETTINGS_DIFFER', {
      what: `also different: ${named(hidden.map((one) => `${one.key} ${one.base} → ${one.run}`))}`,
    }),
    ...found(untold.length > 0, 'SETTINGS_UNKNOWN', {
      what: `threads, quantisation and places of the service are not known in ${untold.join(' and ')}: it does not tell them`,
    }),
    ...busyFindings(base, run),
    ...found(Math.max(base.length, run.length) === 1, 'ONE_RUN_A_SIDE', {
      what: settled.contenders.some(({ speed }) => speed.some(({ basis }) => basis === 'calibration'))
        ? 'speed is descriptive only: of one run a side, the intervals rest on the calibration of this host'
        : 'speed is descriptive only: one run a side says nothing about the spread between runs',
      advice: 'transcribench experiment',
    }),
    ...found(settled.comparisonCount > 1 && runCount > 1, 'VERDICTS_SHARE_CONFIDENCE', {
      what: `the intervals and verdicts of ${settled.comparisonCount} differences hold together at 95 %: each by itself would be narrower`,
    }),
  ]
}

/** Runs that are in no speed, because other programs kept the machine busy. */
function busyFindings(base: readonly KeptRun[], run: readonly KeptRun[]): readonly Finding[] {
  const all = [...base, ...run]
  const busy = all.filter(
    ({ rated }) => hostBusyText(rated.run.cpuCount, rated.instrument.foreignProcessors) !== null,
  )
  return found(busy.length > 0, 'HOST_BUSY', {
    what: `other programs kept the machine busy in ${busy.length} of ${all.length} runs, which are in no speed: ${named(busy.map(({ rated }) => rated.run.id))}`,
    advice: 'close other work and measure again',
  })
}

function hostSpeedFindings(difference: HostSpeedDifference | null): readonly Finding[] {
  if (difference === null) return []
  const { ratio, base, run } = difference
  const pace =
    ratio < 1
      ? `${Math.round((1 - ratio) * 100)}% slower in the run than in the base`
      : `${Math.round((1 - 1 / ratio) * 100)}% slower in the base than in the run`
  const integers = `${Math.round(base.integerMillionsPerSecond)} → ${Math.round(run.integerMillionsPerSecond)}`
  const floats = `${base.floatBillionsPerSecond.toFixed(2)} → ${run.floatBillionsPerSecond.toFixed(2)}`
  const what = `speeds are not judged: the machine itself was ${pace} (million integer steps a second ${integers}, billion float operations ${floats})`
  return [finding('HOST_SPEED_DIFFERS', what, 'measure both sides in turn: transcribench experiment')]
}

function invalidSides(name: 'base' | 'run', side: readonly KeptRun[]): readonly Finding[] {
  return side.flatMap(({ rated }) => {
    const reasons = rated.findings.filter(({ severity }) => severity === 'invalid')
    const which = side.length === 1 ? `the ${name} run` : `${rated.run.id}, a ${name} run,`
    const what = reasons.map(({ message }) => message).join('; ')
    return found(reasons.length > 0, 'SIDE_NOT_VALID', { what: `${which} is not valid by itself: ${what}` })
  })
}

function found(
  isSo: boolean,
  code: FindingCode,
  { what, advice }: { readonly what: string; readonly advice?: string },
): readonly Finding[] {
  return isSo ? [finding(code, what, advice)] : []
}
