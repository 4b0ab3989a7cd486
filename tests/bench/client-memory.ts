import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { BenchRow } from './bench-row.ts'
import { startNullService } from './null-service.ts'

const clipBytes = 36 * 1_048_576
const goalBytes = 110_000_000

/**
 * Peak memory of a process that sends a clip of 36 MiB as base64, which is nearly the most that fits into a
 * request, beside one that makes the whole document first.
 */
export async function benchMemory(): Promise<BenchRow[]> {
  await using service = await startNullService()
  const clip = join(service.folder, 'clip.wav')
  await writeFile(clip, Buffer.alloc(clipBytes, 'any bytes will do '))
  const peakOf = (way: 'streamed' | 'whole'): Promise<number> =>
    measurePeak([way, service.discoveryPath, clip], join(service.folder, 'compiled'))
  // The first process fills the compile cache, which the program keeps too: without it Node's parser of types is in the peak.
  await peakOf('streamed')
  const streamed = await peakOf('streamed')
  const whole = await peakOf('whole')
  return [
    {
      name: 'memory of a client that sends 36 MiB as base64, peak',
      value: megabytes(streamed),
      baseline: `${megabytes(whole)}, whole document in memory`,
      ratio: streamed / whole,
      goal: `under ${megabytes(goalBytes)}`,
      met: streamed < goalBytes,
    },
  ]
}

async function measurePeak(args: readonly string[], compileCache: string): Promise<number> {
  const program = fileURLToPath(import.meta.resolve('./client-memory-sender.ts'))
  const env = { ...process.env, NODE_COMPILE_CACHE: compileCache }
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...args], { env })
  return Number(stdout)
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`
}
