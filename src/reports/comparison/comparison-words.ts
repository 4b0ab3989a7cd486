import type {
  ChangedUtterance,
  ContenderComparison,
  SpeedMetric,
  Verdict,
} from '#analysis/documents/contender-comparison'
import type { Tone } from '../layout/terminal.ts'
import { capitalised, counted, formatCount, leadingWords, signed } from '../layout/units.ts'

export interface ComparisonRow {
  readonly name: string
  readonly base: string
  readonly run: string
  readonly difference: string
  readonly interval: string
  readonly verdict: string
  /** Null if there is no verdict. */
  readonly verdictOf: Verdict | null
  /** Context of the verdict, such as its margin. */
  readonly scope: string
  /** Why a side has no figure; shown by media with enough space. */
  readonly absence: string
  /** The open part of an unresolved verdict, and what would resolve it; empty if that is not known. */
  readonly open: string
  /** The difference with its interval, for a sentence. */
  readonly figure: string
  readonly tone: Tone | null
}

export function openLines(rows: readonly ComparisonRow[]): readonly string[] {
  return rows.flatMap(({ name, open }) => (open === '' ? [] : [`? ${name}: ${open}`]))
}

/** Why figures are absent, grouped by reason; a table on a screen has no room for it. */
export function absenceLines(rows: readonly ComparisonRow[]): readonly string[] {
  const absent = rows.filter(({ absence }) => absence !== '')
  return [...Map.groupBy(absent, ({ absence }) => absence)].map(
    ([absence, absentRows]) => `– ${absentRows.map(({ name }) => name).join(', ')}: ${absence}`,
  )
}

export const speedNames: Readonly<Record<SpeedMetric, string>> = {
  latency: 'latency',
  'latency.p50': 'latency p50',
  'latency.p95': 'latency p95',
  'latency.fixed': 'fixed cost',
  'latency.slope': 'per audio s',
  rtfx: 'speed',
}

/** The change of one utterance: `+2 errors in 14 words`. */
export function errorChange({ errorDifference, referenceLength }: ChangedUtterance, unit: string): string {
  const errors = signed(errorDifference, Number.isInteger(errorDifference) ? 0 : 1)
  return `${errors} error${Math.abs(errorDifference) === 1 ? '' : 's'} in ${counted(referenceLength, unit)}`
}

/** The paired utterances of a comparison, as the rest of a sentence: `on the 6 utterances answered on both sides (74 words); …`. */
export function pairedFact(contender: ContenderComparison): string {
  const { pairedUtteranceCount, rates, identicalTextCount } = contender
  const length = counted(rates[0]?.base.referenceLength ?? 0, leadingWords(contender).unit)
  const same =
    identicalTextCount === pairedUtteranceCount
      ? 'every text is the same on both sides'
      : `${formatCount(identicalTextCount)} with the same text on both sides`
  return `on the ${counted(pairedUtteranceCount, 'utterance')} answered on both sides (${length}); ${same}`
}

export function pairedSentence(contender: ContenderComparison): string {
  const fact = pairedFact(contender)
  return `${capitalised(fact)}.`
}
