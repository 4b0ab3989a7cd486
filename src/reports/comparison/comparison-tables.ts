import type { Comparison, Condition, DurationComparison, ThresholdResult } from '#analysis'
import { type ShownColumn, shownColumns } from '../layout/column.ts'
import { countColumn, millisecondsColumn, textColumn } from '../layout/column-kinds.ts'
import { formatThresholdMeasured, reasonText } from '../run/thresholds.ts'

/** The limits that were asked for, each with what was measured; whether it was met is a sign that differs by medium. */
export const thresholdColumns: readonly ShownColumn<ThresholdResult>[] = [
  { header: 'threshold', align: 'left', dropOrder: 0, kind: 'code', cell: ({ threshold }) => threshold },
  { header: 'measured', align: 'right', dropOrder: 0, cell: formatThresholdMeasured },
  {
    header: 'contender',
    align: 'left',
    dropOrder: 0,
    cell: ({ contenderId, group }) => [contenderId, ...(group === null ? [] : [group])].join(', '),
  },
  {
    header: 'note',
    align: 'left',
    dropOrder: 0,
    isLong: true,
    cell: reasonText,
    isNeeded: (result) => reasonText(result) !== '',
  },
]

/** Latency by length of the audio on both sides: a percentile over mixed lengths says little without it. */
export const durationColumns: readonly ShownColumn<DurationComparison>[] = shownColumns<DurationComparison>([
  textColumn('audio', { header: 'audio' }, ({ bucket }) => bucket),
  countColumn('utterances', { header: 'utterances' }, ({ utteranceCount }) => utteranceCount),
  millisecondsColumn('base_p50_ms', { header: 'p50 base' }, ({ baseP50Ms }) => baseP50Ms),
  millisecondsColumn('run_p50_ms', { header: 'p50 run' }, ({ runP50Ms }) => runP50Ms),
  millisecondsColumn('base_p95_ms', { header: 'p95 base' }, ({ baseP95Ms }) => baseP95Ms),
  millisecondsColumn('run_p95_ms', { header: 'p95 run' }, ({ runP95Ms }) => runP95Ms),
])

/** What both sides have in common, and what not. */
export const conditionColumns: readonly ShownColumn<ConditionRow>[] = [
  { header: '', align: 'left', dropOrder: 0, cell: ({ key }) => key },
  { header: 'base', align: 'left', dropOrder: 0, isLong: true, cell: ({ base }) => base },
  {
    header: 'run',
    align: 'left',
    dropOrder: 0,
    isLong: true,
    cell: (row) => (isShared(row) ? 'the same' : row.run),
    tone: (row) => (isShared(row) ? 'faint' : row.key === 'runs' ? null : 'caution'),
  },
]

function isShared({ key, base, run }: ConditionRow): boolean {
  return base === run && key !== 'runs'
}

type ConditionRow = Omit<Condition, 'key'> & { readonly key: string }

/** A cell lists no more runs than this; the document lists them all. */
const maxListedRuns = 3

function runsOf({ runs }: Comparison['base']): string {
  const ids = runs.map(({ id }) => id)
  return ids.length > maxListedRuns ? `${ids.length} runs, ${ids[0]} to ${ids.at(-1)}` : ids.join(', ')
}

/** The runs of both sides, then the conditions in their order. */
export function conditionRows({ base, run, conditions }: Comparison): readonly ConditionRow[] {
  return [{ key: 'runs', base: runsOf(base), run: runsOf(run) }, ...conditions]
}
