import { performance } from 'node:perf_hooks'
import { afterEach, expect, test, vi } from 'vitest'
import { recentHostSpeed } from '../../../src/session/measure/run-record.ts'

afterEach(() => vi.restoreAllMocks())

test('the speed of the host is measured again after ten seconds, and not before', () => {
  const startedAtMs = performance.now()
  const atSeconds = (seconds: number): void => {
    vi.spyOn(performance, 'now').mockReturnValue(startedAtMs + 1000 * seconds)
  }
  let nowMs = 0
  const clock = {
    nowMs: () => {
      nowMs += 1
      return nowMs
    },
  }
  atSeconds(3600)
  const first = recentHostSpeed(clock)
  const readings = nowMs
  expect(readings).toBeGreaterThan(0)
  atSeconds(3610)
  expect(recentHostSpeed(clock)).toBe(first)
  expect(nowMs).toBe(readings)
  atSeconds(3610.1)
  expect(recentHostSpeed(clock)).not.toBe(first)
  expect(nowMs).toBeGreaterThan(readings)
})
