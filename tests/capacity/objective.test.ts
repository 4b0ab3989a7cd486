import { describe, expect, test } from 'vitest'
import { allowance, isMiss, limitMs, parseObjective, parseObjectives } from '#capacity/objective'

describe('an objective', () => {
  test.each([
    ['p95 <= 2s', { percentile: 0.95, fixedMs: 2000, perAudioSecondMs: 0 }],
    ['p99.9<=800ms', { percentile: 0.999, fixedMs: 800, perAudioSecondMs: 0 }],
    ['p95 <= 0.5s + 0.2d', { percentile: 0.95, fixedMs: 500, perAudioSecondMs: 200 }],
    ['p99 <= 1.5min + 2d', { percentile: 0.99, fixedMs: 90_000, perAudioSecondMs: 2000 }],
    ['p50 ≤ 250 ms + 0.05 * d', { percentile: 0.5, fixedMs: 250, perAudioSecondMs: 50 }],
  ])('%s is a line over the length of the audio', (text, objective) => {
    expect(parseObjective(text)).toMatchObject({ ok: true, value: { kind: 'latency', ...objective } })
  })

  test('failures <= 1% is a share', () => {
    expect(parseObjective('failures <= 1%')).toMatchObject({
      ok: true,
      value: { kind: 'failures', atMost: 0.01 },
    })
  })

  test.each([
    ['p95 <= 2', '"2" has no unit', 'write "2s" or "2ms"'],
    ['p95 <= 2h', '"h" is not a unit here', 'write the time in ms, s or min'],
    ['p95 >= 2s', '">=" is not an operator here', 'upper limits'],
    ['wer <= 8%', '"wer" is neither a percentile nor "failures"', 'p95 <= 2s'],
    ['p0 <= 2s', '"p0" is neither', 'p95 <= 2s'],
    ['p95', 'is not an objective', 'p95 <= 2s'],
    ['p95 <= soon', '"soon" is not a time', '0.5s + 0.2d'],
    ['p95 <= 0s', 'no server answers in no time', 'above 0'],
    ['failures <= 0.01', '"0.01" is not a share', 'failures <= 1%'],
    ['failures <= 100%', 'everything may fail', 'under 100%'],
    ['failures <= 0%', 'no number of requests shows that none fails', 'failures <= 0.1%'],
  ])('%s is refused with what to write instead', (text, what, hint) => {
    const parsed = parseObjective(text)
    expect(parsed).toMatchObject({ ok: false })
    if (parsed.ok) return
    expect(parsed.failure.what).toContain(what)
    expect(parsed.failure.hint).toContain(hint)
  })

  test('all that are wrong are reported at once, and one that is there twice is', () => {
    const what = ['"2" has no unit', 'the objective is given twice']
    const problems = what.map((each) => expect.objectContaining({ what: each }))
    expect(() => parseObjectives(['p95 <= 2', 'p95 <= 2s', 'p95 <= 2s'])).toThrow(
      expect.objectContaining({ code: 'OBJECTIVE_INVALID', problems }),
    )
  })

  test('allows what its percentile leaves, exactly', () => {
    const [p95, failures] = parseObjectives(['p95 <= 2s', 'failures <= 1%'])
    expect([p95, failures].map((objective) => objective && allowance(objective))).toEqual([0.05, 0.01])
  })

  test('is missed by an answer after T(d) and by a request that failed', () => {
    const [objective] = parseObjectives(['p95 <= 0.5s + 0.2d'])
    if (objective?.kind !== 'latency') throw new TypeError('an objective on time')
    expect(limitMs(objective, 10)).toBe(2500)
    const request = { audioSeconds: 10, isAnswered: true }
    expect(isMiss(objective, { ...request, responseMs: 2500 })).toBe(false)
    expect(isMiss(objective, { ...request, responseMs: 2501 })).toBe(true)
    expect(isMiss(objective, { ...request, responseMs: 1, isAnswered: false })).toBe(true)
  })
})
