import type { Comparison, ThresholdResult } from '#analysis/documents/comparison'
import type { ChangedUtterance } from '#analysis/documents/contender-comparison'
import type { Experiment } from '#analysis/documents/experiment'
import { type BenchError, exitCodes } from '#prelude'
import { drawAlignedWords } from '../layout/aligned-words.ts'
import { findingText, thresholdState } from '../layout/findings.ts'
import type { ShownColumn } from '../layout/table.ts'
import { markdownTable, markdownText } from '../layout/table-files.ts'
import { foreign, type Terminal } from '../layout/terminal.ts'
import { formatCount, formatSeconds, leadingWords } from '../layout/units.ts'
import { ranksMeaning, ranksText } from '../run/ranks.ts'
import {
  type ComparisonReport,
  comparisonReport,
  experimentReport,
  type PairReport,
} from './comparison-report.ts'
import {
  comparisonColumns,
  conditionColumns,
  conditionRows,
  durationColumns,
  thresholdColumns,
} from './comparison-rows.ts'
import { errorChange, openLines, pairedSentence } from './comparison-words.ts'

/** Kind of a comment. A comparison and an experiment on one pull request are two comments. */
export type CommentKind = 'comparison' | 'experiment'

/** Hidden marker by which a later comment finds the comment that it replaces. */
function commentMarker(kind: CommentKind): string {
  return `<!-- transcribench ${kind} -->`
}

/** Maximum length of a GitHub comment, minus space for a note that something was omitted. */
const maxCharacters = 65_000

const maxThresholds = 50
const maxProblems = 10
/** Maximum number of contenders whose tables are all unfolded. */
const maxOpen = 3

const plain: Terminal = { width: 100, color: false, unicode: true }
const signs = {
  invalid: '⛔',
  failed: '❌',
  worse: '🔻',
  better: '✅',
  equivalent: '✅',
  unresolved: '❓',
} as const

/**
 * A comparison as a comment on a pull request: the answer first, then thresholds and a table, everything else folded.
 * It begins with a hidden marker, so that the next comment can replace it.
 *
 * @returns Markdown as GitHub and GitLab render it, at most 65,000 characters
 */
export function comparisonMarkdown(comparison: Comparison, thresholds: readonly ThresholdResult[]): string {
  return fitted('comparison', comparisonBlocks(comparisonReport(comparison, thresholds)))
}

/**
 * An experiment as such a comment: each further side against the first, and why the measuring ended.
 *
 * @returns Markdown, as `comparisonMarkdown`
 */
export function experimentMarkdown(experiment: Experiment): string {
  const { answers, state, ending, comparisons } = experimentReport(experiment)
  const list = answers.map((answer) => `- ${markdownText(answer)}`).join('\n')
  return fitted('experiment', [
    ...comparisons.flatMap((comparison, index) => {
      const [headline = '', ...rest] = comparisonBlocks(comparison)
      const { sentence } = comparison.answer
      return index === 0 ? [writeHeadline(state, sentence), list, ...rest] : [headline, ...rest]
    }),
    markdownText(`Stopped: ${ending}.`),
  ])
}

function fitted(kind: CommentKind, blocks: readonly string[]): string {
  let text = commentMarker(kind)
  for (const block of blocks) {
    if (text.length + block.length > maxCharacters) return `${text}\n\n_More than fits a comment._\n`
    text += `\n\n${block}`
  }
  return `${text}\n`
}

function comparisonBlocks(report: ComparisonReport): readonly string[] {
  const { comparison, answer, thresholds, pairs } = report
  return [
    writeHeadline(answer.state, answer.sentence),
    ...(thresholds.length === 0 ? [] : [thresholdTable(thresholds)]),
    ...pairs.map((pair) => pairBlock(pair, pairs.length)),
    ...ranksLines(report),
    ...findingLines(comparison),
    ...pairs.flatMap((pair) => detailBlocks(pair, pairs.length)),
    conditionDetails(report),
  ]
}

function writeHeadline(state: keyof typeof signs, sentence: string): string {
  return `### ${signs[state]} transcribench: ${markdownText(sentence)}`
}

/**
 * The reason why there is no comparison or experiment; it replaces a comment about older runs.
 *
 * @returns Markdown, as `comparisonMarkdown`
 */
export function failureMarkdown(
  { code, exit, message, hint, problems }: BenchError,
  kind: CommentKind,
): string {
  const shown = problems.slice(0, maxProblems).map(({ where, what, hint: advice = null }) => {
    const text = where === null ? what : `${where}: ${what}`
    return `- ${markdownText(advice === null ? text : `${text}; ${advice}`)}`
  })
  const rest = problems.length - shown.length
  const blocks = [
    commentMarker(kind),
    `### ${signs.invalid} transcribench: ${markdownText(message)}`,
    ...(shown.length === 0 ? [] : [[...shown, ...(rest > 0 ? [`- … and ${rest} more`] : [])].join('\n')]),
    markdownText(hint),
    `<sub>${code} · transcribench explain ${code} · exit ${exitCodes[exit].code}</sub>`,
  ]
  return `${blocks.join('\n\n')}\n`
}

