import type { ThresholdResult } from '#analysis/documents/comparison'
import type { ContenderEvaluation } from '#analysis/documents/contender-evaluation'
import type { Evaluation } from '#analysis/documents/evaluation'
import { scoreFileNames } from '#journal/run-writer'
import { sumOf } from '#prelude'
import {
  brokenThresholds,
  findingSigns,
  findingText,
  isDecisive,
  renderFindings,
  thresholdLines,
} from '../layout/findings.ts'
import { layTable } from '../layout/table.ts'
import { markdownTable, markdownText } from '../layout/table-files.ts'
import {
  foreign,
  inSigns,
  joinBlocks,
  labelled,
  labelledLines,
  measureWidth,
  pad,
  paint,
  sentence,
  type Terminal,
} from '../layout/terminal.ts'
import { formatCount, formatMilliseconds, incomparableMark, incomparableNotes } from '../layout/units.ts'
import { answerSentence } from './answer.ts'
import { contenderRows, summaryColumns } from './contender-tables.ts'
import { runCostLines } from './costs.ts'
import {
  type DetailName,
  type DetailTable,
  detailNames,
  detailTable,
  detailTables,
} from './details/details.ts'
import { keywordSentences } from './details/error-details.ts'
import { isLoadInTable } from './details/load-details.ts'
import { inRankOrder, ranksMeaning, ranksText, ranksWithMeaning } from './ranks.ts'
import {
  absenceNotes,
  degenerateOutputs,
  frequentConfusions,
  instrumentParts,
  labelWidth,
  partialNotice,
  sharedFacts,
  verdictLine,
} from './summary-notes.ts'

export interface SummaryContext {
  readonly terminal: Terminal
  /** Path of the run folder, as a user would type it; null if no files were written. */
  readonly folder: string | null
  /** Files of the shown score; default: those of the run's first score. */
  readonly files?: readonly string[] | undefined
  readonly thresholds?: readonly ThresholdResult[] | undefined
  readonly details?: readonly DetailTable[] | undefined
  /** The command that shows all details. With it, lines beyond the screen are folded; default: none are. */
  readonly detailsCommand?: string | undefined
  readonly next?: readonly { readonly command: string; readonly purpose: string }[] | undefined
}

/** Maximum number of lines of a summary; with the blank lines around it there are 30. */
export const maxSummaryLines = 28

/** The parts that are folded if there are too many lines, in this order. */
const foldOrder = [
  'notes',
  'latency by length',
  'instrument',
  'remarks on the table',
  'frequent errors',
  'costs',
  'crossings of limits',
  'entities',
  'times of words',
  'warnings',
] as const

/** Lines of a summary; `fold` is null if they are never folded. */
interface Part {
  readonly fold: (typeof foldOrder)[number] | null
  readonly lines: readonly string[]
}

/** @returns lines joined by newlines, none of them longer than the terminal is wide unless a name is */
export function renderSummary(evaluation: Evaluation, context: SummaryContext): string {
  const blocks = summaryBlocks(evaluation, context)
  const present = new Set(blocks.flat().map(({ fold, lines }) => (lines.length === 0 ? null : fold)))
  const foldable = context.detailsCommand === undefined ? [] : foldOrder.filter((name) => present.has(name))
  const texts = [0, ...foldable.map((_, index) => index + 1)].map((count) => () => {
    const folded = foldable.slice(0, count)
    return unfolded([...blocks, endBlock(context, folded)], new Set<Part['fold']>(folded))
  })
  const fits = texts.find((text) => text().split('\n').length <= maxSummaryLines) ?? texts.at(-1)
  return fits?.() ?? ''
}

function unfolded(blocks: readonly (readonly Part[])[], folded: ReadonlySet<Part['fold']>): string {
  return joinBlocks(
    blocks.map((parts) => parts.flatMap(({ fold, lines }) => (folded.has(fold) ? [] : lines))),
  )
}

