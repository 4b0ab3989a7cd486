import { equalIssueOrder, poissonSchedule } from '#load'
import { seededRandom } from '#prelude'
import type { CountedBatch, ExpectedSlope } from './capacity-fit.ts'
import { missBatches, type Stretch } from './level.ts'
import { isMiss, type ServicePromise } from './promise.ts'
import { type Arrival, simulateQueue } from './queue-simulation.ts'
import { drawJob, type Imagined, type ImaginedUse, imagineCapacity } from './what-if.ts'

/** A queue whose service times are those of requests alone: what is expected of a server before any load was tried. */
export interface QueueModel {
  /** Where the capacity may be; null where even requests alone break the promise. */
  readonly perSecond: number | null
  /** What it makes of the very requests of a stretch: misses of each batch, on average over its chances. */
  missesOf(stretch: Stretch, promise: ServicePromise): readonly number[]
  /** The share that it misses at a load in the long run. */
  missShare(perSecond: number, promise: ServicePromise): number
}

/** Of the same arrivals with other service times. */
const repeats = 10
/** Requests of the long run: its share of misses is known much better than that of any measurement. */
const longRun = 60_000
const settling = 1_000

/** Makes a queue of a machine as requests alone and a full house show it. */
export function modelQueue(machine: Imagined, { lengths, promises, seed }: ImaginedUse): QueueModel {
  const random = seededRandom(seed)
  const unit = poissonSchedule({ perSecond: 1, forSeconds: null, seed }).plan({ count: longRun })
  const jobs = equalIssueOrder(lengths, longRun, random).map((audioSeconds, index): Arrival => {
    const send = unit[index]
    return { ...drawJob(machine, audioSeconds, random), dueAtMs: send?.kind === 'due' ? send.dueAtMs : 0 }
  })
  const shares = new Map<string, number>()
  return {
    perSecond: imagineCapacity(machine, { lengths, promises, seed }).perSecond,
    missesOf(stretch, promise) {
      const samples = stretch.samples.toSorted((a, b) => a.dueAtMs - b.dueAtMs)
      let sums: readonly number[] = []
      for (let repeat = 0; repeat < repeats; repeat += 1) {
        const arrivals = samples.map(({ dueAtMs, audioSeconds }) => ({
          ...drawJob(machine, audioSeconds, random),
          dueAtMs,
        }))
        const answers = simulateQueue(arrivals, machine)
        const simulated = samples.map((sample, index) => ({
          ...sample,
          isAnswered: true,
          endedAtMs: sample.dueAtMs + (answers[index]?.responseMs ?? 0),
        }))
        const misses = missBatches({ ...stretch, samples: simulated }, promise)
        sums = misses.map((batch, index) => (sums[index] ?? 0) + batch.misses / repeats)
      }
      return sums
    },
    missShare(perSecond, promise) {
      const key = `${perSecond} ${promise.text}`
      const known = shares.get(key)
      if (known !== undefined) return known
      const arrivals = jobs.map((job) => ({ ...job, dueAtMs: job.dueAtMs / perSecond }))
      const judged = simulateQueue(arrivals, machine).slice(settling)
      const missed = judged.filter(({ responseMs, audioSeconds }) =>
        isMiss(promise, { responseMs: responseMs ?? 0, audioSeconds, isAnswered: true }),
      )
      const share = missed.length / judged.length
      shares.set(key, share)
      return share
    },
  }
}

/** The slope is read off between these shares of the capacity. */
const slopeBetween = { low: 0.9, high: 1.1 }
/** Standard deviation of the slope of a server around that of its model. */
const slopeSpread = 0.3

/** How the misses of the model grow with the load about its capacity; null where there is none. */
export function expectedSlope(promise: ServicePromise, model: QueueModel | null): ExpectedSlope | null {
  if (model === null || model.perSecond === null || promise.kind === 'failures') return null
  const { low, high } = slopeBetween
  const logit = (times: number): number => {
    const share = model.missShare(times * (model.perSecond ?? 0), promise)
    return Math.log(share / (1 - share))
  }
  const slope = (logit(high) - logit(low)) / Math.log(high / low)
  return Number.isFinite(slope) && slope > 0 ? { slope, spread: slopeSpread * slope } : null
}

/** Misses of a batch, and by how many the model says that its requests were unlucky. */
export interface ControlledBatch extends CountedBatch {
  readonly badLuck: number
}

/** The misses of each batch of a stretch, with the bad luck that a model sees in them; without a model, none. */
export function controlledBatches(
  stretch: Stretch,
  promise: ServicePromise,
  model: QueueModel | null,
): readonly ControlledBatch[] {
  const batches = missBatches(stretch, promise)
  if (model === null || promise.kind === 'failures') return batches.map((batch) => ({ ...batch, badLuck: 0 }))
  const misses = model.missesOf(stretch, promise)
  const share = model.missShare(stretch.perSecond, promise)
  return batches.map((batch, index) => ({ ...batch, badLuck: (misses[index] ?? 0) - share * batch.requests }))
}

/**
 * Takes from the misses of each batch what its arrivals alone explain: a queue of the same kind, put under the same
 * arrivals, shows how much more they make it miss than it does in the long run. How much of that is taken away is what the
 * batches themselves bear out, so that a model that is wrong takes away nothing.
 *
 * @returns misses that may be fractions, and below 0 where a batch was luckier than it missed
 * @see Lavenberg and Welch 1981, doi:10.1287/mnsc.27.3.322 (control variates)
 */
export function withoutLuck(batches: readonly ControlledBatch[]): readonly CountedBatch[] {
  let [together, alone] = [0, 0]
  for (const level of Map.groupBy(batches, ({ perSecond }) => perSecond).values()) {
    const requests = level.reduce((sum, batch) => sum + batch.requests, 0)
    if (requests === 0) continue
    const misses = level.reduce((sum, batch) => sum + batch.misses, 0) / requests
    const luck = level.reduce((sum, batch) => sum + batch.badLuck, 0) / requests
    for (const batch of level) {
      const own = batch.badLuck - luck * batch.requests
      together += own * (batch.misses - misses * batch.requests)
      alone += own * own
    }
  }
  const share = alone === 0 ? 0 : Math.min(1, Math.max(0, together / alone))
  return batches.map(({ badLuck, ...batch }) => ({ ...batch, misses: batch.misses - share * badLuck }))
}
