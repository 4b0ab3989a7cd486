import type { JSX } from 'preact'
import type { ContenderEvaluation, Interval, Percentile } from '#analysis'
import {
  absent,
  counted,
  formatCount,
  formatDollars,
  formatMilliseconds,
  formatPercent,
  formatSeconds,
  formatTimes,
  incomparableMark,
  marked,
  placesMeaning,
  type RunPage,
  rateWords,
  utterancesOf,
} from '#reports/page'
import { type ErrorLevel, leadingFirst, rateOfAll } from '#scoring'
import { type BigFigure, BigFigures } from './big-figures.tsx'
import { type DataColumn, DataTable } from './data-table.tsx'
import { type Chip, Head } from './head.tsx'
import { ContenderName, Name } from './layout.tsx'
import { type PlacedContender, rankedContenders } from './run/ranking.ts'
import type { FindingLinks } from './warnings.tsx'

/** The sentence, the figures, the table, and what could make one distrust them. */
export function Answer({ page }: { readonly page: RunPage }): JSX.Element {
  const { evaluation } = page
  const { run, corpus, load, rounds } = evaluation
  return (
    <Head
      overline={
        <>
          <Name>{run.name}</Name> · {run.startedAt.slice(0, 16).replace('T', ' ')} UTC
        </>
      }
      chip={validityChip(page)}
      answer={page.answer}
      warning={
        evaluation.validity === 'invalid'
          ? 'This run is not valid; its figures are shown to find out why.'
          : null
      }
      facts={
        <>
          corpus <Name>{corpus.name}</Name>, {utterancesOf(corpus)}, {formatSeconds(corpus.audioSeconds)} of
          audio · {counted(rounds, 'round')} · {load.description} · score {page.scoreName}
        </>
      }
      warnings={evaluation.findings}
      links={links}
    >
      <FirstFigures page={page} />
      <Summary page={page} />
    </Head>
  )
}

/** Where this page shows more of what its findings are about. */
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
  HOST_OVERLOADED: { id: 'course', title: 'Course of the run' },
  LATENCIES_DEPENDENT: { id: 'speed', title: 'Latency' },
  REPEATS_FASTER: { id: 'speed', title: 'Latency' },
  PRICE_UNSOURCED: { id: 'provenance', title: 'Provenance' },
}

/** With more contenders the table is easier to read. */
const maxGroups = 3

/** The figures of the first contenders of the ranking. */
function FirstFigures({ page }: { readonly page: RunPage }): JSX.Element {
  const contenders = rankedContenders(page)
  return (
    <BigFigures
      label={contenders.length > maxGroups ? `The first ${maxGroups} contenders` : 'The figures'}
      groups={contenders.slice(0, maxGroups).map(({ index, id, figures }) => ({
        key: id,
        name: contenders.length === 1 ? null : <ContenderName index={index} id={id} />,
        figures: bigFiguresOf(figures, page.evaluation.profile.leads),
      }))}
    />
  )
}

function bigFiguresOf(figures: ContenderEvaluation, leads: ErrorLevel): readonly BigFigure[] {
  const { [leads]: errors, latencyMs, systemSpeed, cost } = figures
  return [
    {
      label: rateWords[leads].short,
      value: formatPercent(errors.rate),
      detail: intervalText(errors.interval, formatPercent),
    },
    ...(['p50', 'p95'] as const).map((name): BigFigure => {
      const figure = latencyMs[name]
      return figure.value === null
        ? { label: `latency ${name}`, value: absent, detail: figure.reason }
        : {
            label: `latency ${name}`,
            value: formatMilliseconds(figure.value),
            detail: intervalText(figure.interval, formatMilliseconds),
          }
    }),
    {
      label: 'speed',
      value: systemSpeed.value === null ? absent : formatTimes(systemSpeed.value),
      detail: 'real time',
    },
    ...(cost === null
      ? []
      : [{ label: 'cost', value: `$${formatDollars(cost.usdPerAudioHour)}`, detail: 'an hour of audio' }]),
  ]
}

function validityChip({ evaluation }: RunPage): Chip | null {
  const { validity, run } = evaluation
  if (validity === 'invalid') return { tone: 'bad', text: '✗ not valid' }
  if (validity === 'short') return { tone: 'caution', text: 'short' }
  if (run.status !== 'finished') return { tone: 'caution', text: `partial: ${run.status}` }
  return null
}

interface SummaryColumn extends DataColumn<PlacedContender> {
  isNeeded?(contender: PlacedContender): boolean
  /** A text that other programs change. */
  readonly isOfSpeed?: boolean
}