/** All blocks but the last. */
function summaryBlocks(evaluation: Evaluation, context: SummaryContext): readonly (readonly Part[])[] {
  const contenders = inRankOrder(evaluation)
  const { terminal, thresholds = [], details = [] } = context
  const table = layTable(summaryColumns(evaluation), contenderRows(evaluation), terminal)
  const sharedLabel = contenders.length > 2 ? 'same for all' : 'same for both'
  const whole = (...lines: readonly string[]): Part => ({ fold: null, lines })
  return [
    [whole(...thresholdLines(thresholds, terminal))],
    [whole(...partialNotice(evaluation, terminal))],
    [whole(answerLine(evaluation, terminal))],
    [whole(...renderFindings(evaluation.findings.filter(isDecisive), terminal))],
    [
      whole(
        labelled(
          contenders.length > 1 ? sharedLabel : 'measured',
          sharedFacts(evaluation),
          labelWidth,
          terminal,
        ),
      ),
    ],
    [
      whole(...table.lines),
      { fold: 'remarks on the table', lines: tableNotes(evaluation, context, table.leftOut) },
    ],
    [
      whole(...labelledLines('places', ranksWithMeaning(evaluation.ranking), labelWidth, terminal)),
      {
        fold: 'latency by length',
        lines: lengthLines(contenders, incomparableMark(evaluation.speeds), terminal),
      },
      { fold: 'costs', lines: costLines(evaluation, terminal) },
      { fold: 'frequent errors', lines: oftenWrong(evaluation, terminal) },
      whole(verdictLine(evaluation, terminal)),
      { fold: 'instrument', lines: labelledList('instrument', instrumentParts(evaluation), terminal) },
    ],
    ...(details.length > 0 ? [] : tableBlocks(evaluation, terminal)),
    details.map((each, index) => whole(...(index === 0 ? [] : ['']), each.toTerminal(terminal))),
    findingParts(evaluation, terminal),
  ]
}

function answerLine(evaluation: Evaluation, terminal: Terminal): string {
  const isInvalid = evaluation.validity === 'invalid'
  const text = foreign(answerSentence(evaluation))
  const line = sentence(isInvalid ? `${inSigns('✗', terminal)} ${text}` : text, terminal)
  return paint(line, isInvalid ? 'bad' : 'strong', terminal)
}

/** The tables of a run's special dimension: load phases, hosts, languages, targets, or a ladder of the corpus. */
function tableBlocks(evaluation: Evaluation, terminal: Terminal): readonly (readonly Part[])[] {
  const shown: readonly (readonly [DetailName, Part['fold']])[] = [
    ...(isLoadInTable(evaluation) ? [['load', null] as const] : []),
    ['hosts', null],
    ['languages', null],
    ['entities', 'entities'],
    ['times', 'times of words'],
    ['targets', null],
    ['robustness', null],
    ['limits', 'crossings of limits'],
  ]
  return shown.map(([name, fold]) => [
    { fold, lines: detailTable(evaluation, name)?.toTerminal(terminal).split('\n') ?? [] },
  ])
}

/** Maximum number of warnings that are never folded. */
const maxWarnings = 3

function findingParts(evaluation: Evaluation, terminal: Terminal): readonly Part[] {
  const findings = evaluation.findings.filter((finding) => !isDecisive(finding))
  const lines = renderFindings(findings, terminal)
  let warnings = 0
  return findings.map(({ severity }, index) => {
    if (severity === 'warning') warnings += 1
    const isFurther = severity === 'warning' && warnings > maxWarnings
    return {
      fold: severity === 'note' ? 'notes' : isFurther ? 'warnings' : null,
      lines: [lines[index] ?? ''],
    }
  })
}

function tableNotes(
  evaluation: Evaluation,
  { files = scoreFileNames(null), terminal }: SummaryContext,
  leftOut: readonly string[],
): readonly string[] {
  const summaryTable = files.find((file) => /^summary\..*csv$/.test(file))
  const notes = [
    ...incomparableNotes(evaluation.speeds),
    ...absenceNotes(evaluation, leftOut).map((note) => `– ${note}`),
    ...excludedNote(evaluation.contenders),
    ...(leftOut.length === 0 || summaryTable === undefined
      ? []
      : [`more in ${summaryTable}: ${leftOut.join(', ')}`]),
  ]
  return notes.map((note) => sentence(note, terminal, 'faint'))
}

/** With more contenders than this, only the detail tables have latencies by length. */
const maxByLength = 4

/** Latency by length of the audio, because a percentile over mixed lengths also depends on the mix. */
function lengthLines(
  contenders: readonly ContenderEvaluation[],
  mark: string,
  terminal: Terminal,
): readonly string[] {
  if (contenders.length > maxByLength) return []
  const width = Math.max(...contenders.map(({ contender }) => measureWidth(foreign(contender.id))))
  const lines = contenders.flatMap(({ contender, latencyByDuration }) => {
    const shown = latencyByDuration.flatMap(({ bucket, latencyMs: { p50 } }) =>
      p50.value === null ? [] : [`${bucket} ${mark}${formatMilliseconds(p50.value)}`],
    )
    if (shown.length < 2) return []
    const name = contenders.length > 1 ? `${pad(foreign(contender.id), width)}  ` : ''
    return [`${name}${shown.join(' · ')}`]
  })
  return labelledLines(
    'p50 by length',
    lines.map((text) => inSigns(text, terminal)),
    labelWidth,
    terminal,
  )
}

function costLines({ costs }: Evaluation, terminal: Terminal): readonly string[] {
  if (costs === null) return []
  return labelledLines(
    'cost',
    runCostLines(costs).map((text) => inSigns(foreign(text), terminal)),
    labelWidth,
    terminal,
  )
}

