import type { ContenderEvaluation, Evaluation, ThresholdResult } from '#analysis'
import { scoreFileNames } from '#journal'
import { sumOf } from '#prelude'
import { rateWords } from '../layout/rate-words.ts'
import { layTable } from '../layout/table.ts'
import {
  foreign,
  inSigns,
  labelled,
  pad,
  paint,
  paragraph,
  type Terminal,
  widthOf,
} from '../layout/terminal.ts'
import { counted, formatCount, formatDollars, formatMilliseconds } from '../layout/units.ts'
import { answerSentence } from './answer.ts'
import { absenceNotes } from './columns/absence-notes.ts'
import { contenderRows, summaryColumns } from './columns/contender-tables.ts'
import { utterancesOf } from './corpus-words.ts'
import type { DetailTable } from './details/detail-table.ts'
import { renderFindings } from './findings.ts'
import { instrumentLine } from './instrument-line.ts'
import { frequentConfusions, strayAnswers } from './often-wrong.ts'
import { inRankOrder } from './rank-order.ts'
import { placesMeaning, placesText } from './ranking-line.ts'
import { runCostLines } from './run-cost-words.ts'
import { incomparableMark } from './speed-words.ts'
import { brokenThresholds, thresholdLines } from './thresholds.ts'

/** What a summary needs besides the evaluation. */
export interface SummaryContext {
  readonly terminal: Terminal
  /** Where the run's files are, as to be typed; null where none were written. */
  readonly folder: string | null
  /** Those of the score that is shown; default: of the run's own. */
  readonly files?: readonly string[] | undefined
  /** What the run was held to. */
  readonly thresholds?: readonly ThresholdResult[] | undefined
  /** Tables that say how contenders err; none unless told. */
  readonly details?: readonly DetailTable[] | undefined
  /** Commands to go on with, each with what it is for. */
  readonly next?: readonly { readonly command: string; readonly purpose: string }[] | undefined
}

/**
 * A run on a screen: the answer in a sentence, what is the same for all contenders, the table, what could
 * make one distrust it, where the files are, what to type next.
 *
 * @returns lines joined by newlines, none of them longer than the terminal is wide unless a name is
 */
export function renderSummary(evaluation: Evaluation, context: SummaryContext): string {
  const { findings } = evaluation
  const contenders = inRankOrder(evaluation)
  const { terminal, thresholds = [], details = [] } = context
  const table = layTable(summaryColumns(evaluation), contenderRows(evaluation), '  ', terminal)
  const summaryTable = (context.files ?? scoreFileNames(null)).find((file) => /^summary\..*csv$/.test(file))
  const notes = [
    ...incomparableNote(evaluation),
    ...absenceNotes(evaluation, table.leftOut).map((note) => `– ${note}`),
    ...leftOutNote(contenders),
    ...(table.leftOut.length === 0 || summaryTable === undefined
      ? []
      : [`more in ${summaryTable}: ${table.leftOut.join(', ')}`]),
  ]
  const verdict = brokenThresholds(thresholds)
  const blocks: readonly (readonly string[])[] = [
    thresholdLines(thresholds, terminal),
    invalidNotice(evaluation, terminal),
    [paint(paragraph(foreign(answerSentence(evaluation)), '  ', terminal), 'strong', terminal)],
    [
      labelled(
        contenders.length > 1 ? sameLabel(contenders.length) : 'measured',
        sharedFacts(evaluation),
        13,
        terminal,
      ),
    ],
    table.lines,
    lengthLines(contenders, incomparableMark(evaluation.speeds), terminal),
    costLines(evaluation, terminal),
    placesLines(evaluation, terminal),
    verdictLines(evaluation, terminal),
    notes.map((note) => paint(paragraph(note, '  ', terminal), 'faint', terminal)),
    oftenWrong(evaluation, terminal),
    details
      .map((table) => table.toTerminal(terminal))
      .flatMap((text, index) => (index === 0 ? [text] : ['', text])),
    renderFindings(findings, terminal),
    whereNext(context),
    verdict === null ? [] : [paint(`  ${verdict}.`, 'bad', terminal)],
  ]
  return blocks
    .filter((block) => block.length > 0)
    .map((block) => block.join('\n'))
    .join('\n\n')
}

/** What the mark in front of speeds and latencies means. */
function incomparableNote({ speeds }: Evaluation): readonly string[] {
  const mark = incomparableMark(speeds)
  return mark === '' ? [] : [`${mark} not comparable: ${speeds?.withheld ?? ''}`]
}

/** With more contenders than this, lengths are in the tables alone. */
const mostByLength = 4

/** A percentile over short and long audio together says as much of the mix as of the contender. */
function lengthLines(
  contenders: readonly ContenderEvaluation[],
  mark: string,
  terminal: Terminal,
): readonly string[] {
  if (contenders.length > mostByLength) return []
  const width = Math.max(...contenders.map(({ contender }) => widthOf(foreign(contender.id))))
  const told = contenders.flatMap(({ contender, latencyByDuration }) => {
    const shown = latencyByDuration.flatMap(({ bucket, latencyMs: { p50 } }) =>
      p50.value === null ? [] : [`${bucket} ${mark}${formatMilliseconds(p50.value)}`],
    )
    if (shown.length < 2) return []
    const name = contenders.length > 1 ? `${pad(foreign(contender.id), width)}  ` : ''
    return [`${name}${shown.join(' · ')}`]
  })
  return told.map((text, index) =>
    labelled(index === 0 ? 'p50 by length' : '', inSigns(text, terminal), 13, terminal),
  )
}

