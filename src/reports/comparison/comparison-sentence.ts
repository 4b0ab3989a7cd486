import { oneRunNote, slowTail } from '#analysis/comparison/compare-speeds'
import type { Comparison, ThresholdResult } from '#analysis/documents/comparison'
import { unjudgedSpeeds } from '#analysis/documents/comparison'
import type { ContenderComparison, Verdict } from '#analysis/documents/contender-comparison'
import { brokenThresholds, isDecisive, openThresholds } from '../layout/findings.ts'
import { foreign } from '../layout/terminal.ts'
import { capitalised, counted, formatChange, leadingWords } from '../layout/units.ts'
import { comparisonRows } from './comparison-rows.ts'
import { type ComparisonRow, speedNames } from './comparison-words.ts'

/** The outcome of a comparison, states from the worst to the best. */
export interface ComparisonAnswer {
  readonly state: 'invalid' | 'failed' | 'worse' | 'better' | 'equivalent' | 'unresolved'
  /** One sentence, without a line break. */
  readonly sentence: string
}

/**
 * A comparison in a sentence, most important first: failed or open thresholds, figures that became worse, open
 * figures, then what became better. An unresolved difference never names a winner.
 */
export function comparisonAnswer(
  comparison: Comparison,
  thresholds: readonly ThresholdResult[],
): ComparisonAnswer {
  const same = sameRuns(comparison)
  if (same !== null) return { state: 'unresolved', sentence: `${same}: nothing is compared.` }
  const broken = brokenThresholds(thresholds)
  if (comparison.findings.some(({ severity }) => severity === 'invalid')) {
    return { state: 'invalid', sentence: 'One of the runs is not valid by itself, so this decides nothing.' }
  }
  const { state, text } = verdictText(comparison)
  const open = openThresholds(thresholds)
  const held = [broken, open].filter((part) => part !== null)
  if (broken !== null) return { state: 'failed', sentence: `${held.join('; ')}; ${text}.` }
  // An open threshold leaves `worse`, but rules out `better` and `equivalent`: a limit may be violated.
  if (open !== null)
    return { state: state === 'worse' ? 'worse' : 'unresolved', sentence: `${open}; ${text}.` }
  return { state, sentence: `${capitalised(text)}.` }
}

/** States that both sides are the same runs, as in `compare latest latest`; null if they are not. */
function sameRuns({ base, run, contenders }: Comparison): string | null {
  const [ids, others] = [base.runs, run.runs].map((side) => side.map(({ id }) => id))
  // Runs of two results folders may have the same name, so their texts are compared too.
  const isSame = contenders.every(
    ({ identicalTextCount, pairedUtteranceCount }) => identicalTextCount === pairedUtteranceCount,
  )
  if (ids === undefined || !isSame || ids.join() !== others?.join()) return null
  return `Both sides are the same ${ids.length === 1 ? 'run' : 'runs'}, ${ids.map(foreign).join(', ')}`
}

/** The verdicts of a comparison in words, without a capital and a full stop. */
export function verdictText(comparison: Comparison): {
  readonly state: 'worse' | 'better' | 'equivalent' | 'unresolved'
  readonly text: string
} {
  const rows = comparison.contenders.flatMap((contender) =>
    comparisonRows(contender).map(
      (row): NamedRow => ({ row, contender, name: nameRow(row, contender, comparison) }),
    ),
  )
  const withVerdict = (verdict: Verdict): readonly NamedRow[] =>
    rows.filter(({ row }) => row.verdictOf === verdict)
  const hasDecisive = comparison.findings.some(isDecisive)
  const [worse, better, equivalent] = [withVerdict('worse'), withVerdict('better'), withVerdict('equivalent')]
  const [unjudged, tails] = [notJudged(comparison), slowTails(comparison)]
  const parts = [
    ...listed('worse', inFigures(worse)),
    ...unjudged,
    ...(hasDecisive ? ['a decisive finding changes what the figures mean'] : []),
    ...listed('open', listOpen(rows)),
    ...tails,
    ...listed('better', inFigures(better)),
    ...listed('unresolved', undecided(rows).map(figureText)),
    ...listed('equivalent', withMargins(equivalent)),
  ]
  const isDoubtful =
    hasDecisive ||
    comparison.contenders.some(mayBeWorse) ||
    tails.length > 0 ||
    unjudged.length > 0 ||
    comparison.contenders.some(isOfCorpusAlone)
  const state =
    worse.length > 0
      ? 'worse'
      : isDoubtful || better.length + equivalent.length === 0
        ? 'unresolved'
        : better.length > 0
          ? 'better'
          : 'equivalent'
  return { state, text: parts.length === 0 ? 'no figure has a verdict' : parts.join('; ') }
}

interface NamedRow {
  readonly row: ComparisonRow
  readonly contender: ContenderComparison
  readonly name: string
}

