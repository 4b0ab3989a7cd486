import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import type { Connection } from '#client/connection'
import { systemClock } from '#load/clock'
import { poissonSchedule } from '#load/loads/steady'
import { quantile, sortSamples } from '#statistics/quantiles'
import type { BenchRow } from './bench-row.ts'
import { type NullService, startNullService } from './client-null-service.ts'
import { connectTo, type Probe, probe } from './load-connection.ts'

const perSecond = 200
const count = 2_000
const lagGoalMs = 0.1
const lagBesideUploadsGoalMs = 5
const clipBytes = 36 * 1_048_576
const uploadsAtOnce = 2
/** What else a machine does comes in bursts: the middle one of so many rounds counts. */
const rounds = 3

/** How late requests leave: our schedule and client beside a loop that sleeps from one request to the next. */
export async function benchLag(): Promise<BenchRow[]> {
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
export async function benchLagBesideUploads(): Promise<BenchRow[]> {
  await using service = await startNullService()
  await using connection = await connectTo(service.discoveryPath)
  const clip = join(service.folder, 'clip.wav')
  await writeFile(clip, Buffer.alloc(clipBytes, 'any bytes will do '))
  const naive = await besideUploads(connection, () => uploadWhole(service, clip))
  const alone: number[] = []
  const beside: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    alone.push(lagMs(await sendOnSchedule(connection), 0.99))
    beside.push(lagMs(await besideUploads(connection, () => uploadStreamed(connection, clip)), 0.99))
  }
  const [aloneMs, oursMs, naiveMs] = [middleOf(alone), middleOf(beside), lagMs(naive, 0.99)]
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

function middleOf(values: readonly number[]): number {
  return quantile(sortSamples(values), 0.5) ?? Number.NaN
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

async function uploadStreamed(connection: Connection, path: string): Promise<void> {
  const { size: sizeBytes } = await stat(path)
  const { outcome } = await connection.transcribe({
    audio: { transport: 'base64', path, sizeBytes, mimeType: 'audio/wav' },
    options: { engine: 'null', model: 'null' },
    timeoutMs: 60_000,
  })
  if (!outcome.ok) throw new Error(`the null service failed: ${JSON.stringify(outcome.failure)}`)
}

async function uploadWhole({ port }: NullService, path: string): Promise<void> {
  const pool = new Pool(`http://127.0.0.1:${port}`)
  const audio = (await readFile(path)).toString('base64')
  const response = await pool.request({
    method: 'POST',
    path: '/transcribe',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ engine: 'null', model: 'null', mime_type: 'audio/wav', audio_base64: audio }),
  })
  await response.body.text()
  await pool.close()
}

/** Too early is as wrong as too late: timers of whole milliseconds run ahead, adding up what they cut off. */
function lagMs(probes: readonly Probe[], share: number): number {
  const offMs = probes.map(({ sentAtMs, dueAtMs }) => Math.abs(sentAtMs - dueAtMs))
  return quantile(sortSamples(offMs), share) ?? Number.NaN
}
