import type { AttemptLine } from '#journal/attempt-line'
import type { TelemetryLine } from '#journal/telemetry-line'
import { mean, median } from '#statistics/quantiles'
import { type Point, trendSlope } from '#statistics/series/trend'
import type { CpuCost, GpuFigures, MemoryGrowth, Resources, Unread } from '../../documents/resources.ts'
import { blockSpans, findSpan, valueAt } from '../speed/system-speed.ts'

/** Readings that are a single number. */
type Reading = Exclude<keyof TelemetryLine, 'servers' | 'gpus' | 'energyJoules' | 'unread'>

/** Min processor time: it is sampled and counted in hundredths of a second, so less is too imprecise. */
const shortestCpuSeconds = 0.5
/** Min sample for a slope of memory; a shorter one shows only the last garbage collection. */
const fewestGrowthSamples = 30
const leastGrowthSeconds = 60
const leastGrowthAudioHours = 0.1
/** Max samples for the slope, which uses every pair of points. */
const maxGrowthSamples = 400

/** @param sendings measured sendings of the whole run, in any order */
export function measureResources(
  sendings: readonly AttemptLine[],
  telemetry: readonly TelemetryLine[],
): Resources {
  const run = findSpan(sendings)
  const during = run === null ? [] : telemetry.filter(({ atMs }) => atMs >= run.fromMs && atMs <= run.untilMs)
  const unread = findUnread(telemetry)
  return {
    server: {
      cpuSecondsPerAudioSecond: cpuCost(sendings, telemetry),
      residentBytes: median(present(during, 'serverResidentBytes')),
      peakResidentBytes: most(present(during, 'serverPeakResidentBytes')),
      threadCount: most(present(during, 'serverThreadCount')),
      processCount: most(present(during, 'serverProcessCount')),
      megabytesPerAudioHour: memoryGrowth(lastSegment(sendings), lastSegment(during)),
    },
    host: {
      foreignProcessors: foreignProcessors(telemetry),
      cpuStalledRate: stalledRate(during, 'hostCpuStalledSeconds'),
      memoryStalledRate: stalledRate(during, 'hostMemoryStalledSeconds'),
      ioStalledRate: stalledRate(during, 'hostIoStalledSeconds'),
      swappedPages: growth(during, 'hostSwappedPages'),
    },
    gpu: measureGpus(during),
    ...(unread === undefined ? {} : { unread }),
  }
}

/**
 * Returns processor seconds per audio second. It is the figure for sizing that other programs do not change, because
 * a server that waits for a processor does not use it. The counter is interpolated linearly at both ends of every
 * block.
 *
 * @param sendings measured sendings of one contender, or of all
 */
export function cpuCost(sendings: readonly AttemptLine[], telemetry: readonly TelemetryLine[]): CpuCost {
  const counter = telemetry.flatMap(({ atMs, serverCpuSeconds }) =>
    serverCpuSeconds === null ? [] : [{ x: atMs, y: serverCpuSeconds }],
  )
  if (counter.length < 2) {
    return { value: null, reason: because("the server's processor time could not be read", telemetry) }
  }
  let cpuSeconds = 0
  let audioSeconds = 0
  for (const block of blockSpans(sendings)) {
    const from = valueAt(counter, block.fromMs)
    const until = valueAt(counter, block.untilMs)
    // The server was restarted in between, or sampling did not cover the block.
    if (from === null || until === null || until < from) continue
    cpuSeconds += until - from
    audioSeconds += block.audioSeconds
  }
  if (audioSeconds === 0) return { value: null, reason: 'no audio was answered while it was sampled' }
  if (cpuSeconds < shortestCpuSeconds) {
    return {
      value: null,
      reason: `needs ${shortestCpuSeconds} s of processor time, has ${cpuSeconds.toFixed(2)} s`,
    }
  }
  return { value: cpuSeconds / audioSeconds, cpuSeconds, audioSeconds }
}

/** Appends the recorded reason, if there is one. */
function because(problem: string, telemetry: readonly TelemetryLine[]): string {
  const reason = findUnread(telemetry)?.server
  return reason == null ? problem : `${problem}: ${reason}`
}

