import { readFile } from 'node:fs/promises'
import { systemClock } from '#load/clock'
import { closedSchedule } from '#load/loads/closed'
import { constantSchedule } from '#load/loads/steady'
import type { Schedule } from '#load/schedule'
import { quantile, sortSamples } from '#statistics/quantiles'
import type { BenchRow } from './bench-row.ts'
import { startNullService } from './client-null-service.ts'
import { connectTo, type Probe, probe } from './load-connection.ts'

const perSecond = 200
const count = 2_400
const pauseAfterMs = 2_000
const pauseMs = 1_400
const rounds = 3
const goal = 0.02

interface Measured {
  readonly probes: readonly Probe[]
  /** How long the service really stood still. */
  readonly pausedMs: number
}

/**
 * A service that does not run for 1.4 s, as one that collects garbage or swaps does: the kernel takes the
 * connections, the service does not answer. What p99 has to be is arithmetic: a request due k intervals into the pause waits
 * for its rest, so the 99th percentile is (1 - 0.99)(n - 1) intervals below the length of the pause.
 */
export async function benchPause(): Promise<BenchRow[]> {
  if (process.platform === 'win32') return []
  const runs: PauseFigures[] = []
  for (let run = 0; run < rounds; run += 1) {
    runs.push(figuresOf(await measure(constantSchedule({ perSecond, forSeconds: null }))))
  }
  const { measuredMs, arithmeticMs } = medianOf(runs)
  const closed = await measure(closedSchedule(1))
  const closedMs = p99(closed.probes.map(({ endedAtMs, sentAtMs }) => endedAtMs - sentAtMs))
  return [
    {
      name: `p99 of ${count} requests at ${perSecond}/s with a pause of ${pauseMs / 1_000} s`,
      value: `${measuredMs.toFixed(0)} ms`,
      baseline: `${arithmeticMs.toFixed(0)} ms by arithmetic; ${closedMs.toFixed(1)} ms one after the other`,
      ratio: measuredMs / arithmeticMs,
      goal: `within ${100 * goal} %`,
      met: Math.abs(measuredMs / arithmeticMs - 1) <= goal,
    },
  ]
}

interface PauseFigures {
  readonly measuredMs: number
  readonly arithmeticMs: number
}

function figuresOf({ probes, pausedMs }: Measured): PauseFigures {
  return {
    measuredMs: p99(probes.map(({ endedAtMs, dueAtMs }) => endedAtMs - dueAtMs)),
    arithmeticMs: pausedMs - ((1 - 0.99) * (count - 1) * 1_000) / perSecond,
  }
}

/** The run whose deviation is the middle one. */
function medianOf(runs: readonly PauseFigures[]): PauseFigures {
  const ratio = ({ measuredMs, arithmeticMs }: PauseFigures): number => measuredMs / arithmeticMs
  const middle = runs.toSorted((left, right) => ratio(left) - ratio(right))[Math.floor(runs.length / 2)]
  if (middle === undefined) throw new RangeError('there are no runs')
  return middle
}

async function measure(schedule: Schedule): Promise<Measured> {
  await using service = await startNullService()
  await using connection = await connectTo(service.discoveryPath)
  const { pid } = JSON.parse(await readFile(service.discoveryPath, 'utf8')) as { pid: number }
  // Connections are opened before, and are not idle long enough to be closed again: a service that wakes to
  // hundreds of new ones is busy accepting them first.
  await Promise.all(Array.from({ length: 400 }, () => probe(connection, 0)))
  const probes: Probe[] = []
  const dispatched = schedule.dispatch({
    count,
    clock: systemClock,
    stop: new AbortController().signal,
    send: async (_position, dueAtMs) => {
      probes.push(await probe(connection, dueAtMs))
    },
  })
  const pausedMs = await standStill(pid, schedule.latencyCountsFrom === 'due' ? pauseAfterMs : 50)
  await dispatched
  return { probes, pausedMs }
}

async function standStill(pid: number, afterMs: number): Promise<number> {
  await systemClock.sleepUntil(systemClock.nowMs() + afterMs)
  const fromMs = systemClock.nowMs()
  process.kill(pid, 'SIGSTOP')
  await systemClock.sleepUntil(fromMs + pauseMs)
  process.kill(pid, 'SIGCONT')
  return systemClock.nowMs() - fromMs
}

function p99(times: readonly number[]): number {
  return quantile(sortSamples(times), 0.99) ?? Number.NaN
}
