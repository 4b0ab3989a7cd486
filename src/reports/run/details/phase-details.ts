import type { Evaluation, PercentileSet, Phases } from '#analysis'
import { countColumn, millisecondsColumn, textColumn } from '../../layout/column-kinds.ts'
import { counted, fixed } from '../../layout/units.ts'
import { type Contended, contenderColumn } from './by-contender.ts'
import { type DetailTable, detailTable } from './detail-table.ts'

interface PhaseRow extends Contended {
  readonly phase: string
  readonly ms: PercentileSet
}

const phaseNames: readonly (readonly [Exclude<keyof Phases, 'uploadBytesPerSecond'>, string])[] = [
  ['queueMs', 'waiting for a socket'],
  ['connectMs', 'connecting'],
  ['uploadMs', 'uploading'],
  ['waitMs', 'waiting for the answer'],
  ['downloadMs', 'downloading'],
]

/** What requests spent their service time on; null for runs that recorded no phases. */
export function phaseDetails({ contenders }: Evaluation): DetailTable | null {
  const rows = contenders.flatMap(({ contender, phases }) =>
    phaseNames.map(([key, phase]): PhaseRow => ({ contender: contender.id, phase, ms: phases[key] })),
  )
  if (rows.every(({ ms }) => ms.sampleCount === 0)) return null
  return detailTable<PhaseRow>({
    title: 'Where the time of a request went',
    notes: contenders.flatMap(({ contender, phases: { uploadBytesPerSecond: upload } }) =>
      upload.value === null
        ? []
        : [
            `${contender.id} was sent ${fixed(upload.value / 1e6, 1)} MB/s, over ` +
              `${counted(upload.sampleCount, 'request')} of 1 MB and more.`,
          ],
    ),
    rows,
    columns: [
      contenderColumn({ contenders }),
      textColumn('phase', { header: 'phase' }, ({ phase }) => phase),
      countColumn('requests', { header: 'requests' }, ({ ms }) => ms.sampleCount),
      millisecondsColumn('p50_ms', { header: 'p50' }, ({ ms }) => ms.p50.value),
      millisecondsColumn('p95_ms', { header: 'p95' }, ({ ms }) => ms.p95.value),
    ],
  })
}
