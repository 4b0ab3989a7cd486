import type { JSX } from 'preact'
import type { RunPage } from '#reports/page'
import { DataTable } from '../data-table.tsx'
import { Figure, Section } from '../layout.tsx'
import { contenderIds } from './ranking.ts'

/** Graphics processors and energy; nothing where neither could be read. */
export function Hardware({ page }: { readonly page: RunPage }): JSX.Element | null {
  const { gpus, energy } = page.tables
  if (gpus === undefined && energy === undefined) return null
  return (
    <Section id="hardware" title="Hardware">
      {gpus === undefined ? null : (
        <Figure title={gpus.title} note={gpus.note} isWide>
          <DataTable label={gpus.title} table={gpus.table} contenders={[]} />
        </Figure>
      )}
      {energy === undefined ? null : (
        <Figure title={energy.title} note={energy.note} isWide>
          <DataTable label={energy.title} table={energy.table} contenders={contenderIds(page)} />
        </Figure>
      )}
    </Section>
  )
}
