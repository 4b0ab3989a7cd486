import type { ContenderEvaluation, LoadPhase } from '#analysis/documents/contender-evaluation'
import type { EvaluatedTarget, Evaluation, PooledContender } from '#analysis/documents/evaluation'
import type { PercentileSet } from '#analysis/documents/speed'
import { errorFreeShare } from '#analysis/figures/ranking/ranking'
import {
  type Column,
  column,
  countColumn,
  fileColumn,
  fileIntervalColumns,
  intervalColumns,
  millisecondsColumn,
  rateColumn,
  textColumn,
} from '../../layout/table.ts'
import {
  counted,
  fixed,
  formatCount,
  formatDollars,
  formatSeconds,
  formatTimes,
  orAbsent,
  rateWords,
} from '../../layout/units.ts'
import { incomparableMark, incomparableNotes, marked } from '../../layout/words.ts'
import {
  type Contended,
  contenderColumn,
  type DetailTable,
  detailTable,
  type Figured,
  latencyColumn,
  speedColumn,
} from './detail-table.ts'

type LoadRow = LoadPhase & Contended

/** What a load offered and what left, phase by phase; null where nothing was sent. */
export function loadDetails({ contenders }: Evaluation): DetailTable | null {
  const rows = contenders.flatMap(({ contender, loadPhases }) =>
    loadPhases.map((phase): LoadRow => ({ ...phase, contender: contender.id })),
  )
  if (rows.length === 0) return null
  return detailTable<LoadRow>({
    title: 'The load, as offered and as sent',
    notes: ['Sent is what left in that time, repeats included, whenever it was answered.'],
    rows,
    columns: [
      contenderColumn({ contenders }),
      textColumn('phase', 'load', ({ description }) => description),
      countColumn('offered', 'offered', ({ offered }) => offered.requestCount),
      fileColumn('offered_seconds', ({ offered }) => offered.seconds),
      column('offered_per_second', 'rate offered', ({ offered }) => offered.requestsPerSecond, rateText),
      countColumn('sent', 'sent', ({ sent }) => sent.requestCount),
      fileColumn('sent_seconds', ({ sent }) => sent.seconds),
      column('sent_per_second', 'rate sent', ({ sent }) => sent.requestsPerSecond, rateText),
    ],
  })
}

/** Whether the load states its length, so that a round is more than a pass over the corpus. */
export function isLoadTimed({ contenders }: Pick<Evaluation, 'contenders'>): boolean {
  return contenders.some(({ loadPhases }) => loadPhases[0]?.offered.seconds != null)
}

/** Whether one line cannot say it: there are several phases, or contenders were not sent the same. */
export function isLoadInTable({ contenders }: Evaluation): boolean {
  const lines = new Set(contenders.map(({ loadPhases }) => JSON.stringify(loadPhases.map(sentWords))))
  return lines.size > 1 || contenders.some(({ loadPhases }) => loadPhases.length > 1)
}

/** `390 of 390 requests sent in 39 s, 10.0/s`; nothing for a load that waits for answers, of which the answers say it. */
export function sentFact({ loadPhases }: ContenderEvaluation): readonly string[] {
  const [only, ...others] = loadPhases
  return only === undefined || others.length > 0 || only.offered.seconds === null ? [] : [sentWords(only)]
}

function sentWords({ offered, sent }: LoadPhase): string {
  if (offered.seconds === null) return ''
  const time = orAbsent(sent.seconds, formatSeconds)
  return (
    `${formatCount(sent.requestCount)} of ${counted(offered.requestCount, 'request')} sent in ${time}` +
    (sent.requestsPerSecond === null ? '' : `, ${rateText(sent.requestsPerSecond)}`)
  )
}

function rateText(perSecond: number): string {
  return `${fixed(perSecond, perSecond < 9.95 ? 2 : 1)}/s`
}

