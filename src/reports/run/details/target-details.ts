import {
  type ContenderEvaluation,
  type EvaluatedTarget,
  type Evaluation,
  errorFreeShare,
  type PercentileSet,
} from '#analysis'
import type { Column } from '../../layout/column.ts'
import { column, millisecondsColumn, rateColumn, textColumn } from '../../layout/column-kinds.ts'
import { rateWords } from '../../layout/rate-words.ts'
import { formatDollars, formatMilliseconds, formatTimes, orAbsent } from '../../layout/units.ts'
import { incomparableMark, marked } from '../words/speed-words.ts'
import { type Contended, contenderColumn } from './by-contender.ts'
import { type DetailTable, detailTable } from './detail-table.ts'

interface TargetRow extends Contended {
  readonly target: EvaluatedTarget
  readonly figures: ContenderEvaluation
  readonly errorFree: number | null
}

const phases = [
  ['connectMs', 'connect'],
  ['waitMs', 'first byte'],
] as const

/** Contenders with their machines, the part of the network in their latency, and what they cost; null for one target. */
export function targetDetails(evaluation: Evaluation): DetailTable | null {
  const { targets, contenders, profile } = evaluation
  // Several built-in services on this machine differ in their threads alone.
  if (targets === undefined || targets.every(({ kind }) => kind === 'embedded')) return null
  const rows = contenders.flatMap((figures): TargetRow[] => {
    const { id } = figures.contender
    const target = targets.find(({ contenderIds }) => contenderIds.includes(id))
    return target === undefined
      ? []
      : [{ contender: id, target, figures, errorFree: errorFreeShare(evaluation, id) }]
  })
  const mark = incomparableMark(evaluation.speeds)
  return detailTable<TargetRow>({
    title: 'Targets: accuracy compares; latency includes the network; speed is that of each machine',
    notes: [
      'round trip: median time to connect to the host before the run; connect and first byte (of the answer, from the head of the request on): medians of the requests.',
    ],
    rows,
    columns: [
      contenderColumn({ contenders }),
      textColumn('machine', { header: 'machine' }, ({ target }) => target.machine),
      rateColumn(
        'error_rate',
        { header: rateWords[profile.leads].short },
        ({ figures }) => figures[profile.leads].rate,
      ),
      millisecondsColumn(
        'latency_p50_ms',
        {
          header: 'p50',
          cell: ({ figures }) => marked(orAbsent(figures.latencyMs.p50.value, formatMilliseconds), mark),
        },
        ({ figures }) => figures.latencyMs.p50.value,
      ),
      millisecondsColumn('round_trip_ms', { header: 'round trip' }, ({ target }) => target.roundTripMs),
      ...phases.map(([key, header]) => phaseColumn(key, header)),
      column(
        'rtfx',
        {
          header: 'speed there',
          cell: ({ figures }) => marked(orAbsent(figures.systemSpeed.value, formatTimes), mark),
        },
        ({ figures }) => figures.systemSpeed.value,
        formatTimes,
      ),
      column(
        'usd_per_audio_hour',
        { header: 'USD/h' },
        ({ figures }) => figures.cost?.usdPerAudioHour ?? null,
        formatDollars,
      ),
      column('usd_per_error_free_hour', { header: 'USD/error-free h' }, usdPerErrorFreeHour, formatDollars),
    ],
  })
}

function phaseColumn(key: (typeof phases)[number][0], header: string): Column<TargetRow> {
  const set = ({ figures }: TargetRow): PercentileSet => figures.phases[key]
  return millisecondsColumn(`${key.replace('Ms', '')}_p50_ms`, { header }, (row) => set(row).p50.value)
}

/** Null where nothing was paid, or no recording came back without an error. */
function usdPerErrorFreeHour({ figures: { cost }, errorFree }: TargetRow): number | null {
  return cost === null || errorFree === null || errorFree === 0 ? null : cost.usdPerAudioHour / errorFree
}
