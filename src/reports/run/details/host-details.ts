import type { Evaluation, PooledContender } from '#analysis'
import {
  column,
  countColumn,
  fileColumn,
  intervalColumns,
  millisecondsColumn,
  rateColumn,
  textColumn,
} from '../../layout/column-kinds.ts'
import { rateWords } from '../../layout/rate-words.ts'
import { formatTimes } from '../../layout/units.ts'
import { type DetailTable, detailTable } from './detail-table.ts'

/** The contenders of a merged run over all its hosts; null for a run of one host. */
export function hostDetails({ hosts, profile, speeds }: Evaluation): DetailTable | null {
  if (hosts === undefined) return null
  const rate = ({ [profile.leads]: own }: PooledContender): PooledContender['words'] => own
  const reasons = new Set(
    hosts.flatMap(({ latencyP50Ms, latencyP95Ms, speedPerHost }) =>
      [latencyP50Ms, latencyP95Ms, speedPerHost].flatMap(({ reason }) => reason ?? []),
    ),
  )
  return detailTable<PooledContender>({
    title: 'All hosts together',
    notes: [
      'Errors and latencies are those of the requests of all hosts. Intervals resample hosts as a whole.',
      ...(reasons.size === 0 ? [] : [`What is absent: ${[...reasons].join('; ')}.`]),
      ...(speeds.withheld === null ? [] : [`Latencies and speeds are not comparable: ${speeds.withheld}.`]),
    ],
    rows: hosts,
    columns: [
      textColumn('contender', { header: 'contender' }, ({ contenderId }) => contenderId),
      countColumn('hosts', { header: 'hosts' }, ({ hosts: own }) => own.length),
      rateColumn('error_rate', { header: rateWords[profile.leads].short }, (row) => rate(row).rate),
      ...intervalColumns<PooledContender>('error', (row) => rate(row).interval),
      ...figureColumns('latency_p50_ms', 'p50', ({ latencyP50Ms }) => latencyP50Ms),
      ...figureColumns('latency_p95_ms', 'p95', ({ latencyP95Ms }) => latencyP95Ms),
      column('rtfx', { header: 'speed of one' }, ({ speedPerHost }) => speedPerHost.value, formatTimes),
      fileColumn('rtfx_low95', ({ speedPerHost }) => speedPerHost.interval?.low ?? null),
      fileColumn('rtfx_high95', ({ speedPerHost }) => speedPerHost.interval?.high ?? null),
      column('rtfx_total', { header: 'speed of all' }, ({ totalSpeed }) => totalSpeed, formatTimes),
    ],
  })
}

function figureColumns(
  name: string,
  header: string,
  figure: (row: PooledContender) => PooledContender['latencyP50Ms'],
): readonly ReturnType<typeof millisecondsColumn<PooledContender>>[] {
  return [
    millisecondsColumn(name, { header }, (row) => figure(row).value),
    fileColumn(`${name}_low95`, (row) => figure(row).interval?.low ?? null),
    fileColumn(`${name}_high95`, (row) => figure(row).interval?.high ?? null),
  ]
}
