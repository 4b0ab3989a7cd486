import { fewestReplaced } from '#analysis/comparison/what-changed'
import type { ContenderEvaluation } from '#analysis/documents/contender-evaluation'
import type { Evaluation } from '#analysis/documents/evaluation'
import type { FindingSeverity } from '#analysis/documents/finding'
import type { SystemSpeed } from '#analysis/documents/speed'
import { sumOf } from '#prelude'
import { rateMetrics } from '#scoring/counts'
import { defaultProfile } from '#scoring/profiles/index'
import type { Confusion } from '#scoring/shapes'
import { smallestSampleForQuantile } from '#statistics/quantiles'
import { foreign, labelled, paint, type Terminal } from '../layout/terminal.ts'
import {
  counted,
  fixed,
  formatCount,
  formatDollars,
  formatMilliseconds,
  formatPercent,
  pathologyNames,
  rateWords,
  shortened,
} from '../layout/units.ts'
import { findHeader } from './contender-tables.ts'
import { isLoadTimed, sentFact } from './details/load-details.ts'
import { countUtterances, describeScore, unnamedLanguage, writtenWords } from './provenance.ts'

/** Width of the labels of a summary, in columns of the terminal. */
export const labelWidth = 13

/** Conditions that do not differ between contenders, and so need no column. */
export function sharedFacts(evaluation: Evaluation): string {
  const { contenders, load, profile, corpus, rounds } = evaluation
  const { unit } = rateWords[profile.leads]
  const [score, ...corrected] = describeScore(evaluation)
  const isWhole = contenders.every(({ counts }) => counts.answered === rounds * corpus.utteranceCount)
  const facts = [
    ...answeredFact(contenders, { rounds, utteranceCount: corpus.utteranceCount }),
    ...(contenders.every(({ counts }) => counts.failed === 0) ? ['none failed'] : []),
    ...shared(contenders.map((contender) => contender[profile.leads].referenceLength)).map((length) =>
      rounds > 1 && isWhole && length % rounds === 0
        ? `${counted(length / rounds, unit)} × ${rounds} rounds`
        : counted(length, unit),
    ),
    ...spentFact(contenders),
    corpus.sampledFrom == null
      ? `corpus ${foreign(corpus.name)}`
      : `a sample of ${foreign(corpus.name)}, ${countUtterances(corpus)}`,
    `${foreign(score ?? '')}${readAs(evaluation)}`,
    ...corrected,
    load.description,
    ...shared(contenders.map((contender) => sentFact(contender).join())).filter((fact) => fact !== ''),
  ]
  return facts.join(' · ')
}

/** The origin of a default profile: the detected language or none, and how to set another one. */
function readAs({ corpus: { writtenLanguage }, profile }: Evaluation): string {
  if (writtenLanguage === undefined || defaultProfile(writtenLanguage).id !== profile.id) return ''
  return ` (${writtenLanguage === null ? unnamedLanguage : writtenWords(writtenLanguage)})`
}

/** Total cost of the run by the prices of its config, warm-up and repeats included. */
function spentFact(contenders: readonly ContenderEvaluation[]): readonly string[] {
  const priced = contenders.flatMap(({ cost }) => (cost === null ? [] : [cost.usd]))
  const usd = sumOf(priced, (one) => one)
  return priced.length === 0 ? [] : [`${formatDollars(usd)} USD spent`]
}

function answeredFact(
  contenders: readonly ContenderEvaluation[],
  { rounds, utteranceCount }: { readonly rounds: number; readonly utteranceCount: number },
): readonly string[] {
  const isOncePerUtterance = contenders.every(({ counts }) => counts.planned === utteranceCount)
  // A load with a fixed duration may end within a pass over the corpus.
  const isWhole = contenders.every(({ counts }) => counts.planned === rounds * utteranceCount)
  const unit =
    rounds > 1 && isWhole ? `requests in ${rounds} rounds` : isOncePerUtterance ? 'utterances' : 'requests'
  return shared(
    contenders.map(
      ({ counts }) =>
        `${formatCount(counts.answered)} of ${formatCount(counts.planned)} ${unit} answered and scored`,
    ),
  )
}

/** The value that all have; empty if they differ. */
function shared<Value>(values: readonly Value[]): readonly Value[] {
  const distinct = [...new Set(values)]
  return distinct.length === 1 ? distinct : []
}

