import { z } from 'zod'
import type { ContenderEvaluation } from '#analysis/documents/contender-evaluation'
import type { Evaluation } from '#analysis/documents/evaluation'
import { rateOfAll } from '#scoring/counts'
import type { ErrorLevel } from '#scoring/profiles/profile'
import { type Column, columnsOf, layTable, shownColumns } from '../layout/table.ts'
import { markdownTable, renderCsv } from '../layout/table-files.ts'
import { sentence, type Terminal } from '../layout/terminal.ts'
import { formatTimes, orAbsent, rateWords } from '../layout/units.ts'
import { inRankOrder } from './ranks.ts'

const barBounds = z.tuple([z.number(), z.number(), z.number(), z.number()])

/** Bounds of the bars of a model library for 5, 4, 3 and 2 bars; anything worse has 1. */
export interface RatingScale {
  /** Maximum error rates in percent, of words or, if those lead, of characters. */
  readonly accuracy: readonly [number, number, number, number]
  /** Minimum speeds as multiples of real time. */
  readonly speed: readonly [number, number, number, number]
}

export const ratingScale: z.ZodType<RatingScale> = z.strictObject({
  accuracy: barBounds.refine((all) => isSorted(all), 'must rise: the bound of 5 comes first'),
  speed: barBounds.refine((all) => isSorted(all.toReversed()), 'must fall: the bound of 5 comes first'),
})

function isSorted(values: readonly number[]): boolean {
  return values.every((value, index) => index === 0 || value > (values[index - 1] ?? value))
}

/** A rating of 1 to 5 bars, and the range of its 95 % interval. */
interface Bar {
  readonly value: number
  readonly low: number
  readonly high: number
}

/** The ratings of a contender in a model library. Null if there is no figure. */
export interface Rating {
  readonly contenderId: string
  /** The leading error rate, which is the rated one. */
  readonly leads: ErrorLevel
  /** Error rate that counts every failed request as an empty text. */
  readonly errorRate: number | null
  readonly accuracy: Bar | null
  readonly timesRealTime: number | null
  readonly speed: Bar | null
}

export function rateContenders(evaluation: Evaluation, scale: RatingScale): readonly Rating[] {
  return inRankOrder(evaluation).map((contender) => rateContender(contender, evaluation.profile.leads, scale))
}

function rateContender(contender: ContenderEvaluation, leads: ErrorLevel, scale: RatingScale): Rating {
  const { rate, interval } = rateOfAll(contender, leads)
  const { value: speed } = contender.systemSpeed
  const accuracyOf = (errorRate: number): number =>
    countBars(scale.accuracy, (bound) => errorRate <= bound / 100)
  const speedBar = speed === null ? null : countBars(scale.speed, (bound) => speed >= bound)
  return {
    contenderId: contender.contender.id,
    leads,
    errorRate: rate,
    accuracy:
      rate === null
        ? null
        : {
            value: accuracyOf(rate),
            low: accuracyOf(interval?.high ?? rate),
            high: accuracyOf(interval?.low ?? rate),
          },
    timesRealTime: speed,
    speed: speedBar === null ? null : { value: speedBar, low: speedBar, high: speedBar },
  }
}

/** Number of bars: 5 if the first bound is met, 4 if the second one is, …, 1 if none is. */
function countBars(bounds: readonly number[], isMet: (bound: number) => boolean): number {
  const place = bounds.findIndex(isMet)
  return place < 0 ? 1 : 5 - place
}

/** The columns of ratings. All ratings are of one run, so they have the same leading rate. */
function ratingColumns([first]: readonly Rating[]): readonly Column<Rating>[] {
  const { short, unit } = rateWords[first?.leads ?? 'words']
  const { column, file, rate, text } = columnsOf<Rating>()
  return [
    text('contender', 'contenderId'),
    column('accuracy', ({ accuracy }) => accuracy?.value, String, {
      cell: ({ accuracy }) => orAbsent(accuracy, drawn),
    }),
    file('accuracy_low', ({ accuracy }) => accuracy?.low ?? null),
    file('accuracy_high', ({ accuracy }) => accuracy?.high ?? null),
    rate(`${unit}_error_rate_with_failures_as_empty`, 'errorRate', {
      header: `${short} of all`,
      dropOrder: 1,
    }),
    column('speed', ({ speed }) => speed?.value, String, { cell: ({ speed }) => orAbsent(speed, drawn) }),
    column('times_real_time', 'timesRealTime', formatTimes, { dropOrder: 1 }),
  ]
}

/** A bar as `####- 4 (3 to 5)`, in signs that every terminal and font has. */
function drawn({ value, low, high }: Bar): string {
  const signs = '#'.repeat(value) + '-'.repeat(5 - value)
  return low === high ? `${signs} ${value}` : `${signs} ${value} (${low} to ${high})`
}

const barsRemark = 'Bars of 1 to 5; in parentheses how far the 95% interval of the error rate reaches.'

export function renderRatings(ratings: readonly Rating[], terminal: Terminal): string {
  const { lines } = layTable(shownColumns(ratingColumns(ratings)), ratings, terminal)
  return [...lines, '', sentence(barsRemark, terminal)].join('\n')
}

export function ratingsMarkdown(ratings: readonly Rating[]): string {
  return `${markdownTable(shownColumns(ratingColumns(ratings)), ratings)}\n\n${barsRemark}\n`
}

export function ratingsCsv(ratings: readonly Rating[]): string {
  return renderCsv(ratingColumns(ratings), ratings)
}
