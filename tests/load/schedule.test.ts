import { expect, test } from 'vitest'
import { closedSchedule } from '#load/loads/closed'
import { rampSchedule } from '#load/loads/ramp'
import { constantSchedule, gammaSchedule, poissonSchedule } from '#load/loads/steady'
import { stepsSchedule } from '#load/loads/steps'
import { traceSchedule } from '#load/loads/trace'
import { usersSchedule } from '#load/loads/users'
import { arrivalsSchedule } from '#load/open-schedule'
import { describeSchedule } from './describe-schedule.ts'

describeSchedule('closed, one at a time', {
  says: 'closed, 1 in flight',
  saysOfSpeech: 'closed, 1 in flight',
  isRandom: false,
  make: () => closedSchedule(1),
})

describeSchedule('closed, several at once', {
  says: 'closed, 4 in flight',
  saysOfSpeech: 'closed, 4 in flight',
  places: 4,
  isRandom: false,
  make: () => closedSchedule(4),
})

describeSchedule('constant', {
  says: 'constant, 2 requests/s',
  saysOfSpeech: 'constant, 2 requests/s (8 s of speech per second)',
  isRandom: false,
  make: () => constantSchedule({ perSecond: 2, forSeconds: null }),
})

describeSchedule('Poisson', {
  says: 'Poisson arrivals, 2.5 requests/s',
  saysOfSpeech: 'Poisson arrivals, 2.5 requests/s (10 s of speech per second)',
  isRandom: true,
  make: () => poissonSchedule({ perSecond: 2.5, forSeconds: null, seed: 1 }),
})

describeSchedule('gamma', {
  says: 'gamma arrivals of burstiness 0.25, 2 requests/s for 90 s',
  saysOfSpeech: 'gamma arrivals of burstiness 0.25, 2 requests/s (8 s of speech per second) for 90 s',
  isRandom: true,
  make: () => gammaSchedule({ burstiness: 0.25, perSecond: 2, forSeconds: 90, seed: 1 }),
})

describeSchedule('ramp', {
  says: 'ramp from 0 to 6 requests/s in 20 s, evenly spaced',
  saysOfSpeech: 'ramp from 0 to 6 requests/s in 20 s, evenly spaced, 12 s of speech per second on average',
  isRandom: false,
  make: () =>
    rampSchedule({ fromPerSecond: 0, toPerSecond: 6, forSeconds: 20, intervals: { kind: 'even' }, seed: 1 }),
})

describeSchedule('steps', {
  says: 'steps of 10 s at 1, 8, 0, 7 requests/s, Poisson arrivals',
  saysOfSpeech:
    'steps of 10 s at 1, 8, 0, 7 requests/s, Poisson arrivals, 16 s of speech per second on average',
  isRandom: true,
  make: () =>
    stepsSchedule({
      steps: [1, 8, 0, 7].map((perSecond) => ({ perSecond, forSeconds: 10 })),
      intervals: { kind: 'exponential' },
      seed: 7,
    }),
})

describeSchedule('trace', {
  says: 'trace of 61 requests over 30 s, at 2 times its speed',
  saysOfSpeech: 'trace of 61 requests over 30 s, at 2 times its speed, 8 s of speech per second on average',
  isRandom: false,
  make: () =>
    traceSchedule({
      entries: Array.from({ length: 61 }, (_, i) => ({
        endedAtSeconds: 1_000 + i + (i % 3) / 7,
        audioSeconds: 3,
      })),
      speed: 2,
    }),
})

describeSchedule('users', {
  says: '5 concurrent users, pauses of 6 s on average (gamma, shape 2)',
  saysOfSpeech:
    '5 concurrent users, pauses of 6 s on average (gamma, shape 2), at most 2 s of speech per second',
  isRandom: true,
  make: () =>
    usersSchedule({
      users: 5,
      pauses: { meanSeconds: 6, intervals: { kind: 'gamma', shape: 2 } },
      seed: 1,
    }),
})

describeSchedule('given arrivals', {
  says: '60 given arrivals over 29.5 s',
  saysOfSpeech: '60 given arrivals over 29.5 s, 8 s of speech per second on average',
  isRandom: false,
  make: () => arrivalsSchedule(Array.from({ length: 60 }, (_, position) => 500 * position)),
})

test('given arrivals keep the time before the first one, and are refused where they go back in time', () => {
  expect(arrivalsSchedule([300, 400]).plan({ count: 2 })).toEqual([
    { kind: 'due', dueAtMs: 300 },
    { kind: 'due', dueAtMs: 400 },
  ])
  expect(() => arrivalsSchedule([400, 300])).toThrow(RangeError)
  expect(() => arrivalsSchedule([-1])).toThrow(RangeError)
})
