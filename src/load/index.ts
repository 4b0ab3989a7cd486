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
export { closedSchedule } from './closed-schedule.ts'
export { constantSchedule } from './constant-schedule.ts'
export { equalIssueCount, equalIssueOrder } from './equal-issue.ts'
export { loadErrors } from './errors.ts'
export type { BurstyRate } from './gamma-schedule.ts'
export { gammaSchedule } from './gamma-schedule.ts'
export type { Intervals } from './intervals.ts'
export type { LoadShape } from './load-shape.ts'
export { isMadeOfSpeech, loadShape, plannedSend } from './load-shape.ts'
export type { LoadContext } from './make-schedule.ts'
export { makeSchedule } from './make-schedule.ts'
export type { Speakable } from './match-durations.ts'
export { matchDurations } from './match-durations.ts'
export type { OfferedLoad, OfferedRate, PlannedArrival } from './offered-load.ts'
export { offeredLoad, requestsPerSecondOf } from './offered-load.ts'
export { poissonSchedule } from './poisson-schedule.ts'
export type { Ramp } from './ramp-schedule.ts'
export { rampSchedule } from './ramp-schedule.ts'
export type { Dispatch, PlannedSend, RequestList, Schedule } from './schedule.ts'
export type { Pauses, Speakers } from './speakers-schedule.ts'
export { speakersSchedule } from './speakers-schedule.ts'
export type { SteadyRate } from './steady-schedule.ts'
export type { Step, Steps } from './steps-schedule.ts'
export { stepsSchedule } from './steps-schedule.ts'
export type { TraceEntry } from './trace.ts'
export { parseTrace } from './trace.ts'
export type { Trace } from './trace-schedule.ts'
export { traceSchedule, traceSpeeds } from './trace-schedule.ts'
export { fewestTurns, turnsOf } from './turns.ts'
export type { Spacing } from './varying-schedule.ts'
