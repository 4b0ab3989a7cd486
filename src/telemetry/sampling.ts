import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { ServerTelemetry, TelemetryLine } from '#journal/telemetry-line'
import type { Clock } from '#load/clock'
import { type EnergyWatch, watchEnergy } from './energy.ts'
import { type GpuWatch, watchGpus } from './gpus.ts'
import { readLoad1, readPressure, readTimes, sysFolderIn } from './host.ts'
import { processSampler } from './process-table.ts'
import { type ProcessReading, type ProcessSampler, type ProcessUsage, sumUsages } from './processes.ts'

/** The processes of one server on this machine. */
export interface WatchedServer {
  /** Null in a run with one server. */
  readonly id: string | null
  /** Process ids, each counted with its descendants; empty for a server whose processes are unknown. */
  readonly pids: readonly number[]
  /** Why there are no processes; null where there are, or where the reason is unknown. */
  readonly reason: string | null
}

export interface Sampling {
  /** The servers to watch. Without any process, only the host's own values are sampled. */
  readonly servers: readonly WatchedServer[]
  readonly clock: Clock
  readonly everyMs: number
  /** Environment whose PATH has the programs that are run; see `sysFolderIn` for `HOST_SYS`. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Default: the sampler of this platform. */
  readonly processes?: ProcessSampler
  onSample(line: TelemetryLine): void | Promise<void>
}

/** Readers that stay open from the first sample to the last. */
interface Watches extends Disposable {
  readonly processes: ProcessSampler
  readonly gpus: GpuWatch
  readonly energy: EnergyWatch
  readonly loop: LoopWatch
  /** Reasons for absent readings, as last reported. */
  unread: NonNullable<TelemetryLine['unread']>
  /** Last known processor time of the program that reads graphics processors, which may have ended. */
  gpuToolCpuSeconds: number | null
}

/**
 * Samples now, then at every multiple of `everyMs`, and once more at the end, so that even a short run has two
 * samples. Late samples are skipped. Where a program reads the processes, a sample waits for its next reading.
 *
 * Disposing waits for the last sample. It throws the error of `onSample`, which ends the sampling.
 */
export function startSampling(sampling: Sampling): AsyncDisposable {
  const stop = new AbortController()
  const done = sampleUntil(stop.signal, sampling)
  // `dispose` awaits this promise. Without a handler, an earlier rejection would end the process.
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
    // A sample records its time. An exact wait would use as much processor time as the sampling itself.
    await clock.sleepUntil(startedAtMs + (Math.floor(elapsedMs / everyMs) + 1) * everyMs, stop, 'rough')
    if (!stop.aborted) await takeSample(sampling, watches)
  }
  await takeSample(sampling, watches)
}

function openWatches({ env, servers, processes }: Sampling): Watches {
  const hasServer = servers.some(({ pids }) => pids.length > 0)
  const opened = {
    // Where reading needs a program, none is started without a process to watch.
    processes: processes ?? (hasServer || process.platform === 'linux' ? processSampler(env) : noProcesses),
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
  // Nothing below waits, so all readings are of this moment.
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
        : ((pids.length > 0 ? reading.reason : null) ??
          servers.find(({ reason }) => reason !== null)?.reason ??
          noServer),
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

/** Returns the reasons for absent readings only in samples in which they change, because they are long. */
function changes(watches: Watches, unread: Watches['unread']): Pick<TelemetryLine, 'unread'> {
  if (JSON.stringify(unread) === JSON.stringify(watches.unread)) return {}
  watches.unread = unread
  return { unread }
}

/** Processor seconds of all programs that run to sample; null where none does. */
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

/** Measures event-loop stalls of this process. Disposing it ends the measurement. */
interface LoopWatch extends Disposable {
  /** Max stall since the last call, in milliseconds. */
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
