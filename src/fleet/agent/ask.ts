import { setTimeout as sleep } from 'node:timers/promises'
import { fleetErrors } from '../errors.ts'
import type { Broker } from '../queue/broker.ts'
import { keyPrefix } from '../queue/broker.ts'
import { type AskKind, type Asks, validMs } from '../queue/messages.ts'
import { askQueue, jobPlace, openKey } from '../queue/places.ts'
import { expired, otherKey, seal, unseal } from '../queue/seal.ts'

/** The run of a question has ended: there will be no answer. */
export class RunOverError extends Error {}

const firstPauseMs = 20
const longestPauseMs = 1000

/**
 * Asks the coordinator of a run and waits for its answer, however long it is away. A question that Redis has lost, or that has expired
 * meanwhile, is asked again.
 *
 * @param id of the question: equal ids are one question
 * @throws RunOverError; BenchError FLEET_BLOCKS_FAILED where the coordinator refuses
 */
export async function ask<Kind extends AskKind>(
  broker: Broker,
  run: string,
  { kind, id, body, signal }: { kind: Kind; id: string; body: Asks[Kind]['ask']; signal: AbortSignal },
): Promise<Asks[Kind]['answer']> {
  const { address, redis } = broker
  const queueName = askQueue(run)
  const queue = broker.queue(queueName)
  const place = jobPlace(queueName, id)
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    signal.throwIfAborted()
    const state = await queue.getJobState(id)
    if (state === 'completed' || state === 'failed') {
      const job = await queue.getJob(id)
      await job?.remove()
      if (job === undefined || job.failedReason === expired) continue
      if (state === 'failed') throw refused(run, job.failedReason)
      return unseal(job.returnvalue, address, { place: `${place}/answer`, nowMs: await broker.nowMs() })
    }
    if (state === 'unknown') {
      if ((await redis.exists(openKey(keyPrefix(address), run))) === 0)
        throw new RunOverError(`the run ${run} has ended`)
      const expiresAtMs = (await broker.nowMs()) + validMs
      await queue.add(kind, seal(body, address, { place, expiresAtMs }), {
        jobId: id,
        removeOnComplete: { age: 3600 },
        removeOnFail: { age: 3600 },
      })
    }
    await sleep(pauseMs, undefined, { signal })
  }
}

function refused(run: string, reason: string | undefined): Error {
  return fleetErrors.make('FLEET_BLOCKS_FAILED', {
    message: `the coordinator refused a message: ${reason ?? 'no reason given'}`,
    hint:
      reason === otherKey
        ? 'check that every host of the fleet has the same TRANSCRIBENCH_FLEET_KEY'
        : `solve that on the host of the coordinator, then: transcribench fleet run --resume ${run}`,
  })
}