function costLines({ costs }: Evaluation, terminal: Terminal): readonly string[] {
  if (costs === null) return []
  return runCostLines(costs).map((text, index) =>
    labelled(index === 0 ? 'cost' : '', inSigns(foreign(text), terminal), 13, terminal),
  )
}

function placesLines({ ranking }: Evaluation, terminal: Terminal): readonly string[] {
  const places = placesText(ranking)
  if (ranking === null || places === null) return []
  return [
    labelled('places', inSigns(foreign(`${places} (${placesMeaning(ranking)})`), terminal), 13, terminal),
  ]
}

function sameLabel(count: number): string {
  return count === 2 ? 'same for both' : 'same for all'
}

/** What was mistaken again and again, and what went wrong altogether, in a line each. */
function oftenWrong(evaluation: Evaluation, terminal: Terminal): readonly string[] {
  return [
    ...labelledList('most often wrong', frequentConfusions(evaluation), terminal),
    ...labelledList('went astray', strayAnswers(evaluation), terminal),
  ]
}

function labelledList(label: string, items: readonly string[], terminal: Terminal): readonly string[] {
  return items.length === 0 ? [] : [labelled(label, foreign(items.join(' · ')), 16, terminal)]
}

/** Ramp and drain, which no percentile holds. */
function leftOutNote(contenders: readonly ContenderEvaluation[]): readonly string[] {
  const [ramp, drain, answered] = contenders.reduce(
    ([ramp, drain, answered], { leftOut, counts }) => [
      ramp + leftOut.rampCount,
      drain + leftOut.drainCount,
      answered + counts.answered,
    ],
    [0, 0, 0],
  )
  if (ramp + drain === 0) return []
  return [
    `percentiles leave out ${formatCount(ramp)} answers while the load built up and ${formatCount(drain)} while it ran out, of ${formatCount(answered)}`,
  ]
}

/** Whether the figures may be quoted, and how exact the instrument was that made them. */
function verdictLines(evaluation: Evaluation, terminal: Terminal): readonly string[] {
  const { validity, missing } = evaluation
  const short = [...new Set(missing.map(({ metric }) => metric))].map((metric) => {
    const more = Math.max(...missing.filter((one) => one.metric === metric).map((one) => one.moreRequests))
    return `${metric === 'rtfx' ? 'speed' : metric} needs ${counted(more, 'more answered request')}${evaluation.contenders.length > 1 ? ' of each contender' : ''}`
  })
  const words = [validity.toUpperCase(), ...(validity === 'short' ? short : [])]
  const instrument = instrumentLine(evaluation)
  return [
    labelled('verdict', words.join(' · '), 13, terminal),
    ...(instrument === null ? [] : [labelled('instrument', instrument, 13, terminal)]),
  ]
}

function invalidNotice({ validity, run, contenders }: Evaluation, terminal: Terminal): readonly string[] {
  const sum = (count: (counts: ContenderEvaluation['counts']) => number): string =>
    formatCount(sumOf(contenders, ({ counts }) => count(counts)))
  const done = sum(({ answered, failed }) => answered + failed)
  const partial = `partial result: ${done} of ${sum(({ planned }) => planned)} requests were carried out`
  const text = `${inSigns('✗', terminal)} This run is not valid; its figures are shown to find out why.`
  return [
    ...(validity === 'invalid' ? [paint(`  ${text}`, 'bad', terminal)] : []),
    ...(run.status === 'finished' ? [] : [paint(`  ${partial}`, 'caution', terminal)]),
  ]
}

/** What does not differ between contenders, and so needs no column. */
export function sharedFacts(evaluation: Evaluation): string {
  const { contenders, load, profile, corpus, rounds } = evaluation
  const { unit } = rateWords[profile.leads]
  const facts = [
    ...answeredFact(contenders, { rounds, utteranceCount: corpus.utteranceCount }),
    ...(contenders.every(({ counts }) => counts.failed === 0) ? ['none failed'] : []),
    ...shared(contenders.map((contender) => contender[profile.leads].referenceLength)).map((length) =>
      rounds > 1 ? `${counted(length, unit)} in all` : counted(length, unit),
    ),
    ...spentFact(contenders),
    corpus.sampledFrom == null
      ? `corpus ${foreign(corpus.name)}`
      : `a sample of ${foreign(corpus.name)}, ${utterancesOf(corpus)}`,
    foreign(profile.id),
    load.description,
  ]
  return facts.join(' · ')
}

/** What the run cost by the prices of its config, warm-up and repeats included. */
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
  const what = rounds > 1 ? `requests in ${rounds} rounds` : isOncePerUtterance ? 'utterances' : 'requests'
  return shared(
    contenders.map(
      ({ counts }) =>
        `${formatCount(counts.answered)} of ${formatCount(counts.planned)} ${what} answered and scored`,
    ),
  )
}

/** The value that all have, or nothing. */
function shared<Value>(values: readonly Value[]): readonly Value[] {
  const distinct = [...new Set(values)]
  return distinct.length === 1 ? distinct : []
}

function whereNext({
  folder,
  files = scoreFileNames(null),
  next = [],
  terminal,
}: SummaryContext): readonly string[] {
  const lines: string[] = []
  if (folder !== null && files.length > 0) {
    lines.push(
      labelled('files', `${foreign(folder)}/`, 6, terminal),
      labelled('', foreign(files.join('  ')), 6, terminal),
    )
  }
  for (const [index, { command, purpose }] of next.entries()) {
    const label = index === 0 ? 'next' : ''
    lines.push(labelled(label, `${command}    ${purpose}`, 6, terminal))
  }
  return lines
}
