import type { ContenderEvaluation } from '#analysis/documents/contender-evaluation'
import type {
  ContenderDifference,
  Evaluation,
  PooledContender,
  RateDifference,
} from '#analysis/documents/evaluation'
import type { SpeedDifference } from '#analysis/documents/speed'
import type { Interval } from '#rates/documents'
import type { ErrorLevel } from '#scoring/profiles/profile'
import { isDecisive } from '../layout/findings.ts'
import {
  capitalised,
  counted,
  formatCount,
  formatHundredths,
  formatPercent,
  formatTimes,
  incomparableMark,
  marked,
  rateWords,
} from '../layout/units.ts'
import { confidenceText, speedClause, speedSentence, withheldSentence } from './speed-sentences.ts'

/**
 * The result of a run in sentences. An unresolved difference or a decisive finding rules out a winner. Contenders
 * with failed requests or that were given up are named.
 *
 * @returns a few sentences, without line breaks
 */
export function answerSentence(evaluation: Evaluation): string {
  if (evaluation.validity === 'invalid') return invalidSentence(evaluation)
  const figures = `${figuresSentence(evaluation)}${failuresSentence(evaluation)}`
  return [
    figures,
    ...machineSentences(evaluation),
    ...givenUpSentences(evaluation),
    ...hostSentences(evaluation),
  ].join(' ')
}

/** Why the figures are invalid, and the advice; a command at the end has no full stop, so that it can be copied. */
function invalidSentence({ findings }: Evaluation): string {
  const [first, ...others] = findings.filter(({ severity }) => severity === 'invalid')
  if (first === undefined) return 'This run is not valid.'
  const more = others.length === 0 ? '' : ` (and ${counted(others.length, 'more reason')})`
  const advice = first.advice === null ? '' : ` ${capitalised(first.advice)}`
  return `This run is not valid: ${first.message}${more}.${advice}`
}

function machineSentences({ targets = [], speeds }: Evaluation): readonly string[] {
  const machines = Map.groupBy(targets, ({ machine }) => machine)
  if (machines.size < 2 || speeds.pairs.length === 0) return []
  const where = [...machines].map(
    ([machine, group]) => `${group.flatMap(({ contenderIds }) => contenderIds).join(' and ')} on ${machine}`,
  )
  return [`Speeds are those of machines behind their networks: ${where.join(', ')}.`]
}

/** Contenders that were given up; the findings give the reasons. */
function givenUpSentences({ run: { givenUp } }: Evaluation): readonly string[] {
  const when = { warmup: 'in the warm-up', measure: 'while measured' } as const
  return (['warmup', 'measure'] as const).flatMap((phase) => {
    const ids = givenUp.filter((one) => one.phase === phase).map(({ id }) => id)
    return ids.length === 0 ? [] : [`Given up ${when[phase]}: ${ids.join(', ')}.`]
  })
}

function hostSentences({ findings }: Evaluation): readonly string[] {
  return findings.flatMap(({ code, message }) =>
    code === 'HOSTS_FAILED' ? [`${capitalised(message)}.`] : [],
  )
}

function figuresSentence(evaluation: Evaluation): string {
  const { difference, contenders, speeds, profile } = evaluation
  const scored = contenders.filter((contender) => contender[profile.leads].rate !== null)
  const [first] = scored
  if (first === undefined) return 'Nothing was scored, so there is nothing to compare.'
  const [together, ...otherHosts] = evaluation.hosts ?? []
  if (difference === null && together !== undefined && otherHosts.length === 0 && scored.length > 1)
    return hostsSentence(together, evaluation)
  if (difference === null) return scored.length > 1 ? nothingShared : aloneSentence(first, evaluation)
  const { better, worse } = difference
  if (!difference.isResolved) {
    return `${unresolvedSentence(evaluation, difference)}${ofSpeeds(evaluation, difference)}`
  }
  const count = comparedCount(evaluation, difference)
  const rank = count > 2 ? `, the next best of ${count} contenders` : ''
  const { value, interval } = differenceIn(difference, profile.leads)
  const fewer = `${formatHundredths(value * 100)} fewer errors per hundred ${units(profile.leads)} than ${worse}`
  const decisiveCount = evaluation.findings.filter(isDecisive).length
  // A decisive finding makes the meaning of the figures doubtful, so no contender is called better.
  if (decisiveCount > 0)
    return (
      `${better} made ${fewer}${inHundred(interval)}, but ${counted(decisiveCount, 'decisive finding')} ` +
      `${decisiveCount === 1 ? 'changes' : 'change'} what that means, so neither is called better.${ofSpeeds(evaluation, difference)}`
    )
  const accuracy = `${better} makes ${fewer}${rank}${inHundred(interval)}`
  const pair = findPair(evaluation, difference)
  const clause = pair === null ? null : speedClause(pair, speeds, better)
  return clause === null ? `${accuracy}.${ofSpeeds(evaluation, difference)}` : `${accuracy} and ${clause}.`
}

const maxFailing = 3

/** Contenders with failed requests and how many, most first, with a leading blank; empty if there are none. */
function failuresSentence({ contenders, difference }: Evaluation): string {
  const failing = contenders
    .filter(({ counts }) => counts.failed > 0)
    .toSorted((a, b) => (b.failureRate ?? 0) - (a.failureRate ?? 0))
  if (failing.length === 0) return ''
  const listed = failing
    .slice(0, maxFailing)
    .map(({ contender, counts: { failed, answered }, failureRate }) => {
      const share = `${formatCount(failed)} of ${counted(failed + answered, 'request')}`
      return `${contender.id} failed ${share} (${formatPercent(failureRate ?? 0)})`
    })
  const rest = failing.length - listed.length
  const others = rest > 0 ? [`${counted(rest, 'more contender')} failed some`] : []
  const weight = difference === null ? '' : ', which count as empty transcripts'
  return ` ${[...listed, ...others].join(', ')}${weight}.`
}

