import { describe, expect, test } from 'vitest'
import { createTurnstile } from '../../src/service/engines/turnstile.ts'

const patient = new AbortController().signal

async function leaveOf(
  entering: ReturnType<ReturnType<typeof createTurnstile>['enter']>,
): Promise<() => void> {
  const turn = await entering
  if (!turn.ok) throw new Error(`no turn: ${turn.failure}`)
  return turn.value
}

describe('a turnstile', () => {
  test('lets callers through in the order in which they came', async () => {
    const turnstile = createTurnstile(1, 10)
    const order: number[] = []
    await Promise.all(
      [1, 2, 3, 4].map(async (caller) => {
        const leave = await leaveOf(turnstile.enter(patient))
        order.push(caller)
        leave()
      }),
    )
    expect(order).toEqual([1, 2, 3, 4])
  })

  test('has as many places again after everybody has left', async () => {
    const turnstile = createTurnstile(2, 0)
    for (let round = 0; round < 3; round += 1) {
      const leaves = [await leaveOf(turnstile.enter(patient)), await leaveOf(turnstile.enter(patient))]
      expect(await turnstile.enter(patient)).toEqual({ ok: false, failure: 'full' })
      for (const leave of leaves) leave()
    }
  })

  test('forgets a caller that gave up waiting, and its place in the queue', async () => {
    const turnstile = createTurnstile(1, 1)
    const leave = await leaveOf(turnstile.enter(patient))
    const impatient = new AbortController()
    const waiting = turnstile.enter(impatient.signal)
    expect(await turnstile.enter(patient)).toEqual({ ok: false, failure: 'full' })
    impatient.abort()
    expect(await waiting).toEqual({ ok: false, failure: 'aborted' })
    const next = turnstile.enter(patient)
    leave()
    expect((await next).ok).toBe(true)
  })

  test('does not let a caller in that has given up already', async () => {
    expect(await createTurnstile(1, 1).enter(AbortSignal.abort())).toEqual({ ok: false, failure: 'aborted' })
  })
})
