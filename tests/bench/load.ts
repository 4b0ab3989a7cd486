import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Connection } from '#client/connection'
import { systemClock } from '#load/clock'
import { closedSchedule } from '#load/loads/closed'
import { constantSchedule, poissonSchedule } from '#load/loads/steady'
import type { Schedule } from '#load/schedule'
import type { BenchRow } from './bench-row.ts'
import {
  connectTo,
  type Probe,
  probe,
  shareOf,
  startNullService,
  uploadStreamed,
  uploadWhole,
} from './null-service.ts'

/** What the instrument itself does to a measurement under load, on the real clock. */
export async function benchLoad(): Promise<BenchRow[]> {
  return [...(await benchLag()), ...(await benchLagBesideUploads()), ...(await benchPause())]
}

const perSecond = 200
const count = 2_000
const lagGoalMs = 0.1
const lagBesideUploadsGoalMs = 5
const clipBytes = 36 * 1_048_576
const uploadsAtOnce = 2
/** What else a machine does comes in bursts: the middle one of so many rounds counts. */
const rounds = 3

/** How late requests leave: our schedule and client beside a loop that sleeps from one request to the next. */
async function benchLag(): Promise<BenchRow[]> {
  await using service = await startNullService()
  await using connection = await connectTo(service.discoveryPath)
  await sendOnSchedule(connection)
  const naive = await sendAfterGaps(connection)
  const ours = await sendOnSchedule(connection)
  const [oursMs, naiveMs] = [lagMs(ours, 0.5), lagMs(naive, 0.5)]
  return [
    {
      name: `sendings at ${perSecond} requests/s off their moment, median (p99)`,
      value: `${oursMs.toFixed(3)} ms (${lagMs(ours, 0.99).toFixed(2)})`,
      baseline: `${naiveMs.toFixed(1)} ms (${lagMs(naive, 0.99).toFixed(1)}), sleeping from gap to gap`,
      ratio: oursMs / naiveMs,
      goal: `median under ${lagGoalMs} ms, idle machine`,
      met: oursMs < lagGoalMs,
    },
  ]
}

/** The same while the process sends 36 MiB recordings, streamed, or each as one JSON document. */
async function benchLagBesideUploads(): Promise<BenchRow[]> {
  await using service = await startNullService()
  await using connection = await connectTo(service.discoveryPath)
  const clip = join(service.folder, 'clip.wav')
  await writeFile(clip, Buffer.alloc(clipBytes, 'any bytes will do '))
  const naive = await besideUploads(connection, () => uploadWhole(service.discoveryPath, clip))
  const alone: number[] = []
  const beside: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    alone.push(lagMs(await sendOnSchedule(connection), 0.99))
    beside.push(lagMs(await besideUploads(connection, () => uploadStreamed(connection, clip)), 0.99))
  }
  const [aloneMs, oursMs, naiveMs] = [shareOf(alone, 0.5), shareOf(beside, 0.5), lagMs(naive, 0.99)]
  return [
    {
      name: `send lag with ${uploadsAtOnce} uploads of 36 MiB in flight, p99`,
      value: `${oursMs.toFixed(1)} ms (${aloneMs.toFixed(1)} without uploads)`,
      baseline: `${naiveMs.toFixed(0)} ms, whole documents`,
      ratio: oursMs / naiveMs,
      goal: `under ${lagBesideUploadsGoalMs} ms, idle machine`,
      met: oursMs < lagBesideUploadsGoalMs,
    },
  ]
}

async function besideUploads(connection: Connection, upload: () => Promise<void>): Promise<Probe[]> {
  let isOver = false
  const uploadUntilOver = async (): Promise<void> => {
    while (!isOver) await upload()
  }
  const uploads = Promise.all(Array.from({ length: uploadsAtOnce }, uploadUntilOver))
  const probes = await sendOnSchedule(connection)
  isOver = true
  await uploads
  return probes
}

async function sendOnSchedule(connection: Connection): Promise<Probe[]> {
  const probes: Probe[] = []
  await poissonSchedule({ perSecond, forSeconds: null, seed: 1 }).dispatch({
    count,
    clock: systemClock,
    stop: new AbortController().signal,
    send: async (_position, dueAtMs) => {
      probes.push(await probe(connection, dueAtMs))
    },
  })
  return probes
}

/** What anybody would write: each sleep begins when the one before has ended, late as it was. */
async function sendAfterGaps(connection: Connection): Promise<Probe[]> {
  const plan = poissonSchedule({ perSecond, forSeconds: null, seed: 1 }).plan({ count })
  const offsetsMs = plan.map((send) => (send.kind === 'due' ? send.dueAtMs : Number.NaN))
  const startedAtMs = systemClock.nowMs()
  const sent: Promise<Probe>[] = []
  for (const [position, offsetMs] of offsetsMs.entries()) {
    await sleep(offsetMs - (offsetsMs[position - 1] ?? 0))
    sent.push(probe(connection, startedAtMs + offsetMs))
  }
  return Promise.all(sent)
}

/** Too early is as wrong as too late: timers of whole milliseconds run ahead, adding up what they cut off. */
function lagMs(probes: readonly Probe[], share: number): number {
  const offMs = probes.map(({ sentAtMs, dueAtMs }) => Math.abs(sentAtMs - dueAtMs))
  return shareOf(offMs, share)
}

const pauseCount = 2_400
const pauseAfterMs = 2_000
const pauseMs = 1_400
const pauseGoal = 0.02

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
async function benchPause(): Promise<BenchRow[]> {
  if (process.platform === 'win32') return []
  const runs: PauseFigures[] = []
  for (let run = 0; run < rounds; run += 1) {
    runs.push(figuresOf(await measure(constantSchedule({ perSecond, forSeconds: null }))))
  }
  const { measuredMs, arithmeticMs } = medianOf(runs)
  const closed = await measure(closedSchedule(1))
  const closedTimes = closed.probes.map(({ endedAtMs, sentAtMs }) => endedAtMs - sentAtMs)
  const closedMs = shareOf(closedTimes, 0.99)
  return [
    {
      name: `p99 of ${pauseCount} requests at ${perSecond}/s with a pause of ${pauseMs / 1_000} s`,
      value: `${measuredMs.toFixed(0)} ms`,
      baseline: `${arithmeticMs.toFixed(0)} ms by arithmetic; ${closedMs.toFixed(1)} ms one after the other`,
      ratio: measuredMs / arithmeticMs,
      goal: `within ${100 * pauseGoal} %`,
      met: Math.abs(measuredMs / arithmeticMs - 1) <= pauseGoal,
    },
  ]
}

interface PauseFigures {
  readonly measuredMs: number
  readonly arithmeticMs: number
}

function figuresOf({ probes, pausedMs }: Measured): PauseFigures {
  return {
    measuredMs: shareOf(
      probes.map(({ endedAtMs, dueAtMs }) => endedAtMs - dueAtMs),
      0.99,
    ),
    arithmeticMs: pausedMs - ((1 - 0.99) * (pauseCount - 1) * 1_000) / perSecond,
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
    count: pauseCount,
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
