import type { LoadShape } from '../load-shape.ts'
import { type OfferedRate, requestsPerSecondOf } from '../offered-load.ts'
import { closedSchedule } from './closed-schedule.ts'
import { constantSchedule } from './constant-schedule.ts'
import { gammaSchedule } from './gamma-schedule.ts'
import { poissonSchedule } from './poisson-schedule.ts'
import { rampSchedule } from './ramp-schedule.ts'
import type { Schedule } from './schedule.ts'
import { speakersSchedule } from './speakers-schedule.ts'
import { stepsSchedule } from './steps-schedule.ts'
import { traceSchedule } from './trace-schedule.ts'

/** What a load needs besides itself. */
export interface LoadContext {
  /** Stored with the run: the same seed gives the same arrivals. */
  readonly seed: number
  /** Mean length of what is sent; turns a rate in speech into one in requests. */
  readonly meanAudioSeconds: number
}

/**
 * @throws RangeError for a figure that makes no load: what a config lets through is checked there, with its place
 */
export function makeSchedule(shape: LoadShape, { seed, meanAudioSeconds }: LoadContext): Schedule {
  const perSecond = (rate: OfferedRate): number => requestsPerSecondOf(rate, meanAudioSeconds)
  switch (shape.kind) {
    case 'closed':
      return closedSchedule(shape.concurrency)
    case 'constant':
      return constantSchedule({ ...shape, perSecond: perSecond(shape.rate) })
    case 'poisson':
      return poissonSchedule({ ...shape, perSecond: perSecond(shape.rate), seed })
    case 'gamma':
      return gammaSchedule({ ...shape, perSecond: perSecond(shape.rate), seed })
    case 'ramp': {
      const { from, to, forSeconds, intervals } = shape
      const [fromPerSecond, toPerSecond] = [perSecond(from), perSecond(to)]
      return rampSchedule({ fromPerSecond, toPerSecond, forSeconds, intervals, seed })
    }
    case 'steps': {
      const steps = shape.steps.map(({ rate, forSeconds }) => ({ perSecond: perSecond(rate), forSeconds }))
      return stepsSchedule({ steps, intervals: shape.intervals, seed })
    }
    case 'trace':
      return traceSchedule(shape)
    case 'speakers':
      return speakersSchedule({ ...shape, seed })
  }
}
