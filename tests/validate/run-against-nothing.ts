import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startNullService } from '../bench/null-service.ts'
import { startCli } from '../journeys/run-cli.ts'
import { writeToneCorpus } from '../journeys/tone-corpus.ts'

/** Memory of the measuring process at a moment of its sending. */
interface MemorySample {
  readonly seconds: number
  readonly residentMegabytes: number
}

export interface LongRun {
  readonly code: number | null
  readonly stderr: string
  /** Once a second, from the first measured request to the last. */
  readonly memory: readonly MemorySample[]
  readonly sendingSeconds: number
  /** From the last answer to the end of the command: reading, scoring, writing every document. */
  readonly scoringSeconds: number
}

const utteranceCount = 100
/** With these the sending takes two minutes: the server waits, so that the client is not the bottleneck. */
const inFlight = 16
const delayMs = 18

/** `transcribench run` against a server that only waits a little. */
export async function runAgainstNothing(folder: string, requestCount: number): Promise<LongRun> {
  await using service = await startNullService(delayMs)
  const references = Object.fromEntries(
    Array.from({ length: utteranceCount }, (_, index) => [`u${index}`, 'the quick brown fox']),
  )
  const manifest = await writeToneCorpus(join(folder, 'corpus'), references)
  const load = ['--rounds', String(requestCount / utteranceCount), '--concurrency', String(inFlight)]
  const plan = ['--contender', 'null:null', '--warmup', '1', '--transport', 'path', ...load]
  const command = startCli(['run', '--target', service.discoveryPath, '--corpus', manifest, ...plan], {
    cwd: folder,
  })
  await command.said(/warmed up/)
  const startedAtMs = performance.now()
  const secondsNow = (): number => (performance.now() - startedAtMs) / 1000
  const memory: MemorySample[] = []
  let isSending = true
  const sent = command.said(/ done /).finally(() => {
    isSending = false
  })
  while (isSending) {
    await Promise.race([sleep(1000), sent])
    const residentMegabytes = await residentMegabytesOf(command.process.pid)
    if (isSending && residentMegabytes !== null) memory.push({ seconds: secondsNow(), residentMegabytes })
  }
  const sendingSeconds = secondsNow()
  const { code, stderr } = await command.ended
  return { code, stderr, memory, sendingSeconds, scoringSeconds: secondsNow() - sendingSeconds }
}

async function residentMegabytesOf(pid: number | undefined): Promise<number | null> {
  // The process may end between two looks.
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]
  return kilobytes === undefined ? null : Number(kilobytes) / 1000
}
