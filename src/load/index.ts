/**
 * When to send: schedules and the clock they go by. Knows nothing of HTTP, files or scores, never limits what an
 * open schedule has in flight, and never moves the due time of a request that left late.
 *
 *   const schedule = poissonSchedule({ perSecond: 2, forSeconds: 60, seed: 1 })
 *   const count = schedule.requestCount() ?? 100
 *   await schedule.dispatch({ count, clock: systemClock, stop, send: (position, dueAtMs) => call(position) })
 */

export { type Clock, type Precision, systemClock } from './clock.ts'
export { loadErrors } from './errors.ts'
export type { Intervals } from './intervals.ts'
export { closedSchedule } from './loads/closed.ts'
export { adviseDuration, duration, parseDuration } from './loads/keys.ts'
export type { LoadKey } from './loads/load-definition.ts'
export { rampSchedule } from './loads/ramp.ts'
export {
  endsByItself,
  findLoad,
  isMadeOfSpeech,
  type LoadConfig,
  type LoadKind,
  type LoadShape,
  loadConfig,
  loadKeys,
  loadKindNames,
  loadShape,
  loads,
  makeSchedule,
} from './loads/registry.ts'
export { constantSchedule, gammaSchedule, poissonSchedule } from './loads/steady.ts'
export { stepsSchedule } from './loads/steps.ts'
export { parseTrace, type TraceEntry, traceSchedule } from './loads/trace.ts'
export { type Pauses, standardPauseSeconds, usersSchedule } from './loads/users.ts'
export { arrivalsSchedule } from './open-schedule.ts'
export { type OfferedLoad, offeredLoad, type PlannedArrival, requestsPerSecondOf } from './rate.ts'
export { refuseTooMany } from './rate-schedule.ts'
export { type Dispatch, type PlannedSend, plannedSend, type RequestList, type Schedule } from './schedule.ts'
export { equalIssueOrder, fewestTurns, matchDurations, type Speakable, turnsOf } from './what-is-sent.ts'
