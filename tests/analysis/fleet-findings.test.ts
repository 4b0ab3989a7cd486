import { describe, expect, test } from 'vitest'
import { evaluateRun, type Finding } from '#analysis'
import type { RunRecord } from '#journal'
import { measuredRun } from './measured-run.ts'

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
