import type { JSX } from 'preact'
import type { Percentile } from '#analysis'
import { utterancesOf } from '../corpus-words.ts'
import type { RunPage } from '../html/page-document.ts'
import { placesMeaning } from '../ranking-line.ts'
import { incomparableMark, marked } from '../speed-words.ts'
import {
  absent,
  counted,
  formatCount,
  formatMilliseconds,
  formatPercent,
  formatSeconds,
  formatTimes,
} from '../units.ts'
import { type DataColumn, DataTable } from './data-table.tsx'
import { type Chip, Head } from './head.tsx'
import { ContenderName, Name } from './layout.tsx'
import { type PlacedContender, rankedContenders } from './ranking.ts'

/** The sentence, what could make one distrust it, and the table. */
export function Answer({ page }: { readonly page: RunPage }): JSX.Element {
  const { evaluation } = page
  const { run, corpus, load, profile, rounds } = evaluation
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
          audio · {counted(rounds, 'round')} · scored as {profile.id} · {load.description}
        </>
      }
      findings={evaluation.findings}
    >
      <Summary page={page} />
    </Head>
  )
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

const columns: readonly SummaryColumn[] = [
  { header: 'contender', cell: ({ index, id }) => <ContenderName index={index} id={id} /> },
  {
    header: 'WER',
    meaning: 'word errors in a hundred words of the references, over what was answered',
    cell: ({ figures }) => <strong>{percent(figures.words.rate)}</strong>,
  },
  {
    header: '95% interval',
    meaning: 'where the word error rate would lie with other utterances of the same kind',
    cell: ({ figures: { words } }) =>
      words.interval === null
        ? absent
        : `${formatPercent(words.interval.low)} – ${formatPercent(words.interval.high)}`,
  },
  {
    header: 'of words',
    meaning: 'words of the references that were scored',
    cell: ({ figures }) => formatCount(figures.words.referenceLength),
  },
  {
    header: 'answered',
    meaning: 'requests that were answered and scored, of those that were planned',
    cell: ({ figures: { counts } }) => `${formatCount(counts.answered)} of ${formatCount(counts.planned)}`,
  },
  {
    header: 'WER of all',
    meaning: 'with every failed request counted as an empty transcript; contenders are ranked by it',
    cell: ({ figures }) => percent(figures.wordsWithFailuresAsEmpty.rate),
    isNeeded: isIncomplete,
  },
  {
    header: 'failed',
    meaning: 'requests without an answer: counted, never scored',
    cell: ({ figures: { counts } }) => formatCount(counts.failed),
    isNeeded: ({ figures: { counts } }) => counts.failed > 0,
  },
  {
    header: 'CER',
    meaning: 'character errors in a hundred characters',
    cell: ({ figures }) => percent(figures.characters.rate),
  },
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
  const [name, ...figures] = columns.filter(
    ({ isNeeded }) => isNeeded === undefined || contenders.some(isNeeded),
  )
  const mark = incomparableMark(page.evaluation.speeds)
  const shown = [...(name === undefined ? [] : [name]), ...placeColumn(page), ...figures].map((column) =>
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

export function percent(rate: number | null): string {
  return rate === null ? absent : formatPercent(rate)
}

export function milliseconds(figure: Percentile): string {
  return figure.value === null ? absent : formatMilliseconds(figure.value)
}
