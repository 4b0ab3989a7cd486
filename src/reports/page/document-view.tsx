import type { JSX } from 'preact'
import type { CapacityPage } from '../html/capacity-page.ts'
import type { ComparisonPage } from '../html/comparison-page.ts'
import type { ExperimentPage } from '../html/experiment-page.ts'
import type { HistoryPage } from '../html/history-page.ts'
import { CapacityView } from './capacity/capacity-view.tsx'
import { ComparisonView } from './comparison/comparison-view.tsx'
import { ExperimentView } from './comparison/experiment-view.tsx'
import { HistoryView } from './history/history-view.tsx'

export interface DocumentViewProps {
  readonly page: ComparisonPage | ExperimentPage | HistoryPage | CapacityPage
}

/** A document that stands in the page whole. */
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