export function verdictLine(evaluation: Evaluation, terminal: Terminal): string {
  const { validity, missing } = evaluation
  const short = [...new Set(missing.map(({ metric }) => metric))].map((metric) => {
    const more = Math.max(...missing.filter((one) => one.metric === metric).map((one) => one.moreRequests))
    return `${metric === 'rtfx' ? 'speed' : metric} needs ${counted(more, 'more answered request')}${evaluation.contenders.length > 1 ? ' of each contender' : ''}`
  })
  const countOf = (severity: FindingSeverity): number =>
    evaluation.findings.filter((finding) => finding.severity === severity).length
  const [decisiveCount, warningCount] = [countOf('decisive'), countOf('warning')]
  const words = [
    validity.toUpperCase(),
    ...(validity === 'short' ? short : []),
    ...(decisiveCount === 0 ? [] : [counted(decisiveCount, 'decisive finding')]),
    ...(warningCount === 0 ? [] : [counted(warningCount, 'warning')]),
  ]
  return labelled('verdict', words.join(' · '), labelWidth, terminal)
}

export function partialNotice({ run, contenders }: Evaluation, terminal: Terminal): readonly string[] {
  if (run.status === 'finished') return []
  const sum = (count: (counts: ContenderEvaluation['counts']) => number): string =>
    formatCount(sumOf(contenders, ({ counts }) => count(counts)))
  const done = sum(({ answered, failed }) => answered + failed)
  const partial = `partial result: ${done} of ${sum(({ planned }) => planned)} requests were carried out`
  return [paint(`  ${partial}`, 'caution', terminal)]
}

/** Unrecorded figures are omitted. */
export function instrumentParts({ instrument, contenders, load, run }: Evaluation): readonly string[] {
  const { sendLagMs, loopDelayMaxMs, foreignProcessors } = instrument
  const freeShares = contenders.flatMap(({ systemSpeed: speed }) =>
    speed.value === null || load.concurrency === null
      ? []
      : [Math.max(0, 1 - speed.meanInFlight / speed.predictedInFlight)],
  )
  return [
    sendLagMs === null ? [] : [`send lag p99 ${formatMilliseconds(Math.max(0, sendLagMs.p99))}`],
    loopDelayMaxMs === null ? [] : [`event-loop stall max ${formatMilliseconds(loopDelayMaxMs)}`],
    foreignProcessors === null
      ? []
      : [
          `other programs used ${fixed(foreignProcessors, 1)} of ${counted(run.machineCpuCount ?? run.cpuCount, 'processor')}`,
        ],
    freeShares.length === 0 ? [] : [`load kept within ${formatPercent(Math.max(...freeShares))}`],
  ].flat()
}

const confusionsShown = 3
/** Maximum length of a phrase in characters. */
const longest = 60

/**
 * The most frequent phrase confusions over all contenders and rounds, in words: `"cluster" → "classer" 3 times`. One
 * word that replaces several others is summed over them: `"uh" for 14 words 37 times`.
 */
export function frequentConfusions(evaluation: Evaluation): readonly string[] {
  const counts = new Map<string, { readonly confusion: Confusion; count: number }>()
  for (const confusion of gatherConfusions(evaluation, 'phrases')) {
    const key = JSON.stringify([confusion.reference, confusion.hypothesis])
    const entry = counts.get(key) ?? { confusion, count: 0 }
    entry.count += confusion.count
    counts.set(key, entry)
  }
  const replacing = wordsForSeveral(gatherConfusions(evaluation, 'words'))
  const others = [...counts.values()].filter(
    ({ confusion: { hypothesis, reference } }) =>
      reference === null || hypothesis === null || !replacing.has(hypothesis),
  )
  const lines = [
    ...others.map(({ confusion, count }) => ({ text: describeConfusion(confusion), count })),
    ...[...replacing].map(([word, { references, count }]) => ({
      text: `${quoted(word)} for ${counted(references.size, 'word')}`,
      count,
    })),
  ]
  return lines
    .filter(({ count }) => count > 1)
    .sort((a, b) => b.count - a.count)
    .slice(0, confusionsShown)
    .map(({ text, count }) => `${text} ${counted(count, 'time')}`)
}

function gatherConfusions({ errorAnalyses }: Evaluation, level: 'words' | 'phrases'): readonly Confusion[] {
  return errorAnalyses.flatMap(({ confusions }) => {
    const { substitutions, deletions, insertions } = confusions[level]
    return [...substitutions, ...deletions, ...insertions]
  })
}

