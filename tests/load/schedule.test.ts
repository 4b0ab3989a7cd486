import { expect, test } from 'vitest'
import { type LoadShape, makeSchedule } from '#load/loads/registry'
import { arrivalsSchedule } from '#load/open-schedule'
import { describeSchedule, type ScheduleCase } from './describe-schedule.ts'

/** A load as data, of utterances of 4 s on average. */
function describeLoad(name: string, shape: LoadShape, about: Omit<ScheduleCase, 'make'>): void {
  describeSchedule(name, {
    ...about,
    make: (seed = 1) => makeSchedule(shape, { seed, meanAudioSeconds: 4 }),
  })
}

for (const concurrency of [1, 4]) {
  const says = `closed, ${concurrency} in flight`
  const about = { says, saysOfSpeech: says, places: concurrency, isRandom: false }
  describeLoad(`closed, ${concurrency} at once`, { kind: 'closed', concurrency }, about)
}

describeLoad(
  'constant',
  { kind: 'constant', rate: { audioSecondsPerSecond: 8 }, forSeconds: null },
  {
    says: 'constant, 2 requests/s',
    saysOfSpeech: 'constant, 2 requests/s (8 s of speech per second)',
    isRandom: false,
  },
)

describeLoad(
  'Poisson',
  { kind: 'poisson', rate: { requestsPerSecond: 2.5 }, forSeconds: null },
  {
    says: 'Poisson arrivals, 2.5 requests/s',
    saysOfSpeech: 'Poisson arrivals, 2.5 requests/s (10 s of speech per second)',
    isRandom: true,
  },
)

describeLoad(
  'gamma',
  { kind: 'gamma', rate: { audioSecondsPerSecond: 8 }, burstiness: 0.25, forSeconds: 90 },
  {
    says: 'gamma arrivals of burstiness 0.25, 2 requests/s for 90 s',
    saysOfSpeech: 'gamma arrivals of burstiness 0.25, 2 requests/s (8 s of speech per second) for 90 s',
    isRandom: true,
  },
)

describeLoad(
  'ramp',
  {
    kind: 'ramp',
    from: { requestsPerSecond: 0 },
    to: { audioSecondsPerSecond: 24 },
    forSeconds: 20,
    intervals: { kind: 'even' },
  },
  {
    says: 'ramp from 0 to 6 requests/s in 20 s, evenly spaced',
    saysOfSpeech: 'ramp from 0 to 6 requests/s in 20 s, evenly spaced, 12 s of speech per second on average',
    isRandom: false,
  },
)

describeLoad(
  'steps',
  {
    kind: 'steps',
    steps: [
      { rate: { audioSecondsPerSecond: 4 }, forSeconds: 10 },
      ...[8, 0, 7].map((requestsPerSecond) => ({ rate: { requestsPerSecond }, forSeconds: 10 })),
    ],
    intervals: { kind: 'exponential' },
  },
  {
    says: 'steps of 10 s at 1, 8, 0, 7 requests/s, Poisson arrivals',
    saysOfSpeech:
      'steps of 10 s at 1, 8, 0, 7 requests/s, Poisson arrivals, 16 s of speech per second on average',
    isRandom: true,
  },
)

describeLoad(
  'trace',
  {
    kind: 'trace',
    entries: Array.from({ length: 61 }, (_, i) => ({
      endedAtSeconds: 1_000 + i + (i % 3) / 7,
      audioSeconds: 3,
    })),
    speed: 2,
  },
  {
    says: 'trace of 61 requests over 30 s, at 2 times its speed',
    saysOfSpeech: 'trace of 61 requests over 30 s, at 2 times its speed, 8 s of speech per second on average',
    isRandom: false,
  },
)

describeLoad(
  'users',
  { kind: 'users', users: 5, pauses: { meanSeconds: 6, intervals: { kind: 'gamma', shape: 2 } } },
  {
    says: '5 concurrent users, pauses of 6 s on average (gamma, shape 2)',
    saysOfSpeech:
      '5 concurrent users, pauses of 6 s on average (gamma, shape 2), at most 2 s of speech per second',
    isRandom: true,
  },
)

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
