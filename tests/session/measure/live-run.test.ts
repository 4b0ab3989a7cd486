import { expect, test } from 'vitest'
import type { RunRecord } from '#journal'
import { systemClock } from '#load'
import { firstSegment } from '../../../src/session/measure/earlier-run.ts'
import { withLiveRun } from '../../../src/session/measure/run-record.ts'
import { aRecord } from '../../journal/a-run.ts'

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
  }
  const measuring = withLiveRun(live, async () => {
    await sampled.promise
    throw new Error('no room for an answer')
  })
  await expect(measuring).rejects.toThrow('no room for an answer')
  expect(written).toMatchObject([{ status: 'failed', ending: { message: 'no room for an answer' } }])
})
