import { expect, test } from 'vitest'
import { programVersion } from '#installation/installation'
import { closedSchedule } from '#load/loads/closed'
import { expectLoad, timeBefore } from '#run/plan/preview-run'
import { describeHost } from '#telemetry/host'
import { aRecord } from '../journal/a-run.ts'
import { aSummary } from '../results/a-summary.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { aRequest } from './carried-out.ts'

test('a plan of more users than a call takes arguments has a length', () => {
  const requests = Array.from({ length: 200_000 }, (_, speaker) => ({
    ...aRequest('mine', 'u'),
    send: { kind: 'spoken', speaker, pauseMs: speaker, speechMs: 1000 } as const,
  }))
  expect(expectLoad(requests, new Map([['u', 1]])).atLeastSeconds).toBe(200.999)
})

test('a duration is estimated from the newest run that measured one of the contenders', async () => {
  const { cpuModel, cpuCount } = describeHost(programVersion())
  const schedule = closedSchedule(1)
  const measured = (at: string, id: string, rtfx: number) => {
    const folder = `${at.replaceAll(':', '-')}-quick`
    const summary = aSummary(at, [{ id, metrics: { rtfx: { value: rtfx } } }], {
      run: { name: 'quick', startedAt: at, target: 'embedded', cpuModel, cpuCount },
      load: { description: schedule.describe(60) },
    })
    const record = { ...aRecord, id: folder, startedAt: at, config: { target: 'embedded' } }
    return {
      [`${folder}/run.json`]: JSON.stringify(record),
      [`${folder}/summary.json`]: JSON.stringify(summary),
    }
  }
  await using results = await temporaryFolder({
    ...measured('2026-11-21T07:00:00Z', 'mine', 10),
    ...measured('2026-11-21T08:00:00Z', 'other', 20),
  })
  const utterance = { id: 'u', durationSeconds: 60 }
  const plan = {
    corpus: { fingerprint: 'e'.repeat(64), utterances: [utterance], audioSeconds: 60 },
    load: { kind: 'closed', concurrency: 1 },
    schedule,
    requests: [aRequest('mine', 'u')],
  } as unknown as Parameters<typeof timeBefore>[0]
  expect(await timeBefore(plan, { results: results.path, target: 'embedded' })).toEqual({
    seconds: 6,
    runId: '2026-11-21T07-00-00Z-quick',
    isSameCorpus: false,
  })
})
