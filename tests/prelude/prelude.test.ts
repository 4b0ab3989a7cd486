import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  asOneError,
  BenchError,
  defineErrors,
  exitCodes,
  fingerprint,
  firstError,
  nearest,
  parseForeignJson,
  parseJson,
  parseRetryAfter,
  seededRandom,
  shellWord,
} from '#prelude'

test('a shell reads a quoted word as it is, and replaces nothing in it', () => {
  expect(['~', '~ann/calls', 'a~b', './~x', "it's"].map(shellWord)).toEqual([
    "'~'",
    "'~ann/calls'",
    'a~b',
    './~x',
    String.raw`'it'\''s'`,
  ])
})

describe('seeded random', () => {
  test('the same seed gives the same stream, another seed another one', () => {
    const first = seededRandom(7).shuffled(['a', 'b', 'c', 'd', 'e', 'f'])
    expect(seededRandom(7).shuffled(['a', 'b', 'c', 'd', 'e', 'f'])).toEqual(first)
    const others = [8, 9, 10].map((seed) =>
      seededRandom(seed).shuffled(['a', 'b', 'c', 'd', 'e', 'f']).join(),
    )
    expect(new Set([...others, first.join()]).size).toBeGreaterThan(1)
  })

  test('shuffling keeps every element and leaves the original alone', () => {
    fc.assert(
      fc.property(fc.array(fc.integer()), fc.integer(), (elements, seed) => {
        const before = [...elements]
        const shuffled = seededRandom(seed).shuffled(elements)
        expect(elements).toEqual(before)
        expect(shuffled.toSorted()).toEqual(before.toSorted())
      }),
    )
  })

  test('small neighbouring seeds start differently, and units are spread over [0, 1)', () => {
    const starts = Array.from({ length: 1000 }, (_, seed) => seededRandom(seed).unit())
    expect(Math.min(...starts)).toBeGreaterThanOrEqual(0)
    expect(Math.max(...starts)).toBeLessThan(1)
    const mean = starts.reduce((sum, value) => sum + value, 0) / starts.length
    expect(Math.abs(mean - 0.5)).toBeLessThan(0.05)
  })
})

describe('fingerprints', () => {
  test('the order of keys does not matter, everything else does', () => {
    expect(fingerprint({ a: 1, b: ['x'] })).toBe(fingerprint({ b: ['x'], a: 1 }))
    expect(fingerprint({ a: 1 })).not.toBe(fingerprint({ a: '1' }))
    expect(fingerprint(['x', 'y'])).not.toBe(fingerprint(['y', 'x']))
  })

  test('it is the SHA-256 of the canonical JSON', () => {
    // printf '{"a":1}' | sha256sum
    expect(fingerprint({ a: 1 })).toBe('015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862')
  })
})

describe('errors for people', () => {
  const errors = defineErrors({ CUP_EMPTY: 'badInput' })

  test('an error carries its code, its exit class, a hint and every problem', () => {
    const cause = new Error('spilled')
    const error = errors.make('CUP_EMPTY', {
      message: 'the cup is empty',
      hint: 'fill it',
      problems: [{ where: 'table:1', what: 'empty' }],
      cause,
    })
    expect(error).toBeInstanceOf(BenchError)
    expect(error).toMatchObject({ code: 'CUP_EMPTY', exit: 'badInput', hint: 'fill it', cause })
    expect(error.problems).toHaveLength(1)
  })

  test('several errors are one, which says the way out of each, and once where it is the same for all', () => {
    const cup = errors.make('CUP_EMPTY', { message: 'the cup is empty', hint: 'fill it' })
    const pot = errors.make('CUP_EMPTY', { message: 'the pot is empty', hint: 'fill it' })
    const problems = [{ where: 'door', what: 'shut' }]
    const shop = errors.make('CUP_EMPTY', { message: 'the shop is shut', hint: 'wait', problems })
    expect(asOneError([cup, pot])).toMatchObject({
      hint: 'fill it',
      problems: [
        { where: null, what: 'the cup is empty' },
        { where: null, what: 'the pot is empty' },
      ],
    })
    expect(asOneError([cup, shop])).toMatchObject({
      hint: 'correct all of them, then run the same command again',
      problems: [
        { where: null, what: 'the cup is empty', hint: 'fill it' },
        { where: 'door', what: 'shut', hint: 'wait' },
      ],
    })
  })

  test('every exit class has a different code', () => {
    const codes = Object.values(exitCodes).map(({ code }) => code)
    expect(new Set(codes).size).toBe(codes.length)
  })

  test('the first of several failures counts, whichever followed while resources were released', async () => {
    const fails = (message: string): AsyncDisposable => ({
      [Symbol.asyncDispose]: () => Promise.reject(new Error(message)),
    })
    const work = async (): Promise<void> => {
      await using _outer = fails('the second release')
      await using _inner = fails('the first release')
      throw errors.make('CUP_EMPTY', { message: 'the cup is empty', hint: 'fill it' })
    }
    const thrown: unknown = await work().catch((error: unknown) => error)
    expect(thrown).not.toBeInstanceOf(BenchError)
    expect(firstError(thrown)).toMatchObject({ code: 'CUP_EMPTY' })
    expect(firstError('a text')).toBe('a text')
  })
})

