import type { ContenderEvaluation, Evaluation, LoadPhase } from '#analysis'
import { column, countColumn, fileColumn, textColumn } from '../../layout/column-kinds.ts'
import { counted, fixed, formatCount, formatSeconds, orAbsent } from '../../layout/units.ts'
import { type Contended, contenderColumn } from './by-contender.ts'
import { type DetailTable, detailTable } from './detail-table.ts'

type LoadRow = LoadPhase & Contended

/** What a load offered and what left, phase by phase; null for a document of an older version. */
export function loadDetails({ contenders }: Evaluation): DetailTable | null {
  const rows = contenders.flatMap(({ contender, loadPhases = [] }) =>
    loadPhases.map((phase): LoadRow => ({ ...phase, contender: contender.id })),
  )
  if (rows.length === 0) return null
  return detailTable<LoadRow>({
    title: 'The load, as offered and as sent',
    notes: ['Sent is what left in that time, repeats included, whenever it was answered.'],
    rows,
    columns: [
      contenderColumn({ contenders }),
      textColumn('phase', { header: 'load' }, ({ description }) => description),
      countColumn('offered', { header: 'offered' }, ({ offered }) => offered.requestCount),
      fileColumn('offered_seconds', ({ offered }) => offered.seconds),
      column(
        'offered_per_second',
        { header: 'rate offered' },
        ({ offered }) => offered.requestsPerSecond,
        rateText,
      ),
      countColumn('sent', { header: 'sent' }, ({ sent }) => sent.requestCount),
      fileColumn('sent_seconds', ({ sent }) => sent.seconds),
      column('sent_per_second', { header: 'rate sent' }, ({ sent }) => sent.requestsPerSecond, rateText),
    ],
  })
}

/** Whether one line cannot say it: there are several phases, or contenders were not sent the same. */
export function isLoadInTable({ contenders }: Evaluation): boolean {
  const lines = new Set(contenders.map(({ loadPhases = [] }) => JSON.stringify(loadPhases.map(sentWords))))
  return lines.size > 1 || contenders.some(({ loadPhases = [] }) => loadPhases.length > 1)
}

/** `390 of 390 requests sent in 39 s, 10.0/s`; nothing for a load that waits for answers, of which the answers say it. */
export function sentFact({ loadPhases = [] }: ContenderEvaluation): readonly string[] {
  const [only, ...others] = loadPhases
  return only === undefined || others.length > 0 || only.offered.seconds === null ? [] : [sentWords(only)]
}

function sentWords({ offered, sent }: LoadPhase): string {
  if (offered.seconds === null) return ''
  const time = orAbsent(sent.seconds, formatSeconds)
  return (
    `${formatCount(sent.requestCount)} of ${counted(offered.requestCount, 'request')} sent in ${time}` +
    (sent.requestsPerSecond === null ? '' : `, ${rateText(sent.requestsPerSecond)}`)
  )
}

function rateText(perSecond: number): string {
  return `${fixed(perSecond, perSecond < 9.95 ? 2 : 1)}/s`
}
