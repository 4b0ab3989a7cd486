import type { ContenderEvaluation } from '#analysis/documents/contender-evaluation'
import type { Evaluation } from '#analysis/documents/evaluation'
import type { EnergyPart, EnergyPartName, GpuFigures } from '#analysis/documents/resources'
import { column, countColumn, fileColumn, rateColumn, textColumn } from '../../layout/table.ts'
import {
  absent,
  fixed,
  formatJoules,
  formatMilliseconds,
  formatPercent,
  formatSeconds,
  formatWatts,
} from '../../layout/units.ts'
import { energyNote, energyPartNames, incomparableMark, marked } from '../../layout/words.ts'
import { type Contended, contenderColumn, type DetailTable, detailTable } from './detail-table.ts'

/** What each graphics processor did while requests were measured; null without any. */
export function gpuDetails({ resources: { gpu } }: Evaluation): DetailTable | null {
  const devices = gpu?.devices ?? []
  if (devices.length === 0) return null
  return detailTable<GpuFigures>({
    title: 'Graphics processors',
    notes: ['Means over the readings while requests were measured, about one a second, of all contenders.'],
    rows: devices,
    columns: [
      textColumn('device', 'device', ({ id }) => id),
      textColumn('name', { header: 'model', isLong: true }, ({ name }) => name),
      rateColumn('busy_rate', 'busy', ({ busyRate }) => busyRate),
      column('memory_bytes', 'memory', ({ memoryBytes }) => memoryBytes, formatMemory),
      column('power_watts', 'power', ({ powerWatts }) => powerWatts, formatWatts),
      column('core_clock_mhz', 'clock', ({ coreClockMHz }) => coreClockMHz, formatMegahertz),
      column('memory_clock_mhz', 'memory clock', ({ memoryClockMHz }) => memoryClockMHz, formatMegahertz),
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

interface EnergyRow extends Contended {
  /** Null where nothing could be read. */
  readonly energy: Present | null
}

type Present = Extract<NonNullable<ContenderEvaluation['energy']>, { covers: unknown }>

/** Joules for an hour of audio, in all and of each part of the machine; null where none could be read. */
export function energyDetails(evaluation: Evaluation): DetailTable | null {
  const { contenders } = evaluation
  const rows = contenders.map(
    ({ contender, energy }): EnergyRow => ({
      contender: contender.id,
      energy: energy === undefined || energy.value === null ? null : energy,
    }),
  )
  if (rows.every(({ energy }) => energy === null)) return null
  return detailTable<EnergyRow>({
    title: 'Energy for an hour of audio',
    notes: [
      energyNote(evaluation),
      ...contenders.flatMap(({ contender, energy }) =>
        energy?.value === null ? [`${contender.id} has none: ${energy.reason}.`] : [],
      ),
    ],
    rows,
    columns: [
      contenderColumn<EnergyRow>({ contenders }, true),
      column(
        'joules_per_audio_hour',
        { header: 'in all', tone: () => 'strong' },
        ({ energy }) => energy?.value ?? null,
        (joules) => marked(formatJoules(joules), incomparableMark(evaluation.speeds)),
      ),
      ...(Object.keys(energyPartNames) as EnergyPartName[]).map((name) =>
        column<EnergyRow, number>(
          `${name}_joules_per_audio_hour`,
          {
            header: energyPartNames[name],
            isNeeded: (row) => findPart(row, name) !== null,
            meaning: 'what is not part of the sum contains other parts',
          },
          (row) => findPart(row, name)?.joulesPerAudioHour ?? null,
          formatJoules,
        ),
      ),
      column(
        'joules',
        { header: 'measured', meaning: 'joules of what is in the sum, in the blocks of the contender' },
        ({ energy }) => energy?.joules ?? null,
        formatJoules,
      ),
      column('audio_seconds', 'audio', audioSeconds, formatSeconds),
      textColumn('covers', null, ({ energy }) => energy?.covers.join(' ') ?? null),
    ],
  })
}

function findPart({ energy }: EnergyRow, name: EnergyPartName): EnergyPart | null {
  return energy?.parts.find(({ part }) => part === name) ?? null
}

/** Of the part that was read for the longest. */
function audioSeconds({ energy }: EnergyRow): number | null {
  return energy === null ? null : Math.max(...energy.parts.map((part) => part.audioSeconds))
}

interface InstrumentRow {
  readonly what: string
  readonly value: number | null
  readonly unit: 'ms' | 'processors' | 'requests'
}

/** How exact the instrument was that made the figures, whatever the load. */
export function instrumentDetails({ instrument, contenders }: Evaluation): DetailTable {
  const { sendLagMs, loopDelayMaxMs, ownProcessors, samplerProcessors, foreignProcessors, clockStepMaxMs } =
    instrument
  const rows: readonly InstrumentRow[] = [
    { what: 'requests left late, p50', value: sendLagMs?.p50 ?? null, unit: 'ms' },
    { what: 'requests left late, p99', value: sendLagMs?.p99 ?? null, unit: 'ms' },
    { what: 'requests left late, most', value: sendLagMs?.max ?? null, unit: 'ms' },
    { what: 'transcribench answered to nothing, longest', value: loopDelayMaxMs, unit: 'ms' },
    { what: 'transcribench kept busy', value: ownProcessors, unit: 'processors' },
    { what: 'programs that it samples with kept busy', value: samplerProcessors, unit: 'processors' },
    { what: 'other programs kept busy', value: foreignProcessors, unit: 'processors' },
    { what: 'clock jumped by at most', value: clockStepMaxMs, unit: 'ms' },
    ...contenders.flatMap(({ contender, systemSpeed }): InstrumentRow[] =>
      systemSpeed.value === null
        ? []
        : [
            { what: `in flight: ${contender.id}`, value: systemSpeed.meanInFlight, unit: 'requests' },
            {
              what: `to be in flight: ${contender.id}`,
              value: systemSpeed.predictedInFlight,
              unit: 'requests',
            },
          ],
    ),
  ]
  return detailTable<InstrumentRow>({
    title: 'How exact the instrument was',
    rows,
    columns: [
      textColumn('what', 'what', ({ what }) => what),
      {
        name: 'value',
        value: ({ value }) => value,
        shown: { header: 'value', align: 'right', cell: valueText },
      },
      textColumn('unit', null, ({ unit }) => unit),
    ],
  })
}

function valueText({ value, unit }: InstrumentRow): string {
  if (value === null) return absent
  return unit === 'ms' ? formatMilliseconds(Math.max(0, value)) : `${fixed(value, 2)} ${unit}`
}