function wordsForSeveral(
  words: readonly Confusion[],
): ReadonlyMap<string, { readonly references: ReadonlySet<string>; readonly count: number }> {
  const found = new Map<string, { readonly references: Set<string>; count: number }>()
  for (const { reference, hypothesis, count } of words) {
    if (reference === null || hypothesis === null) continue
    const entry = found.get(hypothesis) ?? { references: new Set<string>(), count: 0 }
    entry.references.add(reference)
    entry.count += count
    found.set(hypothesis, entry)
  }
  return new Map([...found].filter(([, { references }]) => references.size >= fewestReplaced))
}

function describeConfusion({ reference, hypothesis }: Confusion): string {
  if (reference === null) return `${quoted(hypothesis)} inserted`
  if (hypothesis === null) return `${quoted(reference)} deleted`
  return `${quoted(reference)} → ${quoted(hypothesis)}`
}

/** A phrase in quotes, shortened because a loop without blanks may be a word of thousands of letters. */
function quoted(phrase: string | null): string {
  return `"${shortened(phrase ?? '', longest)}"`
}

export function degenerateOutputs({ errorAnalyses }: Evaluation): readonly string[] {
  return errorAnalyses.flatMap(({ contenderId, pathologies }) => {
    const found = pathologies.filter(({ rate }) => rate.numerator > 0)
    if (found.length === 0) return []
    const parts = found.map(
      ({ kind, rate }) => `${pathologyNames[kind]} in ${counted(rate.numerator, 'utterance')}`,
    )
    return [`${contenderId}: ${parts.join(', ')}`]
  })
}

/**
 * Why the table lacks some figures, each reason once with its contenders.
 *
 * @param leftOut headers of columns that the table does not show
 */
export function absenceNotes(
  { contenders, rounds, run, profile: { leads } }: Evaluation,
  leftOut: readonly string[],
): readonly string[] {
  // An unfinished run may get the missing figures when it is resumed, so no number of rounds is recommended.
  const remedies = run.status === 'finished' && !isLoadTimed({ contenders })
  // A contender that was given up is explained by the answer and the findings. A reused contender gets no times from
  // further rounds.
  const measured = contenders.filter(
    ({ contender, reused }) => reused === undefined && !run.givenUp.some(({ id }) => id === contender.id),
  )
  const reasons = measured.flatMap(({ contender: { id }, counts, latencyMs, systemSpeed, ...rates }) => {
    const { p50, p95, sampleCount } = latencyMs
    const absences = [
      { column: 'latency_p50_ms', figure: p50, needed: roundsFor(0.5, sampleCount, rounds) },
      { column: 'latency_p95_ms', figure: p95, needed: roundsFor(0.95, sampleCount, rounds) },
      { column: 'rtfx', figure: systemSpeed, needed: speedRounds(systemSpeed, counts.answered, rounds) },
    ].flatMap(({ column, figure, needed }) => {
      if (figure.value !== null) return []
      const name = findHeader(column, leads)
      const remedy = remedies && needed !== null ? `: --rounds ${needed}` : ''
      return [{ id, name, text: `${name} ${figure.reason}${remedy}` }]
    })
    const { rate, noIntervalReason } = rates[leads]
    if (rate === null || noIntervalReason === null) return absences
    const name = findHeader(`${rateMetrics[leads]}_low95_rate`, leads)
    return [{ id, name, text: `no interval of ${rateWords[leads].short}: ${noIntervalReason}` }, ...absences]
  })
  const shown = reasons.filter(({ name }) => !leftOut.includes(name))
  const byText = Map.groupBy(shown, ({ text }) => text)
  return [...byText].map(([text, group]) =>
    group.length === contenders.length ? text : `${text} (${group.map(({ id }) => foreign(id)).join(', ')})`,
  )
}

/** The number of rounds that makes the sample large enough, if every round gives as many answers as so far. */
function roundsFor(probability: number, sampleCount: number, rounds: number): number | null {
  if (sampleCount === 0) return null
  return Math.ceil((smallestSampleForQuantile(probability) * rounds) / sampleCount)
}

function speedRounds(speed: SystemSpeed, answered: number, rounds: number): number | null {
  if (speed.value !== null || speed.moreAnswers === null || answered === 0) return null
  return Math.ceil(((answered + speed.moreAnswers) * rounds) / answered)
}
