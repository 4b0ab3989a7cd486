import type { ContenderEvaluation } from '#analysis/documents/contender-evaluation'
import type { Evaluation } from '#analysis/documents/evaluation'
import { type Percentile, phaseFamilies } from '#analysis/documents/latency'
import type { Column, Columns } from '../../layout/table.ts'
import { foreign } from '../../layout/terminal.ts'
import {
  absent,
  counted,
  formatMilliseconds,
  formatRange,
  formatSeconds,
  incomparableMark,
} from '../../layout/units.ts'
import { fittedParts } from '../speed-sentences.ts'
import { byContender, contenderColumn, type Details, detailsOf, detailsOfRows } from './detail-table.ts'

export function timeDetails(evaluation: Evaluation): Details | null {
  // A contender has either compared times, or the reason why there are none.
  const rows = byContender(evaluation, ({ times }) => {
    if (times === null) return []
    return [times.reason === null ? { times, absence: null } : { times: null, absence: times.reason }]
  })
  return detailsOfRows({
    title: 'Times of words',
    notes: [
      'Mean absolute error over the words that the alignment matches. Where segments are timed, the first word of one has its ' +
        'start and the last word its end.',
      ...rows.flatMap(({ contender, absence }) =>
        absence === null ? [] : [`${contender}: no times were compared, because ${absence}.`],
      ),
    ],
    rows,
    columns: ({ count, file, milliseconds, millisecondsInterval, rate, rateInterval, text }) => [
      contenderColumn(evaluation),
      text('times_of', ({ times }) => times?.units.map((unit) => `${unit}s`).join(', '), { dropOrder: 2 }),
      count('compared_words', ({ times }) => times?.rate.denominator, 'words'),
      file('matched_words', ({ times }) => times?.matchedCount ?? null),
      file('untimed_answers', ({ times }) => times?.untimedCount ?? null),
      milliseconds('start_error_ms', ({ times }) => times?.startError.meanMs),
      ...millisecondsInterval('start_error', ({ times }) => times?.startError.interval),
      milliseconds('end_error_ms', ({ times }) => times?.endError.meanMs),
      ...millisecondsInterval('end_error', ({ times }) => times?.endError.interval),
      rate('within_200_ms_rate', ({ times }) => times?.rate.rate),
      ...rateInterval('within_200_ms', ({ times }) => times?.rate.interval),
      file('absence', ({ absence }) => absence),
    ],
  })
}

/** Percentiles by length of the audio; null if all lengths are about equal, so that no figure mixes them. */
export function lengthDetails({ contenders, speeds }: Evaluation): Details | null {
  if (contenders.every(({ latencyByDuration }) => latencyByDuration.length < 2)) return null
  const mark = incomparableMark(speeds)
  return detailsOf({
    title: 'Latency by length of the audio',
    rows: contenders.flatMap(({ contender, latencyByDuration }) =>
      latencyByDuration.map((latency) => ({ contender: contender.id, ...latency })),
    ),
    columns: (make) => [
      contenderColumn({ contenders }),
      make.text('audio', 'bucket'),
      make.count('utterances', 'utteranceCount'),
      make.count('requests', ({ latencyMs }) => latencyMs.sampleCount),
      ...percentileColumns(make, 'p50', mark, ({ latencyMs }) => latencyMs.p50),
      ...percentileColumns(make, 'p95', mark, ({ latencyMs }) => latencyMs.p95),
    ],
  })
}

function percentileColumns<Row>(
  { milliseconds, fileInterval }: Columns<Row>,
  name: string,
  mark: string,
  percentile: (row: Row) => Percentile,
): readonly Column<Row>[] {
  const interval = (row: Row) => {
    const figure = percentile(row)
    return figure.value === null ? null : figure.interval
  }
  return [
    milliseconds(`${name}_ms`, (row) => percentile(row).value, name, mark),
    ...fileInterval(name, interval, '_ms'),
  ]
}

