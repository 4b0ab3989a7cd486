import { expect, test } from 'vitest'
import type { PageCorrection } from '#reports/page'
import { lastInForce } from '../../src/page/utterances/review.ts'

const line = (utteranceId: string, before: string, after: string): PageCorrection => ({
  utteranceId,
  before,
  after,
  seen: 'seen',
  when: '2026-11-21T08:00:00.000Z',
  by: 'bob',
})

test('undoing a correction again goes back to the one before, until none is left', () => {
  const made = [line('one', 'a', 'b'), line('two', 'x', 'y'), line('two', 'y', 'y'), line('one', 'b', 'c')]
  const lines = [...made]
  const undone: (readonly [string, string])[] = []
  while (undone.length < 5) {
    const last = lastInForce(lines)
    if (last === undefined) break
    undone.push([last.before, last.after])
    lines.push(line(last.utteranceId, last.after, last.before))
  }
  expect(undone).toEqual([
    ['b', 'c'],
    ['x', 'y'],
    ['a', 'b'],
  ])
  expect(lastInForce([...lines, line('one', 'a', 'd')])).toMatchObject({ after: 'd' })
})