/** `speed not judged: one run a side, +39.8% p95 seen`, once for each reason. */
function notJudged({ contenders }: Comparison): readonly string[] {
  const all = contenders.flatMap((contender) => {
    const speeds = unjudgedSpeeds(contender)
    const isWhole = speeds.some(({ metric }) => metric === 'latency')
    return speeds.map((speed) => ({ contender, speed, isWhole }))
  })
  const reasonOf = ({ speed: { reason, note }, isWhole }: (typeof all)[number]): string =>
    `${isWhole ? 'speed' : 'throughput and tail'} not judged: ${note === oneRunNote ? 'one run a side' : (note ?? reason ?? 'there is nothing to compare').replace(/^not comparable: /u, '')}`
  return [...Map.groupBy(all, reasonOf)].map(([text, unjudged]) => {
    const size = ({ speed: { relativeChange } }: (typeof all)[number]): number =>
      Math.abs(Math.log1p(relativeChange ?? 0))
    const largest = unjudged.reduce((best, one) => (size(one) > size(best) ? one : best))
    const { relativeChange, metric } = largest.speed
    if (relativeChange === null) return text
    const of = contenders.length > 1 ? ` of ${foreign(largest.contender.runContenderId)}` : ''
    const name = metric === 'latency.p95' ? 'p95' : speedNames[metric]
    return `${text}, ${formatChange(relativeChange)} ${name}${of} seen`
  })
}

/** Whether the corpus is so small that equivalence holds for it alone and not for other speech. */
function isOfCorpusAlone({ rates }: ContenderComparison): boolean {
  return rates.some((rate) => rate.isOfCorpusAlone && rate.verdict === 'equivalent')
}

function withMargins(rows: readonly NamedRow[]): readonly string[] {
  return [...Map.groupBy(rows, ({ row }) => row.scope)].flatMap(([scope, scopeRows]) => {
    const names = scopeRows.map(({ name }) => name)
    return scope === '' ? names : [...names.slice(0, -1), `${names.at(-1)} (${scope})`]
  })
}

/** `WER of tiny` if there are several contenders, `WER` otherwise. */
function nameRow(
  { name }: ComparisonRow,
  { runContenderId }: ContenderComparison,
  { contenders }: Comparison,
): string {
  const figure = name === 'failed' ? 'failed requests' : name
  return contenders.length > 1 ? `${figure} of ${foreign(runContenderId)}` : figure
}

/** Rank of a figure among the main ones; -1 for others, which are parts of these or repeat them. */
function primeRank({ row, contender }: NamedRow): number {
  return [leadingWords(contender).short, 'failed', 'latency', 'latency p95', 'speed'].indexOf(row.name)
}

function isPrime(namedRow: NamedRow): boolean {
  return primeRank(namedRow) >= 0
}

/** All figures by name, the main ones first and with their values. */
function inFigures(rows: readonly NamedRow[]): readonly string[] {
  const first = rows.filter(isPrime).toSorted((a, b) => primeRank(a) - primeRank(b))
  return [...first.map(figureText), ...rows.filter((one) => !isPrime(one)).map(({ name }) => name)]
}

function figureText({ name, row }: NamedRow): string {
  return `${name} (${row.figure})`
}

/** Whether an unresolved figure may well be worse; then the answer calls nothing better. */
function mayBeWorse({ failures, rates, speed }: ContenderComparison): boolean {
  const mayFailMore = failures.verdict === 'unresolved' && failures.run > failures.base
  return mayFailMore || [...rates, ...speed].some(({ direction }) => direction === 'worse')
}

/** The rows of the leading rate and of the latency whose direction is uncertain. */
function undecided(rows: readonly NamedRow[]): readonly NamedRow[] {
  return rows.filter(
    ({ row, contender }) =>
      [leadingWords(contender).short, 'latency'].includes(row.name) && row.verdict.startsWith('? unresolved'),
  )
}

/** Differences with a certain direction but an uncertain size, and failures too few to exclude chance. */
function listOpen(rows: readonly NamedRow[]): readonly string[] {
  return rows.flatMap((namedRow) => {
    const { name, row, contender } = namedRow
    if (row.verdictOf !== 'unresolved') return []
    if (row.name === 'failed') {
      const { base, run } = contender.failures
      return base === run ? [] : [`${name} (${row.figure}, too few to exclude chance)`]
    }
    if (row.verdict.startsWith('? unresolved')) return []
    return [`${name} (${isPrime(namedRow) ? `${row.figure}: ${row.open}` : row.verdict.replace('? ', '')})`]
  })
}

/** Slow tails: the median is unchanged, but p95 is slower. */
function slowTails({ contenders }: Comparison): readonly string[] {
  return contenders.flatMap((contender) => {
    const text = tailText(contender)
    const of = contenders.length > 1 ? ` of ${foreign(contender.runContenderId)}` : ''
    return text === null ? [] : [`slow tail${of}: ${text}`]
  })
}

/** Maximum number of figures that are named: all of three contenders. Beyond it the table is clearer. */
const maxNamed = 27

function listed(title: string, items: readonly string[]): readonly string[] {
  if (items.length === 0) return []
  const rest = items.length - maxNamed
  const shown = items.slice(0, maxNamed).join(', ')
  return [`${title}: ${shown}${rest > 0 ? ` and ${counted(rest, 'other figure')}` : ''}`]
}

/** A tail that became slow while the median did not, in words; null if there is none. */
export function tailText(contender: ContenderComparison): string | null {
  const tail = slowTail(contender)
  if (tail === null) return null
  const basis = tail.isJudged ? '' : ', in too few runs for a verdict'
  return `p95 ${formatChange(tail.p95Change)} while p50 is ${formatChange(tail.p50Change)}${basis}`
}