export function predictionDetails({ contenders, speeds }: Evaluation): Details | null {
  const rows = contenders.flatMap((contender) =>
    expectedLatencies(contender).map((expected) => ({ ...expected, contender: contender.contender.id })),
  )
  const mark = incomparableMark(speeds)
  return detailsOfRows({
    title: 'What a request of a length is expected to take',
    notes: [
      ...contenders.map(fittedText),
      ...(rows.some(({ isExtrapolated }) => isExtrapolated)
        ? [
            '~ before a length: shorter or longer than any audio that was measured; the line is taken to go on',
          ]
        : []),
    ],
    rows,
    columns: ({ column, file, milliseconds, millisecondsInterval }) => [
      contenderColumn({ contenders }),
      column('audio_seconds', 'audioSeconds', formatSeconds, {
        header: 'audio',
        cell: ({ audioSeconds, isExtrapolated }) =>
          `${isExtrapolated ? '~ ' : ''}${formatSeconds(audioSeconds)}`,
      }),
      milliseconds('p50_ms', 'p50Ms', 'p50', mark),
      ...millisecondsInterval('p50', ({ p50Interval }) => p50Interval, {
        dropOrder: 1,
        cell: ({ p50Interval }) =>
          p50Interval === null ? absent : formatRange(p50Interval, formatMilliseconds),
      }),
      milliseconds('p95_ms', 'p95Ms', 'p95', mark),
      file('is_extrapolated', ({ isExtrapolated }) => String(isExtrapolated)),
    ],
  })
}

function fittedText({ contender, latencyModel }: ContenderEvaluation): string {
  const name = foreign(contender.id)
  if (latencyModel.value === null) return `${name} has no line: ${latencyModel.reason}.`
  return `${name}: ${fittedParts(latencyModel)}.`
}

function expectedLatencies({ latencyModel, latencyMs }: ContenderEvaluation) {
  if (latencyModel.value === null) return []
  // With fewer requests than a p95 needs, too few residuals are known for a predicted p95.
  const hasHigh = latencyMs.p95.value !== null
  return latencyModel.predictions.map(({ p95Ms, ...expected }) => ({
    ...expected,
    p95Ms: hasHigh ? p95Ms : null,
  }))
}

export function coldDetails({ contenders, speeds }: Evaluation): Details | null {
  if (contenders.every(({ firstRequestMs }) => firstRequestMs === null)) return null
  const mark = incomparableMark(speeds)
  return detailsOf({
    title: 'Cold start, which is in no other figure',
    notes: contenders.flatMap(({ contender, untilSteadyMs, warmUp }) => [
      warmUpNote(contender.id, warmUp),
      ...(untilSteadyMs.value === null
        ? [`When ${contender.id} had its steady speed is not known: ${untilSteadyMs.reason}.`]
        : []),
    ]),
    rows: contenders.map((figures) => ({ contender: figures.contender.id, figures })),
    columns: ({ milliseconds }) => [
      contenderColumn({ contenders }),
      milliseconds('model_loading_ms', ({ figures }) => figures.modelLoadingMs.value, 'loading', mark),
      milliseconds('first_request_ms', ({ figures }) => figures.firstRequestMs, 'first answer', mark),
      milliseconds('until_steady_ms', ({ figures }) => figures.untilSteadyMs.value, 'steady after', mark),
    ],
  })
}

function warmUpNote(
  contenderId: string,
  { requestCount, hasSettled }: ContenderEvaluation['warmUp'],
): string {
  const settled =
    hasSettled === null
      ? 'whether its latencies had settled is not known, because too few answers can be compared'
      : hasSettled
        ? 'its latencies had settled'
        : 'its latencies still fell'
  return `${contenderId} was warmed up by ${counted(requestCount, 'request')}: ${settled}.`
}

export function phaseDetails({ contenders, speeds }: Evaluation): Details | null {
  const rows = contenders.flatMap(({ contender, phases }) =>
    phaseFamilies.map(({ name, of }) => ({ contender: contender.id, phase: name, ms: phases[of] })),
  )
  if (rows.every(({ ms }) => ms.sampleCount === 0)) return null
  const mark = incomparableMark(speeds)
  return detailsOf({
    title: 'Where the time of a request went',
    rows,
    columns: ({ count, milliseconds, text }) => [
      contenderColumn({ contenders }),
      text('phase', 'phase'),
      count('requests', ({ ms }) => ms.sampleCount),
      milliseconds('p50_ms', ({ ms }) => ms.p50.value, 'p50', mark),
      milliseconds('p95_ms', ({ ms }) => ms.p95.value, 'p95', mark),
    ],
  })
}
