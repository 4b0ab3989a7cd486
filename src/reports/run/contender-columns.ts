import type { ContenderEvaluation, ErrorRate, Evaluation, Interval, Percentile, SystemSpeed } from '#analysis'
import { type ErrorLevel, leadingFirst, rateOfAll } from '#scoring'
import { smallestSampleForQuantile } from '#statistics'
import { rateWords } from '../layout/rate-words.ts'
import type { TableColumn } from '../layout/table.ts'
import { foreign } from '../layout/terminal.ts'
import {
  absent,
  formatCount,
  formatDollars,
  formatFactor,
  formatMilliseconds,
  formatPercent,
  formatTimes,
} from '../layout/units.ts'
import { incomparableMark, marked } from './speed-words.ts'

/** A column that is left out where all contenders have the same, unremarkable thing to say in it. */
interface ContenderColumn extends TableColumn<ContenderEvaluation> {
  isNeeded?(contender: ContenderEvaluation): boolean
  /** Other programs change it. */
  readonly isOfSpeed?: boolean
}

/** The columns that the contenders of a run need, in the order of reading: the leading rate first. */
export function columnsFor({
  contenders,
  speeds,
  profile,
}: Pick<Evaluation, 'contenders' | 'speeds' | 'profile'>): readonly TableColumn<ContenderEvaluation>[] {
  const mark = incomparableMark(speeds)
  return [nameColumn, ...rateColumns(profile.leads), ...otherColumns]
    .filter(({ isNeeded }) => isNeeded === undefined || contenders.some(isNeeded))
    .map((column) =>
      column.isOfSpeed === true ? { ...column, cell: (row) => marked(column.cell(row), mark) } : column,
    )
}

const isIncomplete = ({ counts }: ContenderEvaluation): boolean => counts.answered < counts.planned

const nameColumn: ContenderColumn = {
  header: 'contender',
  align: 'left',
  dropOrder: 0,
  cell: ({ contender }) => foreign(contender.id),
  tone: () => 'strong',
}

/** What was misrecognised: the leading rate with all that belongs to it, then the other rate. */
function rateColumns(leads: ErrorLevel): readonly ContenderColumn[] {
  const [, other = leads] = leadingFirst(leads)
  const countColumn = (
    header: string,
    kind: 'substitutions' | 'deletions' | 'insertions',
  ): ContenderColumn => ({
    header,
    align: 'right',
    dropOrder: 3,
    cell: (contender) => formatCount(contender[leads].counts[kind]),
  })
  return [
    {
      header: rateWords[leads].short,
      align: 'right',
      dropOrder: 0,
      cell: (contender) => formatPercent(contender[leads].rate),
    },
    {
      header: '95% interval',
      align: 'left',
      dropOrder: 0,
      cell: (contender) => interval(contender[leads].interval),
    },
    {
      header: 'answered',
      align: 'right',
      dropOrder: 0,
      cell: ({ counts }) => `${formatCount(counts.answered)} of ${formatCount(counts.planned)}`,
      tone: (contender) => (isIncomplete(contender) ? 'caution' : null),
      isNeeded: isIncomplete,
    },
    {
      header: `${rateWords[leads].short} of all`,
      align: 'right',
      dropOrder: 0,
      cell: (contender) => formatPercent(rateOfAll(contender, leads).rate),
      isNeeded: ({ counts }) => counts.failed > 0,
    },
    countColumn('sub', 'substitutions'),
    countColumn('del', 'deletions'),
    countColumn('ins', 'insertions'),
    {
      header: rateWords[other].short,
      align: 'right',
      dropOrder: 2,
      cell: (contender) => formatPercent(contender[other].rate),
    },
  ]
}

