import type { Evaluation, PercentileSet, Phases } from '#analysis'
import { countColumn, millisecondsColumn, textColumn } from '../../layout/column-kinds.ts'
import { type Contended, contenderColumn } from './by-contender.ts'
import { type DetailTable, detailTable } from './detail-table.ts'

interface PhaseRow extends Contended {
  readonly phase: string
  readonly ms: PercentileSet
}

const phaseNames: readonly (readonly [keyof Phases, string])[] = [
  ['queueMs', 'waiting for a socket'],
  ['connectMs', 'connecting'],
  ['waitMs', 'sending the body and waiting for the answer'],
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
