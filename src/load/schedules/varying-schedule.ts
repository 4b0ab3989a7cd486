import { arrivalRandom, checkIntervals, type Intervals } from '../intervals.ts'
import { areaOf, arrivalsAlong, type RateSegment } from '../rate-line.ts'
import { inWords, ratePhase, speechInWords } from '../wording.ts'
import { openSchedule } from './open-schedule.ts'
import type { Schedule, SchedulePhase } from './schedule.ts'

/** How the arrivals of a schedule with several rates are spaced. */
export interface Spacing {
  readonly intervals: Intervals
  /** Not used by evenly spaced arrivals. */
  readonly seed: number
}

/** A schedule along a rate line that ends. */
export function varyingSchedule(
  description: string,
  line: readonly RateSegment[],
  { intervals, seed }: Spacing,
): Schedule {
  checkIntervals(intervals)
  for (const { fromPerSecond, toPerSecond, seconds } of line) {
    for (const rate of [fromPerSecond, toPerSecond]) {
      if (!(rate >= 0 && rate < Number.POSITIVE_INFINITY))
        throw new RangeError(`a rate is a number from 0, not ${rate}`)
    }
    if (!(seconds > 0 && seconds < Number.POSITIVE_INFINITY))
      throw new RangeError(`a rate lasts more than 0 s, not ${seconds}`)
  }
  const area = line.reduce((sum, segment) => sum + areaOf(segment), 0)
  if (!(area > 0)) throw new RangeError('a schedule has a rate above 0 somewhere')
  const seconds = line.reduce((sum, segment) => sum + segment.seconds, 0)
  return openSchedule({
    describe: (meanAudioSeconds) =>
      [description, spacingInWords(intervals), meanSpeechInWords(area / seconds, meanAudioSeconds)]
        .filter((part) => part !== '')
        .join(', '),
    phases: line.flatMap(phasesOf),
    endsByItself: true,
    arrivals: (limit, round) => arrivalsAlong(line, intervals, arrivalRandom(seed, round), limit),
  })
}

/** Enough of a changing rate to see that it was followed. */
const piecesOfChange = 4

function phasesOf({ fromPerSecond, toPerSecond, seconds }: RateSegment): readonly SchedulePhase[] {
  const count = fromPerSecond === toPerSecond ? 1 : piecesOfChange
  const rateAt = (piece: number): number => fromPerSecond + ((toPerSecond - fromPerSecond) * piece) / count
  return Array.from({ length: count }, (_, piece) =>
    ratePhase(rateAt(piece), rateAt(piece + 1), seconds / count),
  )
}

function spacingInWords(intervals: Intervals): string {
  switch (intervals.kind) {
    case 'even':
      return 'evenly spaced'
    case 'exponential':
      return 'Poisson arrivals'
    case 'gamma':
      return `gamma arrivals of burstiness ${inWords(intervals.shape)}`
  }
}

function meanSpeechInWords(perSecond: number, meanAudioSeconds: number | undefined): string {
  if (meanAudioSeconds === undefined) return ''
  return `${speechInWords(perSecond * meanAudioSeconds)} on average`
}
