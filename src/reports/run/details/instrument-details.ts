import type { Evaluation } from '#analysis'
import { textColumn } from '../../layout/column-kinds.ts'
import { absent, fixed, formatMilliseconds } from '../../layout/units.ts'
import { type DetailTable, detailTable } from './detail-table.ts'

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
    ...(samplerProcessors === undefined
      ? []
      : [
          {
            what: 'programs that it samples with kept busy',
            value: samplerProcessors,
            unit: 'processors',
          } as const,
        ]),
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
      textColumn('what', { header: 'what' }, ({ what }) => what),
      {
        name: 'value',
        value: ({ value }) => value,
        shown: { header: 'value', align: 'right', dropOrder: 0, cell: valueText },
      },
      textColumn('unit', null, ({ unit }) => unit),
    ],
  })
}

function valueText({ value, unit }: InstrumentRow): string {
  if (value === null) return absent
  return unit === 'ms' ? formatMilliseconds(Math.max(0, value)) : `${fixed(value, 2)} ${unit}`
}
