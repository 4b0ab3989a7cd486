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
export { adviseDuration, duration, parseDuration } from './duration.ts'
export { equalIssueOrder } from './equal-issue.ts'
export { loadErrors } from './errors.ts'
export type { Intervals } from './intervals.ts'
export { closedSchedule } from './loads/closed.ts'
export { constantSchedule } from './loads/constant.ts'
export { gammaSchedule } from './loads/gamma.ts'
export type { LoadKey } from './loads/load-definition.ts'
export { poissonSchedule } from './loads/poisson.ts'
export { rampSchedule } from './loads/ramp.ts'
export type { LoadConfig, LoadKind, LoadShape } from './loads/registry.ts'
export {
  endsByItself,
  findLoad,
  isMadeOfSpeech,
  loadConfig,
  loadKeys,
  loadKindNames,
  loadShape,
  loads,
  makeSchedule,
} from './loads/registry.ts'
export { stepsSchedule } from './loads/steps.ts'
export { traceSchedule } from './loads/trace.ts'
export type { Pauses } from './loads/users.ts'
export { standardPauseSeconds, usersSchedule } from './loads/users.ts'
export type { Speakable } from './match-durations.ts'
export { matchDurations } from './match-durations.ts'
export type { OfferedLoad, PlannedArrival } from './offered-load.ts'
export { offeredLoad, requestsPerSecondOf } from './offered-load.ts'
export { refuseTooMany } from './request-limit.ts'
export type { Dispatch, PlannedSend, RequestList, Schedule } from './schedules/schedule.ts'
export { plannedSend } from './schedules/schedule.ts'
export type { TraceEntry } from './trace.ts'
export { parseTrace } from './trace.ts'
export { fewestTurns, turnsOf } from './turns.ts'
