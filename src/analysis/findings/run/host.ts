import { counted } from '#prelude'
import { clopperPearsonInterval } from '#statistics/intervals'
import type { Evaluation } from '../../documents/evaluation.ts'
import { type RunFacts, runFinding } from '../run-facts.ts'

/** Share of the processors above which other programs disturb the measurement. */
const quietShare = 0.2
/** Share of time with work waiting for a processor, above which processors were too few. */
const shortOfProcessorsShare = 0.2

export const hostBusy = runFinding('HOST_BUSY', 'warning', (facts) => {
  const { host } = facts.material.record
  const busy = hostBusyText({ ...facts, run: host })
  if (busy === null) return []
  const message = `${busy}: latency and speed are pessimistic, and not compared`
  return [{ message, advice: 'close other work and measure again, or measure from another machine' }]
})

type HostFacts = Pick<Evaluation, 'instrument' | 'load' | 'resources' | 'contenders'> & {
  readonly run: Pick<Evaluation['run'], 'cpuCount' | 'machineCpuCount'>
}

/**
 * Describes why a run had too few processors. Its speeds are then not compared, and are marked everywhere. The
 * client's send lag does not show whose work it was: it may be that of a server that cannot be watched.
 *
 * @returns null where it had enough, or where that is unknown
 */
export function hostBusyText(facts: HostFacts): string | null {
  const { instrument, run, load, resources } = facts
  const foreign = instrument.foreignProcessors
  if (foreign !== null && foreign > run.cpuCount * quietShare) {
    const { cpuCount, machineCpuCount = cpuCount } = run
    return `other programs kept ${foreign.toFixed(1)} of ${counted(machineCpuCount, 'processor')} busy`
  }
  // Under an open load, a late generator is a fault of the run: GENERATOR_LATE.
  const late = load.latencyCountsFrom === 'due' ? null : sendLagText(facts)
  const waitingShare = resources.host.cpuStalledRate
  if (late === null || (waitingShare !== null && waitingShare < shortOfProcessorsShare)) return null
  const shortage =
    waitingShare === null
      ? ''
      : `, and work waited for a processor for ${Math.round(100 * waitingShare)}% of the time`
  return `${late}${shortage}`
}

/** Send lag that is tolerable, because every machine has busy moments. */
const tolerableLagMs = 20
/** Alternative limit as a share of the median latency, of which the lag is then a small part. */
const tolerableLagShare = 0.1
/** Share of requests that may be late. */
const tolerableShare = 0.01

/** Only an open load is checked, because its figures count from the due times. */
export const generatorLate = runFinding('GENERATOR_LATE', 'invalid', (facts) => {
  const late = facts.load.latencyCountsFrom === 'due' ? lateRequestsText(facts) : null
  if (late === null) return []
  return {
    message: `${late}, which is this machine's doing and not the server's`,
    advice: 'close other work on this machine, or lower the rate',
  }
})

function lateRequestsText({ resolved, contenders }: RunFacts): string | null {
  const limitMs = tolerableMs(contenders)
  let [count, late, sumMs, mostMs] = [0, 0, 0, 0]
  for (const { sendings } of resolved.contenders)
    for (const { attempt, sentAtMs, dueAtMs } of sendings) {
      if (attempt !== 1) continue
      const lagMs = sentAtMs - dueAtMs
      count += 1
      sumMs += lagMs
      mostMs = Math.max(mostMs, lagMs)
      if (lagMs > limitMs) late += 1
    }
  const atLeast = clopperPearsonInterval(late, count, 0.9)?.low ?? 0
  if (atLeast <= tolerableShare && sumMs <= (count * limitMs) / 2) return null
  return (
    `${late} of ${count} requests left more than ${limitMs.toFixed(0)} ms after they were due (most: ` +
    `${mostMs.toFixed(0)} ms)`
  )
}

function tolerableMs(contenders: RunFacts['contenders']): number {
  const medians = contenders.map(({ latencyMs }) => latencyMs.p50.value).filter((value) => value !== null)
  const medianLatencyMs = medians.length === 0 ? 0 : Math.min(...medians)
  return Math.max(tolerableLagMs, tolerableLagShare * medianLatencyMs)
}

function sendLagText({
  instrument: { sendLagMs },
  contenders,
}: Pick<RunFacts, 'instrument' | 'contenders'>): string | null {
  if (sendLagMs === null || sendLagMs.p99 <= tolerableMs(contenders)) return null
  return (
    `1% of the requests left ${sendLagMs.p99.toFixed(0)} ms or more after they were due (most: ` +
    `${sendLagMs.max.toFixed(0)} ms)`
  )
}

export const onBattery = runFinding('ON_BATTERY', 'warning', ({ material: { record } }) => {
  if (record.host.power !== 'battery') return []
  const message = 'the machine ran on its battery: processors may have been slowed down'
  return [{ message, advice: 'plug it in and measure again' }]
})
