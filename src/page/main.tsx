import { type JSX, render } from 'preact'
import type { PageDocument } from '#reports/page'
import { readDocument, readRows } from './embedded.ts'
import { WayBack } from './layout.tsx'
import { LibraryView } from './library/library-view.tsx'
import { DocumentView, ServedView } from './review/served-view.tsx'
import { RunView } from './run/run-view.tsx'

/** What a document is shown as. A page without one asks the server that it came from. */
function viewOf(page: PageDocument | null): JSX.Element {
  switch (page?.kind) {
    case 'run':
      return (
        <>
          {page.library === undefined ? null : <WayBack address={page.library} />}
          <RunView page={page} read={readRows} />
        </>
      )
    case 'library':
      return <LibraryView page={page} />
    case 'comparison':
    case 'experiment':
    case 'history':
    case 'capacity':
      return <DocumentView page={page} />
    default:
      return <ServedView />
  }
}

const place = document.getElementById('page')
if (place !== null) {
  place.replaceChildren()
  render(viewOf(readDocument()), place)
}
