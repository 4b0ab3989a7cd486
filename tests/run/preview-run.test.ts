import { expect, test } from 'vitest'
import { expectLoad } from '#run/plan/preview-run'
import { aRequest } from './carried-out.ts'

test('a plan of more users than a call takes arguments has a length', () => {
  const requests = Array.from({ length: 200_000 }, (_, speaker) => ({
    ...aRequest('mine', 'u'),
    send: { kind: 'spoken', speaker, pauseMs: speaker, speechMs: 1000 } as const,
  }))
  expect(expectLoad(requests, new Map([['u', 1]])).atLeastSeconds).toBe(200.999)
})
