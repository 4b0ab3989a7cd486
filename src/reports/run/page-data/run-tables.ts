import type { Evaluation } from '#analysis'
import { type Column, shownColumns, tableOf } from '../../layout/column.ts'
import { column, textColumn } from '../../layout/column-kinds.ts'
import { formatDollars } from '../../layout/units.ts'
import type { RunTables, TitledTable } from '../../page-document.ts'
import { contenderRows, pageSummaryColumns, waitingColumns } from '../columns/contender-tables.ts'
import type { DetailTable } from '../details/detail-table.ts'
import { energyDetails } from '../details/energy-details.ts'
import { entityDetails } from '../details/entity-details.ts'
import { gpuDetails } from '../details/gpu-details.ts'
import { hostDetails } from '../details/host-details.ts'
import { lengthDetails, predictionDetails } from '../details/length-details.ts'
import { isLoadInTable, loadDetails } from '../details/load-details.ts'
import { matrixDetails } from '../details/matrix-details.ts'
import { limitDetails, robustnessDetails } from '../details/robustness-details.ts'
import { targetDetails } from '../details/target-details.ts'
import { timeDetails } from '../details/time-details.ts'
import { dimensionsOf } from '../dimensions.ts'

export function runTables(evaluation: Evaluation): RunTables {
  const rows = contenderRows(evaluation)
  const targets = targetDetails(evaluation)?.toPage()
  const matrix = dimensionsOf(evaluation.contenders).flatMap(({ name }) => {
    const table = matrixDetails(evaluation, name)
    return table === null ? [] : [{ name, title: table.title, table: table.toPage() }]
  })
  const gpus = titled(gpuDetails(evaluation))
  const energy = titled(energyDetails(evaluation))
  const load = isLoadInTable(evaluation) ? titled(loadDetails(evaluation)) : null
  const hosts = titled(hostDetails(evaluation))
  return {
    summary: tableOf(pageSummaryColumns(evaluation), rows),
    waiting: tableOf(waitingColumns(evaluation), rows),
    lengths: lengthDetails(evaluation)?.toPage() ?? null,
    predictions: predictionDetails(evaluation)?.toPage() ?? null,
    costs: evaluation.costs === null ? null : tableOf(shownColumns(costColumns), costRows(evaluation.costs)),
    robustness: titled(robustnessDetails(evaluation)),
    limits: titled(limitDetails(evaluation)),
    entities: titled(entityDetails(evaluation)),
    times: titled(timeDetails(evaluation)),
    ...(targets === undefined ? {} : { targets }),
    ...(matrix.length === 0 ? {} : { matrix }),
    ...(load === null ? {} : { load }),
    ...(hosts === null ? {} : { hosts }),
    ...(gpus === null ? {} : { gpus }),
    ...(energy === null ? {} : { energy }),
  }
}

function titled(table: DetailTable | null): TitledTable | null {
  return table === null ? null : { title: table.title, note: table.notes.join(' '), table: table.toPage() }
}

interface CostRow {
  readonly contenderId: string
  readonly usdPerAudioHour: number
  /** Null where nothing was billed. */
  readonly usd: number | null
}

/** What was billed first; of a machine of one's own it is the energy. */
function costRows({ providers, local }: NonNullable<Evaluation['costs']>): readonly CostRow[] {
  return [
    ...providers,
    ...local.map(({ contenderId, energyUsdPerAudioHour }) => ({
      contenderId,
      usdPerAudioHour: energyUsdPerAudioHour,
      usd: null,
    })),
  ]
}

const costColumns: readonly Column<CostRow>[] = [
  textColumn('contender', { header: 'contender', kind: 'contender' }, ({ contenderId }) => contenderId),
  column(
    'usd_per_audio_hour',
    { header: 'USD an hour of audio' },
    ({ usdPerAudioHour }) => usdPerAudioHour,
    formatDollars,
  ),
  column('spent_usd', { header: 'USD in this run' }, ({ usd }) => usd, formatDollars),
]
