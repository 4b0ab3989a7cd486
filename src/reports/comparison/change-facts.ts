import type {
  ContenderComparison,
  DurationComparison,
  GroupComparison,
} from '#analysis/documents/contender-comparison'
import { foreign } from '../layout/terminal.ts'
import {
  counted,
  formatChange,
  formatCount,
  formatMilliseconds,
  formatPoints,
  formatProbability,
  formatSeconds,
  signed,
} from '../layout/units.ts'
import { tailText } from './comparison-sentence.ts'

export interface Fact {
  readonly label: string
  readonly text: string
}

const maxNamed = 3
/** With fewer differing utterances no test is significant: the p of 5 is at least 2 / 2⁵, above 0.05. */
const fewestDiffering = 6

export function changeFacts(contender: ContenderComparison): readonly Fact[] {
  return [
    ...fact('slow tail', tailText(contender)),
    ...fact('words', confusionText(contender)),
    ...fact('most moved', groupText(contender.groups)),
    ...fact('tests', testsText(contender)),
    ...fact('by ranks', ranksText(contender)),
    ...fact('text only', textOnlyText(contender)),
    ...fact('failures', failureText(contender)),
    ...fact('by length', contender.speedsWithheld === null ? durationText(contender.byDuration) : null),
    ...fact('crossover', crossoverText(contender)),
  ]
}

function fact(label: string, text: string | null): readonly Fact[] {
  return text === null ? [] : [{ label, text }]
}

/** Words that replaced several others come first; their single confusions are not repeated. */
function confusionText({ confusions, intruders }: ContenderComparison): string | null {
  const inQuotes = (word: string | null): string => (word === null ? 'nothing' : `“${foreign(word)}”`)
  const words = new Set(intruders.map(({ hypothesis }) => hypothesis))
  const changes = [
    ...intruders.map(({ hypothesis, replacedCount, base, run }) => ({
      text: `${inQuotes(hypothesis)} for ${counted(replacedCount, 'word')}`,
      base,
      run,
    })),
    ...confusions
      .filter(
        ({ reference, hypothesis }) => reference === null || hypothesis === null || !words.has(hypothesis),
      )
      .map(({ reference, hypothesis, base, run }) => ({
        text: `${inQuotes(reference)} → ${inQuotes(hypothesis)}`,
        base,
        run,
      })),
  ]
    .toSorted((a, b) => Math.abs(b.run - b.base) - Math.abs(a.run - a.base))
    .slice(0, maxNamed)
    .map(({ text, base, run }) => `${text} ${base} → ${run}×`)
  return changes.length === 0 ? null : changes.join(' · ')
}

/** The groups that changed most. A kind with only one group is omitted, because it repeats the table. */
function groupText(groups: readonly GroupComparison[]): string | null {
  const several = [...Map.groupBy(groups, ({ by }) => by).values()].filter(({ length }) => length > 1).flat()
  const moved = several
    .flatMap((group) =>
      group.difference === null || group.difference === 0 ? [] : [{ ...group, difference: group.difference }],
    )
    .sort((a, b) => Math.abs(b.difference) - Math.abs(a.difference))
    .slice(0, maxNamed)
  if (moved.length === 0) return null
  return moved
    .map(({ by, name, difference, utteranceCount, qValue }) => {
      const q = qValue === null ? '' : `, q ${formatProbability(qValue)}`
      return `${by} ${foreign(name)} ${formatPoints(difference)} (${formatCount(utteranceCount)}${q})`
    })
    .join(' · ')
}

/** The p-value of each test; with several contenders also the one adjusted for all of them. */
function testsText({ significance, betterCount, worseCount }: ContenderComparison): string | null {
  if (significance === null || betterCount + worseCount < fewestDiffering) return null
  const { matchedPairs, wilcoxon, sign, mcnemar, speakers } = significance
  const testText = (name: string, p: number | null): string[] =>
    p === null ? [] : [`${name} ${formatProbability(p)}`]
  const z = matchedPairs === null || matchedPairs.z === null ? '' : ` (Z ${signed(matchedPairs.z, 2)})`
  const together =
    matchedPairs === null || matchedPairs.adjustedPValue === matchedPairs.pValue
      ? ''
      : `, ${formatProbability(matchedPairs.adjustedPValue)} among all contenders`
  return [
    ...testText('matched pairs', matchedPairs?.pValue ?? null).map((text) => `${text}${z}${together}`),
    ...testText('Wilcoxon', wilcoxon),
    ...testText('sign', sign),
    ...testText('McNemar', mcnemar),
    ...(speakers === null ? [] : testText(`${speakers.count} speakers`, speakers.pValue)),
  ]
    .map((text, index) => (index === 0 ? `p: ${text}` : text))
    .join(' · ')
}

/** Rank statistics of the latency alone; those of the other speeds are in the JSON. */
function ranksText({ speed }: ContenderComparison): string | null {
  const ranks = speed.find(({ metric }) => metric === 'latency')?.ranks ?? null
  if (ranks === null) return null
  const { relativeChange, interval, pValue, delta } = ranks
  const range =
    interval === null ? '' : ` (95% ${signed(interval.low * 100, 1)} to ${signed(interval.high * 100, 1)})`
  return `latency ${formatChange(relativeChange)}${range} · Mann-Whitney p ${formatProbability(pValue)} · Cliff’s delta ${signed(delta, 2)}`
}

function textOnlyText({ textOnly, textOnlyCount }: ContenderComparison): string | null {
  if (textOnlyCount === 0) return null
  const rest = textOnlyCount - maxNamed
  const names = textOnly.slice(0, maxNamed).map(foreign).join(', ')
  return `${formatCount(textOnlyCount)} with another text and as many errors: ${names}${rest > 0 ? `, … ${rest} more` : ''}`
}

function failureText({ failureChanges }: ContenderComparison): string | null {
  if (failureChanges.length === 0) return null
  const listed = failureChanges
    .slice(0, maxNamed)
    .map((one) => `${foreign(one.utteranceId)} ${foreign(one.failure)} in ${one.failedIn} only`)
  const rest = failureChanges.length - listed.length
  return `${listed.join(' · ')}${rest > 0 ? ` · … ${rest} more` : ''}`
}

function durationText(buckets: readonly DurationComparison[]): string | null {
  const medians = buckets.flatMap(({ bucket, baseP50Ms, runP50Ms }) =>
    baseP50Ms === null || runP50Ms === null
      ? []
      : [`${bucket} ${formatMilliseconds(baseP50Ms)} → ${formatMilliseconds(runP50Ms)}`],
  )
  return medians.length < 2 ? null : `p50 ${medians.join(' · ')}`
}

/** The crossover of two contenders with different names; two runs of one contender have none. */
function crossoverText(contender: ContenderComparison): string | null {
  const { crossover, baseContenderId, runContenderId } = contender
  if (baseContenderId === runContenderId) return null
  const nameOf = (which: 'first' | 'second'): string =>
    foreign(which === 'first' ? baseContenderId : runContenderId)
  switch (crossover.kind) {
    case 'at': {
      const { audioSeconds, interval, fasterBelow } = crossover
      const range =
        interval === null ? '' : ` (95% ${formatSeconds(interval.low)} to ${formatSeconds(interval.high)})`
      return `${nameOf(fasterBelow)} is faster up to ${formatSeconds(audioSeconds)} of audio${range}, the other beyond`
    }
    case 'none':
      return `none: ${nameOf(crossover.faster)} is faster at every measured length`
    case 'unresolved':
      return `unresolved: ${crossover.reason}`
  }
}
