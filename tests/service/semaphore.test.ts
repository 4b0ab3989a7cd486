import { describe, expect, test } from 'vitest'
import { createSemaphore } from '../../src/service/waiting.ts'

const patient = new AbortController().signal

async function releaseOf(
  acquiring: ReturnType<ReturnType<typeof createSemaphore>['acquire']>,
): Promise<() => void> {
  const slot = await acquiring
  if (!slot.ok) throw new Error(`no slot: ${slot.failure}`)
  return slot.value
}

describe('a semaphore', () => {
  test('admits callers in order of arrival', async () => {
    const semaphore = createSemaphore(1, 10)
    const order: number[] = []
    await Promise.all(
      [1, 2, 3, 4].map(async (caller) => {
        const release = await releaseOf(semaphore.acquire(patient))
        order.push(caller)
        release()
      }),
    )
    expect(order).toEqual([1, 2, 3, 4])
  })

  test('has as many free slots again after every caller has released', async () => {
    const semaphore = createSemaphore(2, 0)
    for (let round = 0; round < 3; round += 1) {
      const releases = [
        await releaseOf(semaphore.acquire(patient)),
        await releaseOf(semaphore.acquire(patient)),
      ]
      expect(await semaphore.acquire(patient)).toEqual({ ok: false, failure: 'full' })
      for (const release of releases) release()
    }
  })

  test('forgets a caller that gave up waiting, and its place in the queue', async () => {
    const semaphore = createSemaphore(1, 1)
    const release = await releaseOf(semaphore.acquire(patient))
    const impatient = new AbortController()
    const waiting = semaphore.acquire(impatient.signal)
    expect(await semaphore.acquire(patient)).toEqual({ ok: false, failure: 'full' })
    impatient.abort()
    expect(await waiting).toEqual({ ok: false, failure: 'aborted' })
    const next = semaphore.acquire(patient)
    release()
    expect((await next).ok).toBe(true)
  })

  test('does not admit a caller that has given up already', async () => {
    expect(await createSemaphore(1, 1).acquire(AbortSignal.abort())).toEqual({
      ok: false,
      failure: 'aborted',
    })
  })
})