describe('the nearest name', () => {
  const names = ['wer', 'rtfx', 'latency.p95', 'RATE_LIMITED']

  test.each([
    ['wre', 'wer'],
    ['latency.p59', 'latency.p95'],
    ['rate_limted', 'RATE_LIMITED'],
  ])('of %s is %s', (typed, meant) => {
    expect(nearest(typed, names)).toBe(meant)
  })

  test('is not given where a third of the letters differ, or there is no name', () => {
    expect(nearest('throughput', names)).toBeNull()
    expect(nearest('wer', [])).toBeNull()
  })
})

test('a text that is not JSON reads as undefined, which no JSON text holds', () => {
  expect(parseJson('{"a":1}')).toEqual({ a: 1 })
  expect(parseJson('null')).toBeNull()
  expect(parseJson('{"a":')).toBeUndefined()
})

describe('a time to come back', () => {
  const read = (text: string) => parseRetryAfter(text, () => new Date('2026-11-27T12:00:00Z'))

  test('is in seconds, with or without decimals, or a date of HTTP', () => {
    expect(read('17')).toBe(17)
    expect(read('1.5')).toBe(1.5)
    expect(read('0')).toBe(0)
    expect(read('Fri, 27 Nov 2026 12:01:30 GMT')).toBe(90)
    expect(read('Fri, 27 Nov 2026 11:00:00 GMT')).toBe(0)
  })

  test.each([
    '',
    'soon',
    '-1',
    '1.5.2',
    '1e3',
    'Infinity',
    '9'.repeat(400),
    '2026-11-27',
    'Xyz, 99 Foo 2026 12:00:00 GMT',
  ])('that is "%s" counts as not sent, although a date can be read in some of these', (text) => {
    expect(read(text)).toBeNull()
  })
})

describe('a JSON text from outside', () => {
  test.each([
    ['nested', '['.repeat(3_000_000), 'it is nested more than 64 levels deep'],
    [
      'nested in a short line',
      `{"id":"a","tags":${'['.repeat(64)}${']'.repeat(64)}}`,
      'nested more than 64 levels',
    ],
    ['nested below texts', `["${'\\"]'.repeat(30_000)}",${'{"a":'.repeat(65)}`, 'nested more than 64 levels'],
    ['wide', `[${Array(5_000_001).fill('[]').join(',')}]`, 'it has more than 5000000 values'],
  ])('is refused before anything is built of it: %s', (_what, text, why) => {
    expect(() => parseForeignJson(text)).toThrow(why)
    expect(parseJson(text)).toBeUndefined()
  })

  test('has null where Python writes NaN and Infinity, and its texts as they are', () => {
    const text = '{"NaN": [NaN, -Infinity,Infinity], "said": "NaN, \\"NaN, -Infinity", "last":NaN}'
    expect(parseForeignJson(text)).toEqual({
      NaN: [null, null, null],
      said: 'NaN, "NaN, -Infinity',
      last: null,
    })
    for (const wrong of ['{"a": NaNs}', '{"a": +Infinity}', '{"a": NaN', '{NaN: 1}'])
      expect(parseJson(wrong)).toBeUndefined()
  })

  test('is read whatever its texts hold', () => {
    const value = { a: '['.repeat(100_000), [`${'{'.repeat(70)}"\\`]: [1, [2], { b: '"' }] }
    expect(parseForeignJson(JSON.stringify(value))).toEqual(value)
  })
})
