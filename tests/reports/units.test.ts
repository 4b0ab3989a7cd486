import { describe, expect, test } from 'vitest'
import {
  formatChange,
  formatCount,
  formatFactor,
  formatMilliseconds,
  formatPercent,
  formatPoints,
  formatSeconds,
  formatTimes,
  shortened,
} from '#reports/layout/units'

describe('a number is shown as people read it', () => {
  test.each([
    [formatMilliseconds(372), '372 ms'],
    [formatMilliseconds(4.25), '4.3 ms'],
    [formatMilliseconds(9.96), '10 ms'],
    [formatMilliseconds(999.4), '999 ms'],
    [formatMilliseconds(999.6), '1.00 s'],
    [formatMilliseconds(1210), '1.21 s'],
    [formatMilliseconds(12_340), '12.3 s'],
    [formatMilliseconds(99_960), '1 min 40 s'],
    [formatMilliseconds(0), '0.0 ms'],
    [formatMilliseconds(0.031), '0.03 ms'],
    [formatMilliseconds(-0.004), '−0.004 ms'],
    [formatSeconds(3.14), '3.1 s'],
    [formatSeconds(34), '34 s'],
    [formatSeconds(59.7), '1 min'],
    [formatSeconds(188), '3 min 8 s'],
    [formatSeconds(3720), '1 h 2 min'],
    [formatSeconds(7199), '2 h'],
    [formatSeconds(0), '0 s'],
    [formatSeconds(0.04), '0.040 s'],
    [formatPercent(0.051), '5.1%'],
    [formatPercent(0.0806, 2), '8.06%'],
    [formatPercent(2.5), '250.0%'],
    [formatPoints(-0.008), '−0.80 pp'],
    [formatPoints(0.0134), '+1.34 pp'],
    [formatPoints(-0.000001), '0.00 pp'],
    [formatChange(0.109), '+10.9%'],
    [formatChange(-0.0371), '−3.7%'],
    [formatTimes(19.62), '19.6×'],
    [formatTimes(432.1), '432×'],
    [formatTimes(1380.4), '1,380×'],
    [formatTimes(0.0431), '0.043×'],
    [formatTimes(0.055), '0.055×'],
    [formatTimes(0.0996), '0.1×'],
    [formatTimes(0), '0.0×'],
    [formatFactor(0.0512), '0.051'],
    [formatFactor(0.00042), '0.00042'],
    [formatFactor(0.00055), '0.00055'],
    [formatFactor(1.234), '1.23'],
    [formatCount(5098), '5,098'],
    [formatCount(1234567), '1,234,567'],
    [formatCount(0.5), '0.5'],
  ])('%s', (shown, expected) => {
    expect(shown).toBe(expected)
  })
})

test('a rate has as many digits as it takes not to look like none or all', () => {
  expect(formatPercent(1 / 18_000)).toBe('0.0056%')
  expect(formatPercent(17_997 / 18_000)).toBe('99.983%')
  expect([1e-5, 1 - 2e-5, 1].map((rate) => formatPercent(rate, 2))).toEqual([
    '0.0010%',
    '99.9980%',
    '100.00%',
  ])
  expect([0, 0.0612, 0.9996, 1, 1.279].map((rate) => formatPercent(rate))).toEqual([
    '0.0%',
    '6.1%',
    '99.960%',
    '100.0%',
    '127.9%',
  ])
})

test('a text is shortened between its characters, and never within one', () => {
  expect(shortened('abc😀', 4)).toBe('abc😀')
  expect(shortened('abc😀e', 4)).toBe('abc…')
  expect(shortened('ab😀de', 4)).toBe('ab😀…')
})
