import type { Evaluation, GpuFigures } from '#analysis'
import { column, countColumn, fileColumn, rateColumn, textColumn } from '../../layout/column-kinds.ts'
import { absent, fixed, formatPercent, formatWatts } from '../../layout/units.ts'
import { type DetailTable, detailTable } from './detail-table.ts'

/** What each graphics processor did while requests were measured; null without any. */
export function gpuDetails({ resources: { gpu } }: Evaluation): DetailTable | null {
  const devices = gpu?.devices ?? []
  if (devices.length === 0) return null
  return detailTable<GpuFigures>({
    title: 'Graphics processors',
    notes: ['Means over the readings while requests were measured, about one a second, of all contenders.'],
    rows: devices,
    columns: [
      textColumn('device', { header: 'device' }, ({ id }) => id),
      textColumn('name', { header: 'model', isLong: true }, ({ name }) => name),
      rateColumn('busy_rate', { header: 'busy' }, ({ busyRate }) => busyRate),
      column('memory_bytes', { header: 'memory' }, ({ memoryBytes }) => memoryBytes, formatMemory),
      column('power_watts', { header: 'power' }, ({ powerWatts }) => powerWatts, formatWatts),
      column('core_clock_mhz', { header: 'clock' }, ({ coreClockMHz }) => coreClockMHz, formatMegahertz),
      column(
        'memory_clock_mhz',
        { header: 'memory clock' },
        ({ memoryClockMHz }) => memoryClockMHz,
        formatMegahertz,
      ),
      textColumn(
        'throttled',
        {
          header: 'slowed down by',
          isLong: true,
          meaning: 'why its clock was lower than it could be, with the share of the readings',
          tone: ({ throttled }) => ((throttled?.length ?? 0) > 0 ? 'caution' : null),
        },
        throttledText,
      ),
      countColumn('readings', { header: 'readings', dropOrder: 5 }, ({ sampleCount }) => sampleCount),
      fileColumn('throttled_rate', ({ throttled }) =>
        throttled === null ? null : Math.max(0, ...throttled.map(({ rate }) => rate)),
      ),
    ],
  })
}

function throttledText({ throttled }: GpuFigures): string {
  if (throttled === null) return absent
  if (throttled.length === 0) return 'nothing'
  return throttled.map(({ reason, rate }) => `${reason} (${formatPercent(rate, 0)})`).join(', ')
}

function formatMemory(bytes: number): string {
  return bytes < 1e9 ? `${fixed(bytes / 1e6, 0)} MB` : `${fixed(bytes / 1e9, 1)} GB`
}

function formatMegahertz(megahertz: number): string {
  return `${fixed(megahertz, 0)} MHz`
}