const otherColumns: readonly ContenderColumn[] = [
  {
    header: 'speed',
    align: 'right',
    isOfSpeed: true,
    dropOrder: 0,
    cell: ({ systemSpeed }) => (systemSpeed.value === null ? absent : formatTimes(systemSpeed.value)),
  },
  {
    header: 'RTF p50',
    align: 'right',
    isOfSpeed: true,
    dropOrder: 4,
    cell: ({ realTimeFactor }) => percentile(realTimeFactor.p50, formatFactor),
  },
  {
    header: 'p50',
    align: 'right',
    isOfSpeed: true,
    dropOrder: 0,
    cell: ({ latencyMs }) => percentile(latencyMs.p50, formatMilliseconds),
  },
  {
    header: 'p95',
    align: 'right',
    isOfSpeed: true,
    dropOrder: 1,
    cell: ({ latencyMs }) => percentile(latencyMs.p95, formatMilliseconds),
  },
  {
    header: 'edited',
    align: 'right',
    dropOrder: 0,
    cell: ({ postProcessedRate }) => formatPercent(postProcessedRate),
    isNeeded: ({ postProcessedRate }) => postProcessedRate !== null,
  },
  {
    header: 'USD/h',
    align: 'right',
    dropOrder: 0,
    cell: ({ cost }) => (cost === null ? absent : formatDollars(cost.usdPerAudioHour)),
    isNeeded: ({ cost }) => cost !== null,
  },
  {
    header: 'CPU/audio',
    align: 'right',
    dropOrder: 6,
    cell: ({ cpuSecondsPerAudioSecond: { value } }) => (value === null ? absent : formatFactor(value)),
    isNeeded: ({ cpuSecondsPerAudioSecond }) => cpuSecondsPerAudioSecond.value !== null,
  },
  {
    header: 'failed',
    align: 'right',
    dropOrder: 5,
    cell: ({ counts }) => formatCount(counts.failed),
    tone: ({ counts }) => (counts.failed > 0 ? 'bad' : null),
    isNeeded: ({ counts }) => counts.failed > 0,
  },
]

/**
 * Why the table shows no figure in some places, each reason once with whom it concerns.
 *
 * @param leftOut headers of columns that the table does not show
 */
export function absenceNotes(
  { contenders, rounds, run, profile: { leads } }: Evaluation,
  leftOut: readonly string[],
): readonly string[] {
  // What a part of a run lacks may well come with the rest of it.
  const remedies = run.status === 'finished'
  // Of a contender that was given up, the sentence and the findings say why it has no figures.
  const told = contenders.filter(({ contender }) => !run.givenUp.some(({ id }) => id === contender.id))
  const reasons = told.flatMap(({ contender, counts, latencyMs, systemSpeed, ...figures }) => [
    ...noInterval(contender.id, figures[leads], rateWords[leads].short),
    ...reasonOf(
      'p50',
      contender.id,
      latencyMs.p50,
      remedies ? roundsFor(0.5, latencyMs.sampleCount, rounds) : null,
    ),
    ...reasonOf(
      'p95',
      contender.id,
      latencyMs.p95,
      remedies ? roundsFor(0.95, latencyMs.sampleCount, rounds) : null,
    ),
    ...reasonOf(
      'speed',
      contender.id,
      systemSpeed,
      remedies ? speedRounds(systemSpeed, counts.answered, rounds) : null,
    ),
  ])
  const shown = reasons.filter(({ name }) => !leftOut.includes(name))
  const byText = Map.groupBy(shown, ({ text }) => text)
  return [...byText].map(([text, those]) =>
    those.length === contenders.length ? text : `${text} (${those.map(({ id }) => foreign(id)).join(', ')})`,
  )
}

/** The rounds after which the sample is large enough, where every round gives as many answers as so far. */
function roundsFor(probability: number, sampleCount: number, rounds: number): number | null {
  if (sampleCount === 0) return null
  return Math.ceil((smallestSampleForQuantile(probability) * rounds) / sampleCount)
}

/** The same for the answers that a steady window needs. */
function speedRounds(speed: SystemSpeed, answered: number, rounds: number): number | null {
  if (speed.value !== null || speed.moreAnswers === null || answered === 0) return null
  return Math.ceil(((answered + speed.moreAnswers) * rounds) / answered)
}

function reasonOf(
  name: string,
  id: string,
  figure: { readonly value: number } | { readonly value: null; readonly reason: string },
  rounds: number | null,
): readonly { readonly name: string; readonly id: string; readonly text: string }[] {
  if (figure.value !== null) return []
  const remedy = rounds === null ? '' : `: --rounds ${rounds}`
  return [{ name, id, text: `${name} ${figure.reason}${remedy}` }]
}

function noInterval(
  id: string,
  { rate, noIntervalReason }: ErrorRate,
  name: string,
): ReturnType<typeof reasonOf> {
  if (rate === null || noIntervalReason === null) return []
  return [{ name: '95% interval', id, text: `no interval of ${name}: ${noIntervalReason}` }]
}

function interval(bounds: Interval | null): string {
  return bounds === null ? absent : `${formatPercent(bounds.low)} – ${formatPercent(bounds.high)}`
}

function percentile(figure: Percentile, format: (value: number) => string): string {
  return figure.value === null ? absent : format(figure.value)
}
