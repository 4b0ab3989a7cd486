/**
 * When to send: schedules and the clock they go by. Knows nothing of HTTP, audio or scores.
 *
 *   const schedule = closedSchedule(4)
 *   await schedule.dispatch({ count: 100, clock: systemClock, stop, send: (position) => call(position) })
 */
export type { Clock } from './clock.ts'
export { systemClock } from './clock.ts'
export { closedSchedule } from './closed-schedule.ts'
export type { Dispatch, Schedule } from './schedule.ts'
