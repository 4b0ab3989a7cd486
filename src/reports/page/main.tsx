import { render } from 'preact'
import { readDocument } from './embedded.ts'
import { RunView } from './run-view.tsx'

const place = document.getElementById('page')
if (place !== null) {
  place.replaceChildren()
  render(<RunView page={readDocument()} />, place)
}
