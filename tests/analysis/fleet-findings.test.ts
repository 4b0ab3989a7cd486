import { describe, expect, test } from 'vitest'
import type { Finding } from '#analysis/documents/finding'
import { evaluateRun } from '#analysis/evaluate-run'
import type { RunRecord } from '#journal/run-record'
import { renderMarkdown } from '#reports/run/render-summary'
import { codesIn, measuredRun, spokenUtterances } from './measured-run.ts'

type RecordedHost = NonNullable<RunRecord['hosts']>[number]

function found(host: Partial<RecordedHost>): readonly Finding[] {
  const run = measuredRun({ utterances: [{ id: 'a', reference: 'a b' }], fate: () => 'a b' })
  const hosts = [{ name: 'gpu1', runIds: ['part-0@gpu1'], machine: run.record.host, ...host }]
  const own = ['START_NOT_COMMON', 'BLOCKS_REPEATED']
  return evaluateRun({ ...run, record: { ...run.record, hosts } }).findings.filter(({ code }) =>
    own.includes(code),
  )
}

describe('a host of a fleet', () => {
  test('that began within 5 ms of the others, on a clock that is wrong, is no finding', () => {
    expect(found({ clock: { offsetMs: -2000, uncertaintyMs: 0.4, startErrorMs: 4.5 } })).toEqual([])
    expect(found({ clock: { offsetMs: 0, uncertaintyMs: 80, startErrorMs: null } })).toEqual([])
  })

  test('whose start or clock is further away makes the run invalid', () => {
    const late = found({ clock: { offsetMs: 0, uncertaintyMs: 0.4, startErrorMs: 4.7 } })
    expect(late).toMatchObject([{ code: 'START_NOT_COMMON', severity: 'invalid' }])
    expect(late[0]?.message).toContain('gpu1')
    expect(found({ clock: { offsetMs: 0, uncertaintyMs: 5.1, startErrorMs: 0 } })).toHaveLength(1)
  })

  test('that measured a part once more is named with it', () => {
    const [note] = found({ further: [{ part: 3, answeredCount: 12 }] })
    expect(note).toMatchObject({ code: 'BLOCKS_REPEATED', severity: 'note' })
    expect(note?.message).toContain('part 3 on gpu1')
  })
})

describe('a plan that hosts shared', () => {
  const faults: NonNullable<RunRecord['hostFaults']> = [
    { host: 'gpu1', part: 1, kind: 'failed', reason: 'TARGET_NOT_READY: refused' },
    { host: 'gpu3', part: 2, kind: 'silent', reason: null },
  ]
  /** Each host measured one half, 8 s of speech in 0.4 s; the whole took four times as long. */
  const run = measuredRun({
    utterances: spokenUtterances(8, 'a b', { seconds: 2 }),
    contenders: ['tiny@gpu1', 'tiny@gpu2'],
    fate: ({ contenderId, utterance }) =>
      utterance.id < 'u4' === contenderId.endsWith('gpu1') ? 'a c' : null,
  })
  const hosts = ['gpu1', 'gpu2'].map((name) => ({ name, runIds: [`part@${name}`], machine: run.record.host }))
  const evaluation = evaluateRun({
    ...run,
    requests: run.requests.filter(({ index }) => run.attempts.some((line) => line.index === index)),
    record: {
      ...run.record,
      startedAt: '2026-11-21T07:32:00.000Z',
      endedAt: '2026-11-21T07:32:01.600Z',
      fleetMode: 'shard',
      hosts,
      hostFaults: faults,
      contenders: run.record.contenders.map((contender) => ({
        ...contender,
        merged: { contender: 'tiny', host: contender.id.split('@')[1] ?? '' },
      })),
    },
  })

  test('has the speed of all hosts over the time that it took, and the errors of all in the first sentence', () => {
    expect(evaluation.contenders.map(({ systemSpeed }) => systemSpeed.value)).toEqual([20, 20])
    expect(evaluation.hosts?.[0]?.totalSpeed).toBeCloseTo(10, 9)
    expect(renderMarkdown(evaluation)).toMatch(
      /\*\*tiny makes 50\.0 errors per hundred words.* on gpu1 and gpu2; together they transcribe 10\.0 seconds/,
    )
  })

  test('names the hosts that left a block to others, and no reference as contradicted by one contender', () => {
    const [finding, ...others] = evaluation.findings.filter(({ code }) => code === 'HOSTS_FAILED')
    expect(others).toEqual([])
    const both =
      'host gpu1 could not measure 1 block that it was given; host gpu3 fell silent while it measured part 2'
    expect(finding?.message).toBe(`${both}; gpu2 measured these blocks`)
    expect(finding?.advice).toMatch(
      /^mend what the failing hosts report: gpu1: TARGET_NOT_READY: refused\. The time that was lost to this is in the speed of all hosts together$/,
    )
    // In the first sentence after the figures, and the first warning.
    expect(renderMarkdown(evaluation)).toMatch(
      /\*\*tiny makes .*Host gpu1 could not measure 1 block that it was given; host gpu3 fell.*\*\*/,
    )
    expect(evaluation.findings.find(({ severity }) => severity === 'warning')?.code).toBe('HOSTS_FAILED')
    expect(evaluation.audit).toMatchObject({ suspectCount: null, suspects: [] })
    expect(codesIn(evaluation)).not.toContain('REFERENCES_SUSPECT')
  })
})
