import { render } from 'preact'
import { readDocument, readRows } from './embedded.ts'
import { ServedView } from './review/served-view.tsx'
import { RunView } from './run-view.tsx'

const place = document.getElementById('page')
const page = readDocument()
if (place !== null) {
  place.replaceChildren()
  render(page?.kind === 'run' ? <RunView page={page} read={readRows} /> : <ServedView />, place)
}