const isIncomplete = ({ figures: { counts } }: PlacedContender): boolean => counts.answered < counts.planned

const nameColumn: SummaryColumn = {
  header: 'contender',
  cell: ({ index, id }) => <ContenderName index={index} id={id} />,
}

/** The leading rate with all that belongs to it, then the other rate. */
function rateColumns(leads: ErrorLevel): readonly SummaryColumn[] {
  const [, other = leads] = leadingFirst(leads)
  const { short, long, unit } = rateWords[leads]
  return [
    {
      header: short,
      meaning: `${unit} errors in a hundred ${unit}s of the references, over what was answered`,
      cell: ({ figures }) => <strong>{formatPercent(figures[leads].rate)}</strong>,
    },
    {
      header: '95% interval',
      meaning: `where the ${long} would lie with other utterances of the same kind`,
      cell: ({ figures: { [leads]: rate } }) => intervalText(rate.interval, formatPercent),
    },
    {
      header: `of ${unit}s`,
      meaning: `${unit}s of the references that were scored`,
      cell: ({ figures }) => formatCount(figures[leads].referenceLength),
    },
    {
      header: 'answered',
      meaning: 'requests that were answered and scored, of those that were planned',
      cell: ({ figures: { counts } }) => `${formatCount(counts.answered)} of ${formatCount(counts.planned)}`,
    },
    {
      header: `${short} of all`,
      meaning: 'with every failed request counted as an empty transcript; contenders are ranked by it',
      cell: ({ figures }) => formatPercent(rateOfAll(figures, leads).rate),
      isNeeded: isIncomplete,
    },
    {
      header: 'failed',
      meaning: 'requests without an answer: counted, never scored',
      cell: ({ figures: { counts } }) => formatCount(counts.failed),
      isNeeded: ({ figures: { counts } }) => counts.failed > 0,
    },
    {
      header: rateWords[other].short,
      meaning: `${rateWords[other].unit} errors in a hundred ${rateWords[other].unit}s`,
      cell: ({ figures }) => formatPercent(figures[other].rate),
    },
  ]
}

const speedColumns: readonly SummaryColumn[] = [
  {
    header: 'speed',
    isOfSpeed: true,
    meaning: 'seconds of speech transcribed in a second, by the whole system under this load',
    cell: ({ figures: { systemSpeed } }) =>
      systemSpeed.value === null ? absent : formatTimes(systemSpeed.value),
  },
  {
    header: 'p50',
    isOfSpeed: true,
    meaning: 'half of the answers came within this time',
    cell: ({ figures: { latencyMs } }) => milliseconds(latencyMs.p50),
  },
  {
    header: 'p95',
    isOfSpeed: true,
    meaning: 'nineteen of twenty answers came within this time',
    cell: ({ figures: { latencyMs } }) => milliseconds(latencyMs.p95),
  },
]

function Summary({ page }: { readonly page: RunPage }): JSX.Element {
  const contenders = rankedContenders(page)
  const figures = [...rateColumns(page.evaluation.profile.leads), ...speedColumns].filter(
    ({ isNeeded }) => isNeeded === undefined || contenders.some(isNeeded),
  )
  const mark = incomparableMark(page.evaluation.speeds)
  const shown = [nameColumn, ...placeColumn(page), ...figures].map((column) =>
    column.isOfSpeed === true
      ? { ...column, cell: (row: PlacedContender) => marked(String(column.cell(row)), mark) }
      : column,
  )
  return (
    <DataTable
      label="Summary of all contenders"
      columns={shown}
      rows={contenders}
      keyOf={({ index }) => String(index)}
    />
  )
}

/** The places that a contender may hold: those that cannot be told apart share theirs. Two need none. */
function placeColumn({ evaluation: { ranking } }: RunPage): readonly SummaryColumn[] {
  if (ranking === null || ranking.bands.length < 3) return []
  const bands = new Map(ranking.bands.map((band) => [band.contenderId, band]))
  return [
    {
      header: 'place',
      meaning: placesMeaning(ranking),
      cell: ({ id }) => {
        const band = bands.get(id)
        if (band === undefined) return absent
        const { firstPlace, lastPlace } = band
        return firstPlace === lastPlace ? String(firstPlace) : `${firstPlace}–${lastPlace}`
      },
    },
  ]
}

function intervalText(interval: Interval | null, format: (value: number) => string): string {
  return interval === null ? absent : `${format(interval.low)} – ${format(interval.high)}`
}

export function milliseconds(figure: Percentile): string {
  return figure.value === null ? absent : formatMilliseconds(figure.value)
}
