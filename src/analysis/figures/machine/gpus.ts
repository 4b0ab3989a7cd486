import type { TelemetryLine } from '#journal'
import type { GpuFigures, Resources } from '../../documents/resources.ts'

type Device = NonNullable<TelemetryLine['gpus']>[number]

/** @param during samples while requests were measured */
export function gpuOf(during: readonly TelemetryLine[]): Resources['gpu'] {
  const devices = devicesOf(during)
  const busyRate = mean(during.map((line) => line.gpuBusyRate))
  const memoryBytes = mean(during.map((line) => line.gpuMemoryBytes))
  if (devices.length === 0 && busyRate === null && memoryBytes === null) return null
  return { busyRate, memoryBytes, ...(devices.length === 0 ? {} : { devices }) }
}

/** Of each device, means over its readings: they are a second apart, so each counts the same. */
function devicesOf(during: readonly TelemetryLine[]): readonly GpuFigures[] {
  const readings = Map.groupBy(
    during.flatMap(({ gpus = [] }) => gpus),
    ({ id }) => id,
  )
  return [...readings].map(([id, own]) => ({
    id,
    name: own[0]?.name ?? null,
    sampleCount: own.length,
    busyRate: mean(own.map((device) => device.busyRate)),
    memoryBytes: mean(own.map((device) => device.memoryBytes)),
    powerWatts: mean(own.map((device) => device.powerWatts)),
    coreClockMHz: mean(own.map((device) => device.coreClockMHz)),
    memoryClockMHz: mean(own.map((device) => device.memoryClockMHz)),
    throttled: throttled(own),
  }))
}

/** The share of readings with each reason, the most frequent first; null where none says. */
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

function mean(values: readonly (number | null | undefined)[]): number | null {
  const known = values.filter((value) => value != null)
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length
}