const nothingShared = 'No utterance was answered by two contenders, so they cannot be compared.'

function differenceIn(
  { wordErrorRate, characterErrorRate }: ContenderDifference,
  leads: ErrorLevel,
): RateDifference {
  const found = leads === 'words' ? wordErrorRate : characterErrorRate
  if (found === null) throw new TypeError('contenders are compared by a rate that they have')
  return found
}

function units(leads: ErrorLevel): string {
  return `${rateWords[leads].unit}s`
}

/** One contender measured by several hosts, which cannot be compared if they shared its utterances. */
function hostsSentence(
  { contenderId, hosts, totalSpeed, ...figures }: PooledContender,
  evaluation: Evaluation,
): string {
  const { leads } = evaluation.profile
  const withheld = withheldSentence(evaluation)
  const { rate, interval } = figures[leads]
  const speed =
    totalSpeed === null ? '' : `; together they transcribe ${speechASecond(totalSpeed, evaluation)}`
  return (
    `${contenderId} makes ${formatHundredths((rate ?? 0) * 100)} errors per hundred ${units(leads)}${inHundred(interval)} ` +
    `on ${hosts.join(' and ')}${speed}.${withheld === null ? '' : ` ${withheld}`}`
  )
}

function speechASecond(speed: number, { speeds }: Evaluation): string {
  return `${marked(formatTimes(speed).replace('×', ''), incomparableMark(speeds))} seconds of speech a second`
}

function aloneSentence(figures: ContenderEvaluation, evaluation: Evaluation): string {
  const { leads } = evaluation.profile
  const { contender, systemSpeed, counts } = figures
  const { rate, interval } = figures[leads]
  const errors = formatHundredths((rate ?? 0) * 100)
  const speed =
    systemSpeed.value === null ? '' : `, and transcribes ${speechASecond(systemSpeed.value, evaluation)}`
  const withheld = withheldSentence(evaluation)
  const part =
    counts.answered === counts.planned ? '' : ` in the ${counted(counts.answered, 'answer')} that it gave`
  return `${contender.id} makes ${errors} errors per hundred ${units(leads)}${part}${inHundred(interval)}${speed}.${withheld === null ? '' : ` ${withheld}`}`
}

/** The number of compared contenders: if hosts shared a corpus, a contender of all hosts counts once. */
function comparedCount({ contenders, hosts }: Evaluation, { better }: ContenderDifference): number {
  return hosts === undefined || contenders.some(({ contender }) => contender.id === better)
    ? contenders.length
    : hosts.length
}

function unresolvedSentence(evaluation: Evaluation, found: ContenderDifference): string {
  const { leads } = evaluation.profile
  const count = comparedCount(evaluation, found)
  const { better, worse, utteranceCount, differingCount } = found
  const { value, interval } = differenceIn(found, leads)
  const names = `${better} and ${worse}`
  const scope = `on ${utteranceCount === 1 ? 'this one utterance' : `these ${counted(utteranceCount, 'utterance')}`}`
  const best = count > 2 ? `, the best two of ${count} contenders,` : ''
  const difference = `${worse} made ${formatHundredths(value * 100)} more errors per hundred ${units(leads)}${moreInHundred(interval)}`
  const isSureOfItself = (interval?.low ?? 0) > 0
  const why =
    differingCount === 0
      ? 'they made the same number of errors'
      : isSureOfItself
        ? `${difference}, but only ${differingCount} differ at all, too few to exclude chance`
        : difference
  return `Accuracy is undecided between ${names}${best} ${scope}: ${why}.`
}

function inHundred(interval: Interval | null): string {
  if (interval === null) return ''
  return ` (${confidenceText(interval)} ${formatHundredths(interval.low * 100)} to ${formatHundredths(interval.high * 100)})`
}

/** The ends of the interval of a difference, which may have either sign. */
function moreInHundred(interval: Interval | null): string {
  if (interval === null) return ''
  const [low, high] = [interval.low, interval.high].map((end) => formatHundredths(Math.abs(end) * 100))
  if (interval.low >= 0) return ` (${confidenceText(interval)} ${low} to ${high} more)`
  const far = interval.high < 0 ? 'fewer' : 'more'
  return ` (${confidenceText(interval)} ${low} fewer to ${high} ${far})`
}

function findPair({ speeds }: Evaluation, { better, worse }: ContenderDifference): SpeedDifference | null {
  const isOfBoth = ({ faster, slower }: SpeedDifference): boolean =>
    [faster, slower].every((id) => id === better || id === worse)
  return speeds.pairs.find(isOfBoth) ?? null
}

/** The speeds of the two best contenders in a sentence with a leading blank; empty if there are none. */
function ofSpeeds(evaluation: Evaluation, difference: ContenderDifference): string {
  const { speeds } = evaluation
  const withheld = withheldSentence(evaluation)
  if (withheld !== null) return ` ${withheld}`
  const pair = findPair(evaluation, difference)
  return pair === null ? '' : ` ${speedSentence(pair, speeds)}`
}
