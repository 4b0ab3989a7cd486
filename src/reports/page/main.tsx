import { type JSX, render } from 'preact'
import type { PageDocument } from '../html/page-document.ts'
import { ComparisonView } from './comparison/comparison-view.tsx'
import { ExperimentView } from './comparison/experiment-view.tsx'
import { readDocument, readRows } from './embedded.ts'
import { HistoryView } from './history/history-view.tsx'
import { ServedView } from './review/served-view.tsx'
import { RunView } from './run-view.tsx'

/** What a document is shown as. A page without one asks the server that it came from. */
function viewOf(page: PageDocument | null): JSX.Element {
  switch (page?.kind) {
    case 'run':
      return <RunView page={page} read={readRows} />
    case 'comparison':
      return <ComparisonView page={page} />
    case 'experiment':
      return <ExperimentView page={page} />
    case 'history':
      return <HistoryView page={page} />
    default:
      return <ServedView />
  }
}

const place = document.getElementById('page')
if (place !== null) {
  place.replaceChildren()
  render(viewOf(readDocument()), place)
}
