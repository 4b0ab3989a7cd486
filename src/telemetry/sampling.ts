import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { ServerTelemetry, TelemetryLine } from '#journal/telemetry-line'
import type { Clock } from '#load/clock'
import { type EnergyWatch, watchEnergy } from './energy.ts'
import { type GpuWatch, watchGpus } from './gpus.ts'
import { readLoad1, readPressure, readTimes, sysFolderIn } from './host.ts'
import { processSampler } from './process-table.ts'
import { type ProcessReading, type ProcessSampler, type ProcessUsage, sumUsages } from './processes.ts'

/** The processes of a server of this machine. */
export interface WatchedServer {
  /** Null where there is one server. */
  readonly id: string | null
  /** Each is counted with its children; empty for a server that cannot be seen. */
  readonly pids: readonly number[]
  /** Why there is none; null where that is not known. */
  readonly reason: string | null
}

export interface Sampling {
  /** The servers to watch; without any process, the host's own figures are left. */
  readonly servers: readonly WatchedServer[]
  readonly clock: Clock
  readonly everyMs: number
  /** PATH finds the programs that are kept running; see `sysFolderIn` for `HOST_SYS`. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Default: that of this platform. */
  readonly processes?: ProcessSampler
  onSample(line: TelemetryLine): void | Promise<void>
}

/** What is kept open from the first sample to the last. */
interface Watches extends Disposable {
  readonly processes: ProcessSampler
  readonly gpus: GpuWatch
  readonly energy: EnergyWatch
  readonly loop: LoopWatch
  /** What was not readable in the last sample that said so. */
  unread: NonNullable<TelemetryLine['unread']>
  /** Of the program that reads graphics processors, as it was last seen: it may have ended. */
  gpuToolCpuSeconds: number | null
}