function oftenWrong(evaluation: Evaluation, terminal: Terminal): readonly string[] {
  return [
    ...labelledLines('keywords', keywordSentences(evaluation).map(foreign), labelWidth, terminal),
    ...labelledList('often wrong', frequentConfusions(evaluation), terminal, overAll(evaluation)),
    ...labelledList('degenerate', degenerateOutputs(evaluation), terminal),
  ]
}

/** The contenders and rounds that counts are summed over; empty if there is one of each. */
function overAll({ contenders, rounds }: Evaluation): string {
  const over = [
    ...(contenders.length > 1 ? [`${contenders.length} contenders`] : []),
    ...(rounds > 1 ? [`${rounds} rounds`] : []),
  ]
  return over.length === 0 ? '' : ` (over ${over.join(' and ')})`
}

function labelledList(
  label: string,
  items: readonly string[],
  terminal: Terminal,
  scope = '',
): readonly string[] {
  return items.length === 0 ? [] : [labelled(label, `${items.join(' · ')}${scope}`, labelWidth, terminal)]
}

function excludedNote(contenders: readonly ContenderEvaluation[]): readonly string[] {
  const [ramp, drain] = [
    sumOf(contenders, ({ leftOut }) => leftOut.rampCount),
    sumOf(contenders, ({ leftOut }) => leftOut.drainCount),
  ]
  if (ramp + drain === 0) return []
  const answered = sumOf(contenders, ({ counts }) => counts.answered)
  return [
    `percentiles exclude ${formatCount(ramp)} answers of the ramp and ${formatCount(drain)} of the drain, of ${formatCount(answered)}`,
  ]
}

function endBlock(context: SummaryContext, folded: readonly string[]): readonly Part[] {
  const { terminal, detailsCommand, next = [], thresholds = [] } = context
  const details = { command: detailsCommand ?? '', purpose: ['error analysis', ...folded].join(', ') }
  const commands = detailsCommand === undefined ? next : [details, ...next]
  const verdict = brokenThresholds(thresholds)
  const lines = [
    ...fileLines(context),
    ...commands.flatMap(({ command, purpose }, index) => {
      const label = index === 0 ? 'next' : ''
      // A line break within a command would end it in a shell.
      return 10 + measureWidth(command) <= terminal.width
        ? labelled(label, `${command}    ${purpose}`, 6, terminal)
        : [`  ${pad(label, 6)}  ${command}`, labelled('', purpose, 6, terminal)]
    }),
    ...(verdict === null ? [] : ['', paint(`  ${verdict}.`, 'bad', terminal)]),
  ]
  return [{ fold: null, lines }]
}

/** Only the report if lines are few, otherwise all files. */
function fileLines(context: SummaryContext): readonly string[] {
  const { folder, files = scoreFileNames(null), detailsCommand, terminal } = context
  if (folder === null || files.length === 0) return []
  const page = files.find((file) => file.endsWith('.html'))
  if (detailsCommand !== undefined && page !== undefined) {
    return [labelled('report', `${folder}/${page}`, 6, terminal)]
  }
  return [labelled('files', `${foreign(folder)}/`, 6, terminal), labelled('', files.join('  '), 6, terminal)]
}

export function renderMarkdown(evaluation: Evaluation): string {
  const { run, profile, scoring } = evaluation
  const [decisive, others] = [
    evaluation.findings.filter(isDecisive),
    evaluation.findings.filter((finding) => !isDecisive(finding)),
  ].map((findings) =>
    findings
      .map((finding) => `- ${findingSigns[finding.severity].sign} ${markdownText(findingText(finding))}`)
      .join('\n'),
  )
  const details = detailTables(evaluation, detailNames).map(
    (table) =>
      `<details><summary>${markdownText(table.title)}</summary>\n\n${table.toMarkdown().trim()}\n\n</details>`,
  )
  const blocks = [
    `### ${markdownText(run.name)}`,
    `**${markdownText(answerSentence(evaluation))}**`,
    decisive ?? '',
    markdownTable(summaryColumns(evaluation), contenderRows(evaluation)),
    ranksParagraph(evaluation),
    [...incomparableNotes(evaluation.speeds), ...absenceNotes(evaluation, [])].map(markdownText).join('; '),
    markdownText(sharedFacts(evaluation)),
    others ?? '',
    details.join('\n'),
    `<sub>run ${markdownText(run.id)} · ${markdownText(profile.id)} ${profile.fingerprint.slice(0, 12)} · ` +
      `score ${scoring.fingerprint.slice(0, 12)} · seed ${evaluation.seed} · transcribench ${run.programVersion}</sub>`,
  ]
  return blocks.filter((block) => block !== '').join('\n\n')
}

function ranksParagraph({ ranking }: Evaluation): string {
  const ranks = ranksText(ranking)
  return ranking === null || ranks === null ? '' : markdownText(`Places ${ranksMeaning(ranking)}: ${ranks}`)
}
