import type { JSX } from 'preact'
import type { CapacityPage, ComparisonPage, ExperimentPage, HistoryPage } from '#reports/page'
import { CapacityView } from './capacity/capacity-view.tsx'
import { ComparisonView, ExperimentView } from './comparison/comparison-view.tsx'
import { HistoryView } from './history-view.tsx'

export interface DocumentViewProps {
  readonly page: ComparisonPage | ExperimentPage | HistoryPage | CapacityPage
}

/** A document that is embedded in the page as a whole. */
export function DocumentView({ page }: DocumentViewProps): JSX.Element {
  switch (page.kind) {
    case 'comparison':
      return <ComparisonView page={page} />
    case 'experiment':
      return <ExperimentView page={page} />
    case 'history':
      return <HistoryView page={page} />
    case 'capacity':
      return <CapacityView page={page} />
  }
}
