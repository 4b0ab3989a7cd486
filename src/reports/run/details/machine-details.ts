import type { ContenderEvaluation } from '#analysis/documents/contender-evaluation'
import type { Evaluation } from '#analysis/documents/evaluation'
import type { EnergyPartName, GpuFigures } from '#analysis/documents/resources'
import {
  absent,
  fixed,
  formatJoules,
  formatMilliseconds,
  formatPercent,
  formatSeconds,
  formatWatts,
  incomparableMark,
  marked,
} from '../../layout/units.ts'
import { contenderColumn, type Details, detailsOf, detailsOfRows } from './detail-table.ts'

export function gpuDetails({ resources: { gpu } }: Evaluation): Details | null {
  return detailsOfRows({
    title: 'Graphics processors',
    notes: ['Means over the readings while requests were measured, about one a second, of all contenders.'],
    rows: gpu?.devices ?? [],
    columns: ({ column, count, file, rate, text }) => [
      text('device', 'id'),
      text('name', 'name', { header: 'model', isLong: true }),
      rate('busy_rate', 'busyRate'),
      column('memory_bytes', 'memoryBytes', formatMemory, 'memory'),
      column('power_watts', 'powerWatts', formatWatts, 'power'),
      column('core_clock_mhz', 'coreClockMHz', formatMegahertz, 'clock'),
      column('memory_clock_mhz', 'memoryClockMHz', formatMegahertz, 'memory clock'),
      text('throttled', throttledText, {
        header: 'slowed down by',
        isLong: true,
        meaning: 'why its clock was lower than it could be, with the share of the readings',
        tone: ({ throttled }) => ((throttled?.length ?? 0) > 0 ? 'caution' : null),
      }),
      count('readings', 'sampleCount', { dropOrder: 5 }),
      file('throttled_rate', ({ throttled }) =>
        throttled === null ? null : Math.max(0, ...throttled.map(({ rate: share }) => share)),
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

const energyPartNames: Readonly<Record<EnergyPartName, string>> = {
  package: 'processors',
  dram: 'memory',
  gpu: 'graphics processors',
  battery: 'whole machine (battery)',
  psys: 'platform',
}

function energyNote({
  contenders,
  resources: { gpu },
  speeds,
}: Pick<Evaluation, 'contenders' | 'resources' | 'speeds'>): string {
  const covers = new Set(
    contenders.flatMap(({ energy }) => (energy === undefined || energy.value === null ? [] : energy.covers)),
  )
  const parts = [...covers].map((part) => energyPartNames[part])
  const rest = covers.has('battery')
    ? ''
    : ' Disks, fans, displays and losses of the power supply are not in it.'
  const silent = covers.has('gpu')
    ? (gpu?.devices ?? []).flatMap(({ id, powerWatts }) => (powerWatts === null ? [id] : []))
    : []
  const without = silent.length === 0 ? '' : ` No power is reported by ${silent.join(', ')}.`
  const withheld = speeds.withheld === null ? '' : ` As the speeds, it is not compared: ${speeds.withheld}.`
  return `It covers: ${parts.join(', ')}.${without}${rest} The power of the idle machine is included.${withheld}`
}

type Energy = NonNullable<ContenderEvaluation['energy']>

export function energyDetails(evaluation: Evaluation): Details | null {
  const { contenders } = evaluation
  const rows = contenders.map(({ contender, energy }) => ({
    contender: contender.id,
    energy: ifRead(energy),
  }))
  if (rows.every(({ energy }) => energy === null)) return null
  const findPart = ({ energy }: (typeof rows)[number], name: EnergyPartName) =>
    energy?.parts.find(({ part }) => part === name)
  return detailsOf({
    title: 'Energy for an hour of audio',
    notes: [
      energyNote(evaluation),
      ...contenders.flatMap(({ contender, energy }) =>
        energy?.value === null ? [`${contender.id} has none: ${energy.reason}.`] : [],
      ),
    ],
    rows,
    columns: ({ column, text }) => [
      contenderColumn({ contenders }, true),
      column(
        'joules_per_audio_hour',
        ({ energy }) => energy?.value,
        (joules) => marked(formatJoules(joules), incomparableMark(evaluation.speeds)),
        { header: 'in all', tone: () => 'strong' },
      ),
      ...(Object.keys(energyPartNames) as EnergyPartName[]).map((name) =>
        column(
          `${name}_joules_per_audio_hour`,
          (row) => findPart(row, name)?.joulesPerAudioHour,
          formatJoules,
          {
            header: energyPartNames[name],
            isNeeded: (row) => findPart(row, name) !== undefined,
            meaning: 'what is not part of the sum contains other parts',
          },
        ),
      ),
      column('joules', ({ energy }) => energy?.joules, formatJoules, {
        header: 'measured',
        meaning: 'joules of what is in the sum, in the blocks of the contender',
      }),
      column(
        'audio_seconds',
        // The seconds of audio are those of the part that was read for the longest.
        ({ energy }) => energy && Math.max(...energy.parts.map((part) => part.audioSeconds)),
        formatSeconds,
        'audio',
      ),
      text('covers', ({ energy }) => energy?.covers.join(' '), null),
    ],
  })
}

function ifRead(energy: Energy | undefined): Extract<Energy, { covers: unknown }> | null {
  return energy === undefined || energy.value === null ? null : energy
}

interface InstrumentRow {
  readonly what: string
  readonly value: number | null
  readonly unit: 'ms' | 'processors' | 'requests'
}

export function instrumentDetails({ instrument, contenders }: Evaluation): Details {
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
    ...contenders.flatMap(({ contender: { id }, systemSpeed: speed }): InstrumentRow[] =>
      speed.value === null
        ? []
        : [
            { what: `in flight: ${id}`, value: speed.meanInFlight, unit: 'requests' },
            { what: `to be in flight: ${id}`, value: speed.predictedInFlight, unit: 'requests' },
          ],
    ),
  ]
  return detailsOf({
    title: 'How exact the instrument was',
    rows,
    columns: ({ column, text }) => [
      text('what', 'what'),
      column('value', 'value', String, { cell: valueText }),
      text('unit', 'unit', null),
    ],
  })
}

function valueText({ value, unit }: InstrumentRow): string {
  if (value === null) return absent
  return unit === 'ms' ? formatMilliseconds(Math.max(0, value)) : `${fixed(value, 2)} ${unit}`
}
