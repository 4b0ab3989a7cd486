import { describe, expect, test } from 'vitest'
import type { ConfigFile } from '#config/config-file'
import { readConfig } from '#config/read-config'
import { resolveConfig } from '#config/resolve-config'
import { adviseRate } from '#load/rate'
import { BenchError } from '#prelude'

const resolve = (flags: Readonly<Record<string, unknown>>, file: ConfigFile | null = null) =>
  resolveConfig({ file, flags, env: {} })
const loadOf = (load: ConfigFile['load'], flags: Readonly<Record<string, unknown>> = {}) =>
  resolve(flags, { load }).config.load

function problemsOf(action: () => unknown): readonly string[] {
  try {
    action()
  } catch (error) {
    if (error instanceof BenchError) return error.problems.map(({ where, what }) => `${where}  ${what}`)
    throw error
  }
  return []
}

describe('a load in a config', () => {
  test.each([
    [{}, { kind: 'closed', concurrency: 1 }],
    [{ concurrency: 4 }, { kind: 'closed', concurrency: 4 }],
    [{ rate: '300/min' }, { kind: 'poisson', rate: { requestsPerSecond: 5 }, forSeconds: null }],
    [
      { kind: 'constant', rate: '4x', duration: '2min' },
      { kind: 'constant', rate: { audioSecondsPerSecond: 4 }, forSeconds: 120 },
    ],
    [
      { rate: '5/s', burstiness: 0.25 },
      { kind: 'gamma', rate: { requestsPerSecond: 5 }, burstiness: 0.25, forSeconds: null },
    ],
    [
      { from: '0/s', to: '10/s', duration: '60s', intervals: 'even' },
      {
        kind: 'ramp',
        from: { requestsPerSecond: 0 },
        to: { requestsPerSecond: 10 },
        forSeconds: 60,
        intervals: { kind: 'even' },
      },
    ],
    [
      { steps: ['1/s for 60s', '0/s for 10s'], intervals: 'gamma:0.5' },
      {
        kind: 'steps',
        steps: [
          { rate: { requestsPerSecond: 1 }, forSeconds: 60 },
          { rate: { requestsPerSecond: 0 }, forSeconds: 10 },
        ],
        intervals: { kind: 'gamma', shape: 0.5 },
      },
    ],
    [
      { trace: 'monday.csv', speed: 2 },
      { kind: 'trace', trace: 'monday.csv', speed: 2 },
    ],
    [
      { users: 20 },
      { kind: 'users', users: 20, pauses: { meanSeconds: 20, intervals: { kind: 'exponential' } } },
    ],
  ] as const)('%j is what its keys say', (load, resolved) => {
    expect(loadOf(load)).toEqual(resolved)
  })

  test('is changed by flags that say more of it, and replaced by flags that mean another one', () => {
    const rate = { requestsPerSecond: 5 }
    expect(loadOf({ rate: '5/s' }, { duration: '30s' })).toEqual({ kind: 'poisson', rate, forSeconds: 30 })
    expect(loadOf({ rate: '5/s' }, { load: 'constant' })).toEqual({
      kind: 'constant',
      rate,
      forSeconds: null,
    })
    expect(loadOf({ concurrency: 4 }, { rate: '5/s' })).toEqual({ kind: 'poisson', rate, forSeconds: null })
    expect(loadOf({ rate: '5/s' }, { concurrency: '2' })).toEqual({ kind: 'closed', concurrency: 2 })
    expect(loadOf({ kind: 'users', users: 2, pause: '3s' }, { users: '9' })).toMatchObject({
      users: 9,
      pauses: { meanSeconds: 3 },
    })
  })

  test('says where each of its values comes from, and nothing of what was replaced', () => {
    const { sources, values } = resolve({ rate: '5/s' }, { load: { kind: 'closed', concurrency: 4 } })
    expect(values).toMatchObject({ 'load.kind': 'poisson', 'load.rate': '5/s' })
    expect(values).not.toHaveProperty(['load.concurrency'])
    expect(sources).toMatchObject({
      'load.rate': 'flag',
      'load.kind': 'default',
      'load.concurrency': 'default',
    })
  })

  test('that ends by itself is gone through once unless more is asked for', () => {
    expect(resolve({ rate: '5/s', duration: '60s' }).config.rounds).toBe(1)
    expect(resolve({ rate: '5/s' }).config.rounds).toBe(8)
    expect(resolve({ trace: 'a.csv', rounds: '3' }).config.rounds).toBe(3)
  })

  test.each([
    ['load: { kind: poisson }', ['c.yaml:1:7  a poisson load needs "rate"']],
    ['load: { kind: closed, rate: 5/s }', ['c.yaml:1:23  "rate" does not belong to a closed load']],
    ['load: { rate: 5 }', ['c.yaml:1:15  load.rate must be a rate with its unit, not 5']],
    [
      'load: { from: 0/s, to: 0/s, duration: 10s }',
      ['c.yaml:1:7  the load makes no sense: a schedule has a rate above 0 somewhere'],
    ],
    [
      'load: { steps: [5/s] }',
      ['c.yaml:1:17  load.steps[0] must be a rate with its time such as "2/s for 60s", not "5/s"'],
    ],
    [
      'load: { trace: a.csv, speed: 30 }',
      ['c.yaml:1:30  load.speed must be a number from 0.5 to 20, not 30'],
    ],
    ['load: { users: 0 }', ['c.yaml:1:16  load.users must be a whole number, 1 or more, not 0']],
  ])('%s is refused with its place', (text, problems) => {
    expect(problemsOf(() => readConfig(text, 'c.yaml'))).toEqual(problems)
  })

  test.each(['0', '0/d', 'fast'])('is told a rate that is taken instead of "%s"', (written) => {
    expect(adviseRate(written)).toContain('write "5/s"')
    expect(adviseRate(`8${written}`)).toContain(written === 'fast' ? 'write "8/s"' : 'write "80/s"')
  })

  test('on the command line is refused by the names of its flags', () => {
    expect(problemsOf(() => resolve({ load: 'poisson' }))).toEqual(['--load  a poisson load needs "rate"'])
    expect(problemsOf(() => resolve({ duration: '5s' }))).toEqual([
      '--duration  "duration" does not belong to a closed load',
    ])
  })
})
