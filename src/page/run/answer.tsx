import type { JSX } from 'preact'
import type { ContenderEvaluation } from '#analysis/documents/contender-evaluation'
import {
  absent,
  formatDollars,
  formatMilliseconds,
  formatMinute,
  formatPercent,
  formatRange,
  formatSeconds,
  formatTimes,
  incomparableMark,
  marked,
  orAbsent,
  type RunPage,
  rateWords,
} from '#reports/page'
import { type BigFigure, BigFigures, ContenderName, DataTable, Name, TableFigure } from '../layout.tsx'
import { type Chip, type FindingLinks, graveChip, Head } from '../warnings.tsx'
import { useRun } from './shown-run.tsx'

/** The answer, the figures, the table, and the findings. */
export function Answer(): JSX.Element {
  const { page, evaluation } = useRun()
  const { hosts, load, summary } = page.tables
  const { run, corpus } = evaluation
  return (
    <Head
      overline={
        <>
          <Name>{run.name}</Name> · {formatMinute(run.startedAt)}
        </>
      }
      chip={validityChip(page)}
      answer={page.answer}
      warning={evaluation.validity === 'invalid' ? 'Its figures are shown to find out why.' : null}
      facts={
        <>
          <bdi>{page.facts}</bdi> · {formatSeconds(corpus.audioSeconds)} of audio
        </>
      }
      warnings={evaluation.findings}
      links={links}
    >
      {hosts === undefined ? <FirstFigures /> : <TableFigure {...hosts} />}
      <DataTable label="Summary of all contenders" table={summary} />
      {load && <TableFigure {...load} />}
    </Head>
  )
}

/** Sections of this page with details of a finding, by its code. */
const links: FindingLinks = {
  COVERAGE_LOW: { id: 'failures', title: 'Failed requests' },
  REQUESTS_FAILED: { id: 'failures', title: 'Failed requests' },
  FEW_UTTERANCES: { id: 'accuracy', title: 'Intervals' },
  FEW_SPEAKERS: { id: 'accuracy', title: 'Intervals' },
  UTTERANCE_OVER_100: { id: 'over-100', title: 'These utterances' },
  REFERENCES_SUSPECT: { id: 'doubts', title: 'These references' },
  SELF_REFERENCE: { id: 'doubts', title: 'These references' },
  DRIFT_WITHIN_RUN: { id: 'course', title: 'Course of the run' },
  HOST_BUSY: { id: 'course', title: 'Course of the run' },
  LATENCIES_DEPENDENT: { id: 'speed', title: 'Latency' },
  REPEATS_FASTER: { id: 'speed', title: 'Latency' },
  PRICE_UNSOURCED: { id: 'provenance', title: 'Provenance' },
  PRICE_UNKNOWN: { id: 'provenance', title: 'Provenance' },
}

/** The figures of the first contenders of the ranking. */
function FirstFigures(): JSX.Element {
  const { evaluation, contenders } = useRun()
  return (
    <BigFigures
      label="The figures"
      noun="contenders"
      groups={contenders.map(({ index, id, figures }) => ({
        key: id,
        name: contenders.length === 1 ? null : <ContenderName index={index} id={id} />,
        figures: firstFigures(figures, evaluation),
      }))}
    />
  )
}

function firstFigures(
  figures: ContenderEvaluation,
  { profile: { leads }, speeds }: RunPage['evaluation'],
): readonly BigFigure[] {
  const { [leads]: errors, latencyMs, systemSpeed, cost } = figures
  const mark = incomparableMark(speeds)
  return [
    {
      label: rateWords[leads].short,
      value: orAbsent(errors.rate, formatPercent),
      detail: orAbsent(errors.interval, (bounds) => formatRange(bounds, formatPercent)),
    },
    ...(['p50', 'p95'] as const).map((name): BigFigure => {
      const figure = latencyMs[name]
      return figure.value === null
        ? { label: `latency ${name}`, value: absent, detail: figure.reason }
        : {
            label: `latency ${name}`,
            value: marked(formatMilliseconds(figure.value), mark),
            detail: orAbsent(figure.interval, (bounds) => formatRange(bounds, formatMilliseconds)),
          }
    }),
    {
      label: 'speed',
      value: marked(orAbsent(systemSpeed.value, formatTimes), mark),
      detail: systemSpeed.value === null ? systemSpeed.reason : 'real time',
    },
    ...(cost === null
      ? []
      : [{ label: 'cost', value: `$${formatDollars(cost.usdPerAudioHour)}`, detail: 'an hour of audio' }]),
  ]
}

function validityChip({ evaluation }: RunPage): Chip | null {
  const { validity, run, findings } = evaluation
  const grave = graveChip(findings)
  if (grave !== null) return grave
  if (validity === 'short') return { tone: 'caution', text: 'short' }
  if (run.status !== 'finished') return { tone: 'caution', text: `partial: ${run.status}` }
  return null
}