interface TargetRow extends Contended, Figured {
  readonly target: EvaluatedTarget
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
      textColumn('machine', 'machine', ({ target }) => target.machine),
      rateColumn('error_rate', rateWords[profile.leads].short, ({ figures }) => figures[profile.leads].rate),
      latencyColumn('p50', mark),
      millisecondsColumn('round_trip_ms', 'round trip', ({ target }) => target.roundTripMs),
      ...phases.map(([key, header]) => phaseColumn({ key, header, mark })),
      speedColumn('speed there', mark),
      column(
        'usd_per_audio_hour',
        'USD/h',
        ({ figures }) => figures.cost?.usdPerAudioHour ?? null,
        formatDollars,
      ),
      column('usd_per_error_free_hour', 'USD/error-free h', usdPerErrorFreeHour, formatDollars),
    ],
  })
}

function phaseColumn({
  key,
  header,
  mark,
}: {
  readonly key: (typeof phases)[number][0]
  readonly header: string
  readonly mark: string
}): Column<TargetRow> {
  const set = ({ figures }: TargetRow): PercentileSet => figures.phases[key]
  return millisecondsColumn(`${key.replace('Ms', '')}_p50_ms`, { header }, (row) => set(row).p50.value, mark)
}

/** Null where nothing was paid, or no recording came back without an error. */
function usdPerErrorFreeHour({ figures: { cost }, errorFree }: TargetRow): number | null {
  return cost === null || errorFree === null || errorFree === 0 ? null : cost.usdPerAudioHour / errorFree
}

/** The contenders of a merged run over all its hosts; null for a run of one host. */
export function hostDetails({ hosts, profile, speeds }: Evaluation): DetailTable | null {
  if (hosts === undefined) return null
  const rate = ({ [profile.leads]: own }: PooledContender): PooledContender['words'] => own
  const figuresOf = ({ latencyP50Ms, latencyP95Ms, speedPerHost }: PooledContender) =>
    Object.entries({ p50: latencyP50Ms, p95: latencyP95Ms, speed: speedPerHost })
  const byReason = Map.groupBy(hosts.flatMap(figuresOf), ([, { reason }]) => reason)
  const absences = [...byReason].flatMap(([reason, figures]) =>
    reason == null ? [] : [`${[...new Set(figures.map(([name]) => name))].join(', ')}: ${reason}`],
  )
  const mark = incomparableMark(speeds)
  const formatSpeed = (speed: number): string => marked(formatTimes(speed), mark)
  return detailTable<PooledContender>({
    title: 'All hosts together',
    notes: [
      'Errors and latencies are those of the requests of all hosts. Intervals resample hosts as a whole.',
      'The speed of one is that of a host while it measures. The speed of all is the sum of these where each host did all of the work, and the speech over the time of the whole run, warm-up and waiting included, where they shared it.',
      ...absences.map((absence) => `${absence}.`),
      ...incomparableNotes(speeds),
    ],
    rows: hosts,
    columns: [
      textColumn('contender', 'contender', ({ contenderId }) => contenderId),
      countColumn('hosts', 'hosts', ({ hosts: own }) => own.length),
      rateColumn('error_rate', rateWords[profile.leads].short, (row) => rate(row).rate),
      ...intervalColumns<PooledContender>('error', (row) => rate(row).interval),
      ...figureColumns({ name: 'latency_p50_ms', header: 'p50', mark }, ({ latencyP50Ms }) => latencyP50Ms),
      ...figureColumns({ name: 'latency_p95_ms', header: 'p95', mark }, ({ latencyP95Ms }) => latencyP95Ms),
      column('rtfx', 'speed of one', ({ speedPerHost }) => speedPerHost.value, formatSpeed),
      ...fileIntervalColumns<PooledContender>(
        'rtfx',
        '',
        ({ speedPerHost }) => speedPerHost.interval ?? null,
      ),
      column('rtfx_total', 'speed of all', ({ totalSpeed }) => totalSpeed, formatSpeed),
    ],
  })
}

function figureColumns(
  { name, header, mark }: { readonly name: string; readonly header: string; readonly mark: string },
  figure: (row: PooledContender) => PooledContender['latencyP50Ms'],
): readonly Column<PooledContender>[] {
  return [
    millisecondsColumn(name, { header }, (row) => figure(row).value, mark),
    ...fileIntervalColumns<PooledContender>(name, '', (row) => figure(row).interval ?? null),
  ]
}
