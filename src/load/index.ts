/**
 * When to send: schedules and the clock they go by. Knows nothing of HTTP, files or scores, never limits what an
 * open schedule has in flight, and never moves the due time of a request that left late.
 *
 *   const schedule = poissonSchedule({ perSecond: 2, forSeconds: 60, seed: 1 })
 *   const count = schedule.requestCount() ?? 100
 *   await schedule.dispatch({ count, clock: systemClock, stop, send: (position, dueAtMs) => call(position) })
 */
export { arrivalsSchedule } from './arrivals-schedule.ts'
export type { Clock, Precision } from './clock.ts'
export { systemClock } from './clock.ts'
export { equalIssueCount, equalIssueOrder } from './equal-issue.ts'
export { loadErrors } from './errors.ts'
export type { Intervals } from './intervals.ts'
export type { LoadShape } from './load-shape.ts'
export { isMadeOfSpeech, loadShape } from './load-shape.ts'
export type { Speakable } from './match-durations.ts'
export { matchDurations } from './match-durations.ts'
export type { OfferedLoad, OfferedRate, PlannedArrival } from './offered-load.ts'
export { offeredLoad, requestsPerSecondOf } from './offered-load.ts'
export { closedSchedule } from './schedules/closed-schedule.ts'
export { constantSchedule } from './schedules/constant-schedule.ts'
export type { BurstyRate } from './schedules/gamma-schedule.ts'
export { gammaSchedule } from './schedules/gamma-schedule.ts'
export type { LoadContext } from './schedules/make-schedule.ts'
export { makeSchedule } from './schedules/make-schedule.ts'
export { poissonSchedule } from './schedules/poisson-schedule.ts'
export type { Ramp } from './schedules/ramp-schedule.ts'
export { rampSchedule } from './schedules/ramp-schedule.ts'
export type { Dispatch, PlannedSend, RequestList, Schedule } from './schedules/schedule.ts'
export { plannedSend } from './schedules/schedule.ts'
export type { Pauses, Speakers } from './schedules/speakers-schedule.ts'
export { speakersSchedule } from './schedules/speakers-schedule.ts'
export type { SteadyRate } from './schedules/steady-schedule.ts'
export type { Step, Steps } from './schedules/steps-schedule.ts'
export { stepsSchedule } from './schedules/steps-schedule.ts'
export type { Trace } from './schedules/trace-schedule.ts'
export { traceSchedule, traceSpeeds } from './schedules/trace-schedule.ts'
export type { Spacing } from './schedules/varying-schedule.ts'
export type { TraceEntry } from './trace.ts'
export { parseTrace } from './trace.ts'
export { fewestTurns, turnsOf } from './turns.ts'
