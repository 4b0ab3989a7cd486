import type { TelemetryLine } from '#journal'
import type { Clock } from '#load'
import { type GpuWatch, watchGpu } from './gpu.ts'
import { readLoad1 } from './host.ts'
import { type LoopWatch, watchLoop } from './loop-watch.ts'
import { readPressure } from './pressure.ts'
import { readProcess } from './process-usage.ts'
import { readTimes } from './processor-times.ts'

export interface Sampling {
  /** The process to watch; null where it lives on another machine, which leaves the host's own figures. */
  readonly pid: number | null
  readonly clock: Clock
  readonly everyMs: number
  onSample(line: TelemetryLine): void | Promise<void>
}

/**
 * Samples now, then at every multiple of `everyMs`, and once more at the end, so that even a short run has a
 * first and a last sample. Samples that are late are left out, never made up for.
 *
 * Disposing waits for the last sample, and throws what `onSample` threw, if it did: sampling ends there.
 */
export function startSampling(sampling: Sampling): AsyncDisposable {
  const stop = new AbortController()
  const done = sampleUntil(stop.signal, sampling)
  // Kept for `dispose`; without a handler it would end the process before.
  done.catch(() => undefined)
  return {
    async [Symbol.asyncDispose]() {
      stop.abort()
      await done
    },
  }
}

async function sampleUntil(stop: AbortSignal, sampling: Sampling): Promise<void> {
  const { clock, everyMs } = sampling
  using gpu = watchGpu()
  using loop = watchLoop()
  const startedAtMs = clock.nowMs()
  await takeSample(sampling, gpu, loop)
  while (!stop.aborted) {
    const elapsedMs = clock.nowMs() - startedAtMs
    // A sample says when it was taken; to wait for the very moment would take as much of a processor as the sampling itself.
    await clock.sleepUntil(startedAtMs + (Math.floor(elapsedMs / everyMs) + 1) * everyMs, stop, 'rough')
    if (!stop.aborted) await takeSample(sampling, gpu, loop)
  }
  await takeSample(sampling, gpu, loop)
}

async function takeSample({ pid, clock, onSample }: Sampling, gpu: GpuWatch, loop: LoopWatch): Promise<void> {
  const usage = pid === null ? null : readProcess(pid)
  const pressure = readPressure()
  const graphics = gpu.latest()
  const { busyMs, ownMs } = readTimes()
  await onSample({
    atMs: clock.nowMs(),
    serverCpuSeconds: usage?.cpuSeconds ?? null,
    serverResidentBytes: usage?.residentBytes ?? null,
    ownCpuSeconds: ownMs / 1000,
    ownLoopDelayMs: loop.maxMs(),
    wallAtMs: clock.today().getTime(),
    hostCpuSeconds: busyMs / 1000,
    hostLoad1: readLoad1(),
    serverPeakResidentBytes: usage?.peakResidentBytes ?? null,
    serverThreadCount: usage?.threadCount ?? null,
    serverProcessCount: usage?.processCount ?? null,
    hostCpuStalledSeconds: pressure.cpuStalledSeconds,
    hostMemoryStalledSeconds: pressure.memoryStalledSeconds,
    hostIoStalledSeconds: pressure.ioStalledSeconds,
    hostSwappedPages: pressure.swappedPages,
    gpuBusyRate: graphics?.busyRate ?? null,
    gpuMemoryBytes: graphics?.memoryBytes ?? null,
  })
}