/** Returns the last segment, because a server that was restarted between segments started with other memory. */
function lastSegment<Line extends { readonly segment?: number | undefined }>(
  lines: readonly Line[],
): readonly Line[] {
  const last = lines.reduce((most, { segment = 0 }) => Math.max(most, segment), 0)
  return lines.filter(({ segment = 0 }) => segment === last)
}

function memoryGrowth(sendings: readonly AttemptLine[], during: readonly TelemetryLine[]): MemoryGrowth {
  const hasMemory = during.some(({ serverResidentBytes }) => serverResidentBytes !== null)
  if (!hasMemory) {
    return { value: null, reason: because("the server's memory could not be read", during) }
  }
  const answered = sendings
    .flatMap(({ outcome, endedAtMs, audioSeconds }) => (outcome.ok ? { endedAtMs, audioSeconds } : []))
    .sort((a, b) => a.endedAtMs - b.endedAtMs)
  const points: Point[] = []
  let next = 0
  let audioSeconds = 0
  for (const { atMs, serverResidentBytes } of during) {
    for (let line = answered[next]; line !== undefined && line.endedAtMs <= atMs; line = answered[next]) {
      audioSeconds += line.audioSeconds
      next += 1
    }
    if (serverResidentBytes !== null) points.push({ x: audioSeconds / 3600, y: serverResidentBytes / 1e6 })
  }
  const first = during[0]?.atMs ?? 0
  const seconds = ((during.at(-1)?.atMs ?? 0) - first) / 1000
  const audioHours = audioSeconds / 3600
  if (
    points.length < fewestGrowthSamples ||
    seconds < leastGrowthSeconds ||
    audioHours < leastGrowthAudioHours
  ) {
    return {
      value: null,
      reason: `needs ${leastGrowthSeconds} s, ${fewestGrowthSamples} samples and ${leastGrowthAudioHours} h of audio, has ${seconds.toFixed(0)} s, ${points.length} samples and ${audioHours.toFixed(2)} h`,
    }
  }
  const slope = trendSlope(thinned(points))
  if (slope === null) return { value: null, reason: 'no audio was answered while it was sampled' }
  return { value: slope.slope, interval: slope.interval, sampleCount: points.length, audioHours }
}

/** Returns evenly spread points, at most as many as can be paired. */
function thinned(points: readonly Point[]): readonly Point[] {
  const step = Math.ceil(points.length / maxGrowthSamples)
  return points.filter((_, index) => index % step === 0)
}

function stalledRate(during: readonly TelemetryLine[], key: Reading): number | null {
  const seconds = elapsedSeconds(during)
  const stalled = growth(during, key)
  return seconds === null || stalled === null ? null : Math.min(1, Math.max(0, stalled / seconds))
}

function elapsedSeconds(during: readonly TelemetryLine[]): number | null {
  const seconds = ((during.at(-1)?.atMs ?? 0) - (during[0]?.atMs ?? 0)) / 1000
  return seconds > 0 ? seconds : null
}

/** Returns a counter's growth over all segments, which may reset it; null where it was not read at both ends. */
function growth(during: readonly TelemetryLine[], key: Reading): number | null {
  if (during.length < 2) return null
  let total = 0
  for (const lines of Map.groupBy(during, ({ segment = 0 }) => segment).values()) {
    const first = lines[0]?.[key]
    const last = lines.at(-1)?.[key]
    if (first == null || last == null) return null
    total += last - first
  }
  return total
}

function present(during: readonly TelemetryLine[], key: Reading): number[] {
  return during.map((line) => line[key]).filter((value) => value != null)
}

function most(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((a, b) => Math.max(a, b))
}

type Device = NonNullable<TelemetryLine['gpus']>[number]

/** @param during samples taken while requests were measured */
function measureGpus(during: readonly TelemetryLine[]): Resources['gpu'] {
  const devices = measureDevices(during)
  const busyRate = meanOfKnown(during.map((line) => line.gpuBusyRate))
  const memoryBytes = meanOfKnown(during.map((line) => line.gpuMemoryBytes))
  if (devices.length === 0 && busyRate === null && memoryBytes === null) return null
  return { busyRate, memoryBytes, devices }
}