/** Violated thresholds come first, because readers may not read a long table to its end. */
function thresholdTable(thresholds: readonly ThresholdResult[]): string {
  const gravestFirst = thresholds.toSorted((a, b) => gravity(b) - gravity(a))
  const shown = thresholds.length > maxThresholds ? gravestFirst.slice(0, maxThresholds) : thresholds
  const rest = gravestFirst.slice(shown.length)
  const lines = markdownTable([signColumn, ...thresholdColumns], shown)
  if (rest.length === 0) return lines
  return `${lines}\n\n_${formatCount(rest.length)} more: ${formatCount(rest.filter((one) => gravity(one) === 0).length)} of them kept._`
}

const thresholdMarks = {
  met: signs.better,
  open: signs.unresolved,
  failed: signs.failed,
  invalid: signs.invalid,
}
const signColumn: ShownColumn<ThresholdResult> = {
  header: '',
  cell: (result) => thresholdMarks[thresholdState(result)],
}

function gravity(result: ThresholdResult): number {
  return { met: 0, open: 1, failed: 2, invalid: 2 }[thresholdState(result)]
}

/** The table of one pair. With many contenders, pairs that are neither better nor worse are folded. */
function pairBlock({ figures, title: name, rows }: PairReport, pairCount: number): string {
  const open = openLines(rows).map((line) => `- ${markdownText(line)}`)
  const lines = [
    markdownTable(comparisonColumns, rows),
    ...(open.length === 0 ? [] : [open.join('\n')]),
    markdownText(pairedSentence(figures)),
  ].join('\n\n')
  if (pairCount === 1) return lines
  const title = markdownText(name)
  const hasChanged = rows.some(({ verdictOf }) => verdictOf === 'better' || verdictOf === 'worse')
  return pairCount > maxOpen && !hasChanged
    ? folded(`${title}: nothing better or worse`, lines)
    : `**${title}**\n\n${lines}`
}

function findingLines({ findings }: Comparison): readonly string[] {
  if (findings.length === 0) return []
  const signOf = { invalid: '⛔', decisive: '❗', warning: '⚠️', note: 'ℹ️' } as const
  return [
    findings
      .map((finding) => `- ${signOf[finding.severity]} ${markdownText(findingText(finding))}`)
      .join('\n'),
  ]
}

function ranksLines({ comparison, unpaired }: ComparisonReport): readonly string[] {
  const { run } = comparison.ranking
  const ranks = ranksText(run)
  return [
    ...(run === null || ranks === null ? [] : [`Places ${ranksMeaning(run)}: **${markdownText(ranks)}**`]),
    ...(unpaired === '' ? [] : [`Not compared: ${markdownText(unpaired)}`]),
  ]
}

function detailBlocks(pair: PairReport, pairCount: number): readonly string[] {
  const of = pairCount === 1 ? '' : ` · ${markdownText(pair.title)}`
  const { betterCount, worseCount, sameCount, changed, unpaired } = pair.figures
  const counts = `${betterCount} better, ${worseCount} worse, ${sameCount} the same, ${unpaired.length} unpaired`
  const facts = pair.facts.map(({ label, text }) => `- **${label}** ${markdownText(text)}`)
  const words = changed.slice(0, 5).map((each) => changedText(each, leadingWords(pair.figures).unit))
  const lengths = pair.lengths.filter(({ baseP50Ms, runP50Ms }) => baseP50Ms !== null && runP50Ms !== null)
  return [
    folded(`Utterances: ${counts}${of}`, [...facts, ...words].join('\n') || 'Nothing changed.'),
    ...(lengths.length === 0
      ? []
      : [folded(`Latency by length${of}`, markdownTable(durationColumns, lengths))]),
  ]
}

function changedText(changed: ChangedUtterance, unit: string): string {
  const { utteranceId, audioSeconds } = changed
  const title = `${utteranceId}: ${errorChange(changed, unit)}, ${formatSeconds(audioSeconds)}`
  // `foreign` removes line breaks, so no line of a transcript can start with a fence and end the block.
  return `\n\`\`\`text\n${foreign(title)}\n${drawAlignedWords(changed, '  ', plain).join('\n')}\n\`\`\``
}

function conditionDetails({ comparison, confidence, scored: score }: ComparisonReport): string {
  const scored = `Scored with ${score}; ${confidence}.`
  return folded(
    'How it was measured',
    `${markdownTable(conditionColumns, conditionRows(comparison))}\n\n${markdownText(scored)}`,
  )
}

function folded(summary: string, body: string): string {
  return `<details><summary>${summary}</summary>\n\n${body}\n\n</details>`
}
