import type { RobustnessCrossing } from '#analysis/documents/error-analysis'
import type { Evaluation } from '#analysis/documents/evaluation'
import { rateMetrics, referenceLength } from '#scoring/counts'
import { type Column, columnsOf } from '../../layout/table.ts'
import { absent, formatDollars, incomparableMark, rateWords } from '../../layout/units.ts'
import { withheldSentence } from '../speed-sentences.ts'
import { conditionText, type DimensionName, listDimensions } from '../varied.ts'
import {
  byContender,
  contenderColumn,
  type Details,
  detailsOf,
  detailsOfRows,
  latencyColumn,
  speedColumn,
} from './detail-table.ts'

export function robustnessDetails(evaluation: Evaluation): Details | null {
  const rows = byContender(evaluation, ({ robustness }) =>
    robustness.flatMap(({ parameter, unit, rungs }) => rungs.map((rung) => ({ parameter, unit, ...rung }))),
  )
  const { leads } = evaluation.profile
  const { short } = rateWords[leads]
  const name = short.toLowerCase()
  return detailsOfRows({
    title: `Robustness${against(rows)}`,
    notes: [
      'The same utterances at each value of the ladder; intervals resample the recordings that they were made from.',
    ],
    rows,
    columns: ({ column, count, file, rate, rateInterval }) => [
      contenderColumn(evaluation),
      parameterColumn(rows),
      column('value', 'value', String, { cell: (row) => conditionText(row.value, row.unit) }),
      file('unit', ({ unit }) => unit),
      rate(`${name}_rate`, ({ errors }) => errors.rate, short),
      ...rateInterval(name, ({ errors }) => errors.interval, {}),
      count('substitutions', ({ errors: { counts } }) => counts.substitutions, {
        header: 'sub',
        dropOrder: 2,
      }),
      count('deletions', ({ errors: { counts } }) => counts.deletions, { header: 'del', dropOrder: 2 }),
      count('insertions', ({ errors: { counts } }) => counts.insertions, { header: 'ins', dropOrder: 2 }),
      count(`reference_${leads}`, ({ errors: { counts } }) => referenceLength(counts), null),
      count('utterances', 'utteranceCount', { dropOrder: 1 }),
      count('asked', 'askedCount', null),
      count('scored', 'scoredCount', null),
    ],
  })
}

interface Varied {
  readonly parameter: string
}

/** The parameter in the title, if there is only one ladder; several are named by a column. */
function against(rows: readonly Varied[]): string {
  const [parameter, ...others] = new Set(rows.map((row) => row.parameter))
  return parameter === undefined || others.length > 0 ? '' : ` against ${parameter}`
}

function parameterColumn<Row extends Varied>(rows: readonly Row[]): Column<Row> {
  const look = against(rows) === '' ? 'condition' : null
  return columnsOf<Row>().text('parameter', ({ parameter }) => parameter, look)
}

interface Crossing extends Varied, RobustnessCrossing {
  readonly unit: string
}

export function limitDetails(evaluation: Evaluation): Details | null {
  const rows = byContender(evaluation, ({ robustness }) =>
    robustness.flatMap(({ parameter, unit, crossings }) =>
      crossings.map((crossing): Crossing => ({ parameter, unit, ...crossing })),
    ),
  )
  const ladderLimit = ({ parameter, unit, limitRate }: Crossing): string =>
    JSON.stringify([parameter, unit, limitRate])
  const crossed = new Set(rows.filter(({ position }) => position === 'within').map(ladderLimit))
  return detailsOfRows({
    title: `Where ${rateWords[evaluation.profile.leads].short} crosses a limit${against(rows)}`,
    notes: ['The value at which the rate exceeds the limit, interpolated between the values of the ladder.'],
    rows: rows.filter((row) => crossed.has(ladderLimit(row))),
    columns: ({ column, file, rate }) => [
      contenderColumn(evaluation),
      parameterColumn(rows),
      rate('limit_rate', 'limitRate'),
      column('value', 'value', String, { header: 'crossed at', cell: crossingText }),
      column('value_easier95', 'easierEnd', String, {
        header: '95% interval',
        align: 'left',
        dropOrder: 1,
        cell: intervalText,
      }),
      file('value_harder95', ({ harderEnd }) => harderEnd),
      file('unit', ({ unit }) => unit),
      file('position', ({ position }) => position),
    ],
  })
}

function crossingText({ position, value, unit }: Crossing): string {
  if (position === 'before') return 'above it at every value'
  if (position === 'beyond') return 'not reached'
  return conditionText(value, unit)
}

function intervalText({ position, easierEnd, harderEnd, unit }: Crossing): string {
  if (easierEnd === null && harderEnd === null && position !== 'within') return absent
  const end = (value: number | null, sign: string): string =>
    value === null ? sign : conditionText(value, unit)
  return `${end(easierEnd, 'easier than all')} – ${end(harderEnd, 'harder than all')}`
}

export function matrixDetails(evaluation: Evaluation, name: DimensionName): Details | null {
  const { contenders, profile, speeds } = evaluation
  const dimension = listDimensions(contenders).find((one) => one.name === name)
  if (dimension === undefined) return null
  const { title, values, lines } = dimension
  const metric = rateMetrics[profile.leads]
  const mark = incomparableMark(speeds)
  const withheld = withheldSentence(evaluation)
  return detailsOf({
    title: `By ${title}`,
    notes: withheld === null ? [] : [withheld],
    rows: lines.flatMap(({ label, contenders: lineContenders }) =>
      lineContenders.map((figures, index) => ({ at: label, value: values[index] ?? '', figures })),
    ),
    columns: ({ column, rate, rateInterval, text }) => [
      text('at', 'at', lines.length > 1 ? 'with' : null),
      text(name, 'value', title),
      rate(`${metric}_rate`, ({ figures }) => figures[profile.leads].rate, rateWords[profile.leads].short),
      ...rateInterval(metric, ({ figures }) => figures[profile.leads].interval, { dropOrder: 3 }),
      speedColumn('speed', mark),
      latencyColumn('p50', mark),
      latencyColumn('p95', mark, 2),
      column('usd_per_audio_hour', ({ figures }) => figures.cost?.usdPerAudioHour, formatDollars, {
        header: 'USD/h',
        dropOrder: 1,
        isNeeded: ({ figures }) => figures.cost !== null,
      }),
    ],
  })
}
