import { expect, test } from 'vitest'
import { modelMissing } from '#run/execute/readiness'

test('a contender without a model is called by its own name where it is not ready', () => {
  const contender = { id: 'My notes', engine: 'openai', model: null, reason: 'keyMissing' } as const
  const { message, problems } = modelMissing([contender], [], {
    description: 'the service',
    isEmbedded: false,
    readyCount: 0,
    doctor: 'transcribench doctor',
    engines: null,
  })
  expect(message).toBe('My notes cannot be measured on the service; installed there: nothing')
  expect(problems).toEqual([{ where: 'My notes', what: 'the target has no key for its provider' }])
})
