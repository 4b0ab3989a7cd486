import type { ServerTelemetry, TelemetryLine } from '#journal'
import type { Clock } from '#load'
import { type GpuWatch, watchGpu } from './gpu.ts'
import { readLoad1 } from './host.ts'
import { type LoopWatch, watchLoop } from './loop-watch.ts'
import { readPressure } from './pressure.ts'
import { type ProcessUsage, readProcess } from './process-usage.ts'
import { readTimes } from './processor-times.ts'

interface Server {
  readonly id: string | null
  readonly pid: number | null
}

export interface Sampling {
  /**
   * The processes to watch, with names where there are several. The pid is null for one that lives on another machine; without
   * any, the host's own figures are left.
   */
  readonly servers: readonly Server[]
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

async function takeSample(
  { servers, clock, onSample }: Sampling,
  gpu: GpuWatch,
  loop: LoopWatch,
): Promise<void> {
  const usages = servers.flatMap(({ id, pid }) => {
    const usage = pid === null ? null : readProcess(pid)
    return usage === null ? [] : [{ id, usage }]
  })
  const usage = sumOfUsages(usages.map((one) => one.usage))
  const named = usages.flatMap(({ id, usage: own }) =>
    id === null ? [] : [[id, serverFigures(own)] as const],
  )
  const pressure = readPressure()
  const graphics = gpu.latest()
  const { busyMs, ownMs } = readTimes()
  await onSample({
    atMs: clock.nowMs(),
    ...serverFigures(usage),
    ...(named.length === 0 ? {} : { servers: Object.fromEntries(named) }),
    ownCpuSeconds: ownMs / 1000,
    ownLoopDelayMs: loop.maxMs(),
    wallAtMs: clock.today().getTime(),
    hostCpuSeconds: busyMs / 1000,
    hostLoad1: readLoad1(),
    hostCpuStalledSeconds: pressure.cpuStalledSeconds,
    hostMemoryStalledSeconds: pressure.memoryStalledSeconds,
    hostIoStalledSeconds: pressure.ioStalledSeconds,
    hostSwappedPages: pressure.swappedPages,
    gpuBusyRate: graphics?.busyRate ?? null,
    gpuMemoryBytes: graphics?.memoryBytes ?? null,
  })
}

function serverFigures(usage: ProcessUsage | null): ServerTelemetry {
  return {
    serverCpuSeconds: usage?.cpuSeconds ?? null,
    serverResidentBytes: usage?.residentBytes ?? null,
    serverPeakResidentBytes: usage?.peakResidentBytes ?? null,
    serverThreadCount: usage?.threadCount ?? null,
    serverProcessCount: usage?.processCount ?? null,
  }
}

/** Of all servers of this machine; null without any. */
function sumOfUsages(usages: readonly ProcessUsage[]): ProcessUsage | null {
  const [first, ...others] = usages
  if (first === undefined) return null
  return others.reduce<ProcessUsage>((sum, usage) => {
    const [peak, own] = [sum.peakResidentBytes, usage.peakResidentBytes]
    return {
      cpuSeconds: sum.cpuSeconds + usage.cpuSeconds,
      residentBytes: sum.residentBytes + usage.residentBytes,
      peakResidentBytes: peak === null || own === null ? null : peak + own,
      threadCount: sum.threadCount + usage.threadCount,
      processCount: sum.processCount + usage.processCount,
    }
  }, first)
}