/**
 * Samples now, then at every multiple of `everyMs`, and once more at the end, so that even a short run has a
 * first and a last sample. Samples that are late are left out, never made up for. Where a program reads the processes, a
 * sample waits for its next reading: it is then as often as the program prints.
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
  using watches = openWatches(sampling)
  const startedAtMs = clock.nowMs()
  await takeSample(sampling, watches)
  while (!stop.aborted) {
    const elapsedMs = clock.nowMs() - startedAtMs
    // A sample says when it was taken; to wait for the very moment would take as much of a processor as the sampling itself.
    await clock.sleepUntil(startedAtMs + (Math.floor(elapsedMs / everyMs) + 1) * everyMs, stop, 'rough')
    if (!stop.aborted) await takeSample(sampling, watches)
  }
  await takeSample(sampling, watches)
}

function openWatches({ env, servers, processes }: Sampling): Watches {
  const hasServer = servers.some(({ pids }) => pids.length > 0)
  const opened = {
    // Without a process to watch no program is started.
    processes: processes ?? (hasServer ? processSampler(env) : noProcesses),
    gpus: watchGpus(env),
    loop: watchLoop(),
  }
  return {
    ...opened,
    energy: watchEnergy(sysFolderIn(env)),
    unread: {},
    gpuToolCpuSeconds: null,
    [Symbol.dispose]() {
      for (const watch of Object.values(opened)) watch[Symbol.dispose]()
    },
  }
}

const noProcesses: ProcessSampler = {
  read: () => Promise.resolve({ usages: new Map(), toolCpuSeconds: null, reason: null }),
  [Symbol.dispose]() {},
}

async function takeSample({ servers, clock, onSample }: Sampling, watches: Watches): Promise<void> {
  const { gpus, loop } = watches
  const gpuTool = gpus.pid()
  const pids = servers.flatMap((server) => server.pids)
  await watches.energy.askBattery(clock.nowMs())
  const reading = await watches.processes.read(gpuTool === null ? pids : [...pids, gpuTool])
  // From here on nothing waits: all figures are of this moment.
  const atMs = clock.nowMs()
  const wallAtMs = clock.today().getTime()
  const energy = watches.energy.read()
  const usages = servers.flatMap(({ id, pids: own }) => {
    const found = own.flatMap((pid) => reading.usages.get(pid) ?? [])
    const usage = found.length === own.length ? sumUsages(found) : null
    return usage === null ? [] : [{ id, usage }]
  })
  const usage = sumUsages(usages.map((one) => one.usage))
  const named = usages.flatMap(({ id, usage: own }) =>
    id === null ? [] : [[id, serverFigures(own)] as const],
  )
  const pressure = readPressure()
  const graphics = gpus.latest()
  const devices = gpus.take()
  const unread = {
    server:
      usages.length === servers.length
        ? null
        : (reading.reason ?? servers.find(({ reason }) => reason !== null)?.reason ?? noServer),
    gpu: gpus.reason(),
    ...energy.reasons,
  }
  const { busyMs, ownMs } = readTimes()
  await onSample({
    atMs,
    ...serverFigures(usage),
    ...(named.length === 0 ? {} : { servers: Object.fromEntries(named) }),
    ownCpuSeconds: ownMs / 1000,
    samplerCpuSeconds: samplerSeconds(reading, gpuTool, watches),
    ownLoopDelayMs: loop.maxMs(),
    wallAtMs,
    hostCpuSeconds: busyMs / 1000,
    hostLoad1: readLoad1(),
    hostCpuStalledSeconds: pressure.cpuStalledSeconds,
    hostMemoryStalledSeconds: pressure.memoryStalledSeconds,
    hostIoStalledSeconds: pressure.ioStalledSeconds,
    hostSwappedPages: pressure.swappedPages,
    gpuBusyRate: mean(graphics.flatMap(({ busyRate }) => busyRate ?? [])),
    gpuMemoryBytes: total(graphics.flatMap(({ memoryBytes }) => memoryBytes ?? [])),
    ...(devices.length === 0 ? {} : { gpus: devices }),
    ...(energy.joules === null ? {} : { energyJoules: energy.joules }),
    ...(energy.batteryWatts === null ? {} : { batteryWatts: energy.batteryWatts }),
    ...changes(watches, unread),
  })
}

const noServer = 'its process is not visible on this machine'

/** What could not be read, in the samples in which that changes: it rarely does, and is long. */
function changes(watches: Watches, unread: Watches['unread']): Pick<TelemetryLine, 'unread'> {
  if (JSON.stringify(unread) === JSON.stringify(watches.unread)) return {}
  watches.unread = unread
  return { unread }
}

/** Of all programs that are kept running to sample; null where none is. */
function samplerSeconds(
  { usages, toolCpuSeconds }: ProcessReading,
  gpuTool: number | null,
  watches: Watches,
): number | null {
  const gpuSeconds = gpuTool === null ? undefined : usages.get(gpuTool)?.cpuSeconds
  if (gpuSeconds !== undefined) watches.gpuToolCpuSeconds = gpuSeconds
  return total([toolCpuSeconds, watches.gpuToolCpuSeconds].flatMap((seconds) => seconds ?? []))
}

function total(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0)
}

function mean(values: readonly number[]): number | null {
  const sum = total(values)
  return sum === null ? null : sum / values.length
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

/** How long this process answered to nothing. Disposing ends the watching. */
interface LoopWatch extends Disposable {
  /** The longest delay since it was asked last, in milliseconds. */
  maxMs(): number
}

/** Sampling interval of the event loop, in milliseconds: the delay that the runtime reports includes it. */
const resolutionMs = 10

function watchLoop(): LoopWatch {
  const histogram = monitorEventLoopDelay({ resolution: resolutionMs })
  histogram.enable()
  return {
    maxMs() {
      const maxMs = Math.max(0, histogram.max / 1e6 - resolutionMs)
      histogram.reset()
      return maxMs
    },
    [Symbol.dispose]() {
      histogram.disable()
    },
  }
}
