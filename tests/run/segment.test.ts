import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { afterEach, expect, test, vi } from 'vitest'
import { listRuns } from '#journal/find-run'
import type { RunRecord } from '#journal/run-record'
import { systemClock } from '#load/clock'
import { recentHostSpeed } from '../../src/run/record.ts'
import { claimRun, firstSegment, isRunAlive, withSegment } from '../../src/run/segment.ts'
import { aRecord } from '../journal/a-run.ts'
import { temporaryFolder } from '../temporary-folder.ts'

test('a disk that is full ends a run with the answer that was refused, and not with the sample after it', async () => {
  const written: RunRecord[] = []
  const sampled = Promise.withResolvers<void>()
  const writer = {
    appendTelemetry() {
      sampled.resolve()
      return Promise.reject(new Error('no room for a sample'))
    },
    async writeRecord(record: RunRecord) {
      written.push(record)
    },
  }
  const live = {
    record: aRecord,
    writer,
    segment: firstSegment,
    servers: [],
    clock: systemClock,
    env: {},
    onSample: () => {},
  }
  const measuring = withSegment(live, async () => {
    await sampled.promise
    throw new Error('no room for an answer')
  })
  await expect(measuring).rejects.toThrow('no room for an answer')
  expect(written).toMatchObject([{ status: 'failed', ending: { message: 'no room for an answer' } }])
})

test('a run is alive as long as a process writes it, and is claimed by one process alone', async () => {
  await using results = await temporaryFolder()
  const child = fork(join(import.meta.dirname, '..', 'journal', 'write-until-killed.ts'), [results.path])
  await once(child, 'message')
  const [folder = ''] = await listRuns(results.path)
  expect(await isRunAlive(folder)).toBe(true)
  await expect(claimRun(folder)).rejects.toMatchObject({
    code: 'RUN_ALIVE',
    message: expect.stringContaining(`as process ${aRecord.pid}`),
  })
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(await isRunAlive(folder)).toBe(false)
  using claim = await claimRun(folder)
  expect(claim).toBeDefined()
  expect(await isRunAlive(folder)).toBe(true)
  await expect(claimRun(folder)).rejects.toMatchObject({ code: 'RUN_ALIVE' })
})

afterEach(() => vi.restoreAllMocks())

test('the speed of the host is measured again after ten seconds, and not before', () => {
  // A whole number, so that ten seconds later is exact.
  const startedAtMs = Math.ceil(performance.now())
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
