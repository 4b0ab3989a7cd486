import type { ContenderEvaluation, LoadPhase } from '#analysis/documents/contender-evaluation'
import type { Evaluation, PooledContender } from '#analysis/documents/evaluation'
import { errorFreeShare } from '#analysis/figures/ranking/ranking'
import {
  counted,
  decimalsToDiffer,
  fixed,
  formatCount,
  formatDollars,
  formatSeconds,
  formatTimes,
  incomparableMark,
  incomparableNotes,
  marked,
  orAbsent,
  rateWords,
} from '../../layout/units.ts'
import {
  contenderColumn,
  type Details,
  detailsOf,
  detailsOfRows,
  latencyColumn,
  speedColumn,
} from './detail-table.ts'

export function loadDetails({ contenders }: Evaluation): Details | null {
  return detailsOfRows({
    title: 'The load, as offered and as sent',
    notes: ['Sent is what left in that time, repeats included, whenever it was answered.'],
    rows: contenders.flatMap(({ contender, loadPhases }) =>
      loadPhases.map((phase) => ({ ...phase, contender: contender.id })),
    ),
    columns: ({ column, count, file, text }) => [
      contenderColumn({ contenders }),
      text('phase', 'description', 'load'),
      count('offered', ({ offered }) => offered.requestCount),
      file('offered_seconds', ({ offered }) => offered.seconds),
      column('offered_per_second', ({ offered }) => offered.requestsPerSecond, rateText, 'rate offered'),
      count('sent', ({ sent }) => sent.requestCount),
      file('sent_seconds', ({ sent }) => sent.seconds),
      column('sent_per_second', ({ sent }) => sent.requestsPerSecond, rateText, 'rate sent'),
    ],
  })
}

/** Whether the load has a fixed duration, so that a round may be more than a pass over the corpus. */
export function isLoadTimed({ contenders }: Pick<Evaluation, 'contenders'>): boolean {
  return contenders.some(({ loadPhases }) => loadPhases[0]?.offered.seconds != null)
}

/** Whether one line cannot describe the load: it has several phases, or contenders were sent different loads. */
export function isLoadInTable({ contenders }: Evaluation): boolean {
  const lines = new Set(contenders.map(({ loadPhases }) => JSON.stringify(loadPhases.map(sentWords))))
  return lines.size > 1 || contenders.some(({ loadPhases }) => loadPhases.length > 1)
}

/** `390 of 390 requests sent in 39 s, 10.0/s`; empty for a closed load, which the count of answers describes. */
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
  return `${fixed(perSecond, perSecond < 9.95 ? decimalsToDiffer(perSecond, 2) : 1)}/s`
}

export function targetDetails(evaluation: Evaluation): Details | null {
  const { targets, contenders, profile } = evaluation
  // Several built-in services on this machine differ only in their threads.
  if (targets === undefined || targets.every(({ kind }) => kind === 'embedded')) return null
  const rows = contenders.flatMap((figures) => {
    const { id } = figures.contender
    const target = targets.find(({ contenderIds }) => contenderIds.includes(id))
    if (target === undefined) return []
    const { usdPerAudioHour } = figures.cost ?? {}
    // A share of 0 is null as well: then no recording came back without an error.
    const errorFree = errorFreeShare(evaluation, id) || null
    return [{ contender: id, target, figures, usdPerAudioHour, errorFree }]
  })
  const mark = incomparableMark(evaluation.speeds)
  const look = (header: string, dropOrder: number) => ({ header, dropOrder })
  const isBilled = ({ usdPerAudioHour }: (typeof rows)[number]): boolean => usdPerAudioHour !== undefined
  return detailsOf({
    title: 'Targets: accuracy compares; latency includes the network; speed is that of each machine',
    notes: [
      'round trip: median time to connect to the host before the run; connect and first byte (of the answer, from the head of the request on): medians of the requests.',
    ],
    rows,
    columns: ({ column, text, rate, milliseconds }) => [
      contenderColumn({ contenders }),
      text('machine', ({ target }) => target.machine),
      rate('error_rate', ({ figures }) => figures[profile.leads].rate, rateWords[profile.leads].short),
      latencyColumn('p50', mark),
      milliseconds('round_trip_ms', ({ target }) => target.roundTripMs, { dropOrder: 2 }),
      milliseconds(
        'connect_p50_ms',
        ({ figures }) => figures.phases.connectMs.p50.value,
        look('connect', 4),
        mark,
      ),
      milliseconds(
        'wait_p50_ms',
        ({ figures }) => figures.phases.waitMs.p50.value,
        look('first byte', 3),
        mark,
      ),
      speedColumn('speed there', mark),
      column('usd_per_audio_hour', 'usdPerAudioHour', formatDollars, { header: 'USD/h', isNeeded: isBilled }),
      column(
        'usd_per_error_free_hour',
        ({ usdPerAudioHour, errorFree }) => errorFree && usdPerAudioHour && usdPerAudioHour / errorFree,
        formatDollars,
        { header: 'USD/error-free h', dropOrder: 1, isNeeded: isBilled },
      ),
    ],
  })
}

export function hostDetails({ hosts, profile, speeds }: Evaluation): Details | null {
  if (hosts === undefined) return null
  const figuresOf = ({ latencyP50Ms, latencyP95Ms, speedPerHost }: PooledContender) =>
    Object.entries({ p50: latencyP50Ms, p95: latencyP95Ms, speed: speedPerHost })
  const byReason = Map.groupBy(hosts.flatMap(figuresOf), ([, { reason }]) => reason)
  const absences = [...byReason].flatMap(([reason, figures]) =>
    reason == null ? [] : [`${[...new Set(figures.map(([name]) => name))].join(', ')}: ${reason}`],
  )
  const mark = incomparableMark(speeds)
  const formatSpeed = (speed: number): string => marked(formatTimes(speed), mark)
  return detailsOf({
    title: 'All hosts together',
    notes: [
      'Errors and latencies are those of the requests of all hosts. Intervals resample hosts as a whole.',
      'The speed of one is that of a host while it measures. The speed of all is the sum of these where each host did all of the work, and the speech over the time of the whole run, warm-up and waiting included, where they shared it.',
      ...absences.map((absence) => `${absence}.`),
      ...incomparableNotes(speeds),
    ],
    rows: hosts,
    columns: ({ column, text, count, rate, rateInterval, fileInterval, milliseconds }) => [
      text('contender', 'contenderId'),
      count('hosts', ({ hosts: names }) => names.length),
      rate('error_rate', ({ [profile.leads]: errors }) => errors.rate, rateWords[profile.leads].short),
      ...rateInterval('error', ({ [profile.leads]: errors }) => errors.interval),
      milliseconds('latency_p50_ms', ({ latencyP50Ms }) => latencyP50Ms.value, 'p50', mark),
      ...fileInterval('latency_p50_ms', ({ latencyP50Ms }) => latencyP50Ms.interval),
      milliseconds('latency_p95_ms', ({ latencyP95Ms }) => latencyP95Ms.value, 'p95', mark),
      ...fileInterval('latency_p95_ms', ({ latencyP95Ms }) => latencyP95Ms.interval),
      column('rtfx', ({ speedPerHost }) => speedPerHost.value, formatSpeed, 'speed of one'),
      ...fileInterval('rtfx', ({ speedPerHost }) => speedPerHost.interval),
      column('rtfx_total', 'totalSpeed', formatSpeed, 'speed of all'),
    ],
  })
}
