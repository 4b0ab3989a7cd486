import type { Robustness, RobustnessCrossing, RobustnessRung } from '#analysis/documents/error-analysis'
import type { Evaluation } from '#analysis/documents/evaluation'
import { rateMetrics, referenceLength } from '#scoring/counts'
import {
  type Column,
  column,
  countColumn,
  fileColumn,
  intervalColumns,
  rateColumn,
  textColumn,
} from '../../layout/table.ts'
import { absent, formatDollars, rateWords } from '../../layout/units.ts'
import {
  conditionText,
  type DimensionName,
  incomparableMark,
  listDimensions,
  withheldSentence,
} from '../../layout/words.ts'
import {
  byContender,
  type Contended,
  contenderColumn,
  type DetailTable,
  detailTable,
  type Figured,
  latencyColumn,
  speedColumn,
} from './detail-table.ts'

type RungRow = Contended & Pick<Robustness, 'parameter' | 'unit'> & RobustnessRung

/** The error rate at each value of a ladder; null for a corpus without one. */
export function robustnessDetails(evaluation: Evaluation): DetailTable | null {
  const rows = byContender(evaluation, ({ robustness }) =>
    robustness.flatMap(({ parameter, unit, rungs }) => rungs.map((rung) => ({ parameter, unit, ...rung }))),
  )
  if (rows.length === 0) return null
  const { leads } = evaluation.profile
  const { short } = rateWords[leads]
  const name = short.toLowerCase()
  return detailTable<RungRow>({
    title: `Robustness${against(rows)}`,
    notes: [
      'The same utterances at each value of the ladder; intervals resample the recordings that they were made from.',
    ],
    rows,
    columns: [
      contenderColumn(evaluation),
      parameterColumn(rows),
      column(
        'value',
        { header: 'value', cell: (row) => conditionText(row.value, row.unit) },
        ({ value }) => value,
        String,
      ),
      fileColumn('unit', ({ unit }) => unit),
      rateColumn(`${name}_rate`, short, ({ errors }) => errors.rate),
      ...intervalColumns<RungRow>(name, ({ errors }) => errors.interval, {}),
      countColumn(
        'substitutions',
        { header: 'sub', dropOrder: 2 },
        ({ errors }) => errors.counts.substitutions,
      ),
      countColumn('deletions', { header: 'del', dropOrder: 2 }, ({ errors }) => errors.counts.deletions),
      countColumn('insertions', { header: 'ins', dropOrder: 2 }, ({ errors }) => errors.counts.insertions),
      countColumn(`reference_${leads}`, null, ({ errors }) => referenceLength(errors.counts)),
      countColumn(
        'utterances',
        { header: 'utterances', dropOrder: 1 },
        ({ utteranceCount }) => utteranceCount,
      ),
      countColumn('asked', null, ({ askedCount }) => askedCount),
      countColumn('scored', null, ({ scoredCount }) => scoredCount),
    ],
  })
}

interface Varied {
  readonly parameter: string
}

/** A single ladder is named by the title, several by a column. */
function against(rows: readonly Varied[]): string {
  const [parameter, ...others] = new Set(rows.map((row) => row.parameter))
  return parameter === undefined || others.length > 0 ? '' : ` against ${parameter}`
}

function parameterColumn<Row extends Varied>(rows: readonly Row[]): Column<Row> {
  const look = against(rows) === '' ? { header: 'condition' } : null
  return textColumn('parameter', look, ({ parameter }) => parameter)
}

type LimitRow = Contended & Pick<Robustness, 'parameter' | 'unit'> & RobustnessCrossing

/** The value at which the error rate crosses each limit that any contender crosses. */
export function limitDetails(evaluation: Evaluation): DetailTable | null {
  const rows = byContender(evaluation, ({ robustness }) =>
    robustness.flatMap(({ parameter, unit, crossings }) =>
      crossings.map((crossing) => ({ parameter, unit, ...crossing })),
    ),
  )
  const isCrossed = ({ parameter, limitRate }: LimitRow): boolean =>
    rows.some(
      (row) => row.parameter === parameter && row.limitRate === limitRate && row.position === 'within',
    )
  const crossed = rows.filter(isCrossed)
  if (crossed.length === 0) return null
  const { short } = rateWords[evaluation.profile.leads]
  return detailTable<LimitRow>({
    title: `Where ${short} crosses a limit${against(rows)}`,
    notes: ['The value at which the rate exceeds the limit, interpolated between the values of the ladder.'],
    rows: crossed,
    columns: [
      contenderColumn(evaluation),
      parameterColumn(rows),
      rateColumn('limit_rate', 'limit', ({ limitRate }) => limitRate),
      column('value', { header: 'crossed at', cell: crossingText }, ({ value }) => value, String),
      {
        name: 'value_easier95',
        value: ({ easierEnd }) => easierEnd,
        shown: { header: '95% interval', dropOrder: 1, cell: intervalText },
      },
      fileColumn('value_harder95', ({ harderEnd }) => harderEnd),
      fileColumn('unit', ({ unit }) => unit),
      fileColumn('position', ({ position }) => position),
    ],
  })
}

function crossingText({ position, value, unit }: LimitRow): string {
  if (position === 'before') return 'above it at every value'
  if (position === 'beyond') return 'not reached'
  return conditionText(value, unit)
}

function intervalText({ position, easierEnd, harderEnd, unit }: LimitRow): string {
  if (easierEnd === null && harderEnd === null && position !== 'within') return absent
  const end = (value: number | null, sign: string): string =>
    value === null ? sign : conditionText(value, unit)
  return `${end(easierEnd, 'easier than all')} – ${end(harderEnd, 'harder than all')}`
}

interface CellRow extends Figured {
  readonly at: string
  readonly value: string
}

/** The contenders of a matrix by one of its dimensions; null where it is none of them. */
export function matrixDetails(evaluation: Evaluation, name: DimensionName): DetailTable | null {
  const { contenders, profile, speeds } = evaluation
  const dimension = listDimensions(contenders).find((one) => one.name === name)
  if (dimension === undefined) return null
  const { title, values, lines } = dimension
  const rows = lines.flatMap(({ label, contenders: own }): readonly CellRow[] =>
    own.map((figures, place) => ({ at: label, value: values[place] ?? '', figures })),
  )
  const { short } = rateWords[profile.leads]
  const mark = incomparableMark(speeds)
  const withheld = withheldSentence(evaluation)
  const columns: readonly Column<CellRow>[] = [
    textColumn('at', lines.length > 1 ? { header: 'with' } : null, ({ at }) => at),
    textColumn(name, { header: title }, ({ value }) => value),
    rateColumn(`${rateMetrics[profile.leads]}_rate`, short, ({ figures }) => figures[profile.leads].rate),
    ...intervalColumns<CellRow>(
      rateMetrics[profile.leads],
      ({ figures }) => figures[profile.leads].interval,
      { dropOrder: 3 },
    ),
    speedColumn('speed', mark),
    latencyColumn('p50', mark),
    latencyColumn('p95', mark, 2),
    column(
      'usd_per_audio_hour',
      { header: 'USD/h', dropOrder: 1, isNeeded: ({ figures }) => figures.cost !== null },
      ({ figures }) => figures.cost?.usdPerAudioHour ?? null,
      formatDollars,
    ),
  ]
  return detailTable<CellRow>({
    title: `By ${title}`,
    notes: withheld === null ? [] : [withheld],
    rows,
    columns,
  })
}