/** Returns means over the readings of each device, which have equal weights because they are a second apart. */
function measureDevices(during: readonly TelemetryLine[]): readonly GpuFigures[] {
  const byDevice = Map.groupBy(
    during.flatMap(({ gpus = [] }) => gpus),
    ({ id }) => id,
  )
  return [...byDevice].map(([id, readings]) => ({
    id,
    name: readings[0]?.name ?? null,
    sampleCount: readings.length,
    busyRate: meanOfKnown(readings.map((device) => device.busyRate)),
    memoryBytes: meanOfKnown(readings.map((device) => device.memoryBytes)),
    powerWatts: meanOfKnown(readings.map((device) => device.powerWatts)),
    coreClockMHz: meanOfKnown(readings.map((device) => device.coreClockMHz)),
    memoryClockMHz: meanOfKnown(readings.map((device) => device.memoryClockMHz)),
    throttled: throttled(readings),
  }))
}

/** Returns the share of readings with each reason, the most frequent first; null where no reading reports reasons. */
function throttled(readings: readonly Device[]): GpuFigures['throttled'] {
  const reports = readings.flatMap(({ throttledBy }) => (throttledBy === null ? [] : [throttledBy]))
  if (reports.length === 0) return null
  const reasons = [...new Set(reports.flat())]
  return reasons
    .map((reason) => ({
      reason,
      rate: reports.filter((report) => report.includes(reason)).length / reports.length,
    }))
    .sort((a, b) => b.rate - a.rate)
}

function meanOfKnown(values: readonly (number | null)[]): number | null {
  const readings = values.filter((value) => value != null)
  return readings.length === 0 ? null : mean(readings)
}

/**
 * Returns the reasons for values that could not be read, including values that could be read only at first.
 *
 * @returns undefined for a run without samples
 */
export function findUnread(telemetry: readonly TelemetryLine[]): Unread | undefined {
  const noted = telemetry.flatMap(({ unread }) => unread ?? [])
  if (noted.length === 0) return undefined
  const last = (key: keyof Unread): string | null => noted.findLast((one) => one[key] != null)?.[key] ?? null
  return { server: last('server'), gpu: last('gpu'), rapl: last('rapl'), battery: last('battery') }
}

/**
 * Returns the mean number of processors that other programs kept busy over the run: the host's busy time minus that
 * of the server, the client and its samplers. A median would ignore a program that ran for nearly half of the time.
 *
 * @param telemetry samples in order of time; those without the server's processor time are ignored
 * @returns null where it is unknown
 */
export function foreignProcessors(telemetry: readonly TelemetryLine[]): number | null {
  let [foreignSeconds, elapsedSeconds] = [0, 0]
  for (const [index, sample] of telemetry.entries()) {
    const between = foreignBetween(telemetry[index - 1], sample)
    foreignSeconds += between?.foreignSeconds ?? 0
    elapsedSeconds += between?.elapsedSeconds ?? 0
  }
  return elapsedSeconds === 0 ? null : Math.max(0, foreignSeconds) / elapsedSeconds
}

/** Returns the processor time of other programs between two samples; null where it is unknown. */
function foreignBetween(
  before: TelemetryLine | undefined,
  after: TelemetryLine,
): { readonly foreignSeconds: number; readonly elapsedSeconds: number } | null {
  if (before === undefined || before.segment !== after.segment) return null
  const elapsedSeconds = (after.atMs - before.atMs) / 1000
  const serverSeconds = difference(before.serverCpuSeconds, after.serverCpuSeconds)
  const ownSeconds = difference(before.ownCpuSeconds, after.ownCpuSeconds)
  const hostSeconds = difference(before.hostCpuSeconds, after.hostCpuSeconds)
  if (elapsedSeconds <= 0 || serverSeconds === null || ownSeconds === null || hostSeconds === null)
    return null
  const samplerSeconds = difference(before.samplerCpuSeconds, after.samplerCpuSeconds) ?? 0
  // The counter of an ended program is lost, so the difference may be negative.
  const programSeconds = ownSeconds + Math.max(0, samplerSeconds)
  return { foreignSeconds: hostSeconds - serverSeconds - programSeconds, elapsedSeconds }
}

function difference(before: number | null, after: number | null): number | null {
  return before === null || after === null ? null : after - before
}
