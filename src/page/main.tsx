import { type JSX, render } from 'preact'
import type { PageDocument, PageUtterance } from '#reports/page'
import { WayBack } from './layout.tsx'
import { DocumentView, ServedView } from './served-view.tsx'
import { untilNextTurn } from './stages.ts'

/**
 * The document that is embedded in the page before this program. It is not validated, because the program and the
 * document were written by the same version.
 */
function readDocument(): PageDocument | null {
  return parsed(document.querySelector('script[data-part="document"]'))
}

/**
 * Reads the utterances, which follow this program in the page, part by part.
 *
 * @param onPart gets each part; between two of them the browser can paint and handle input
 */
async function readRows(onPart: (rows: readonly PageUtterance[]) => void): Promise<void> {
  await allParsed()
  const turn = untilNextTurn()
  for (const element of document.querySelectorAll('script[data-part="rows"]')) {
    onPart(parsed(element))
    // Otherwise the text would stay in memory twice.
    element.remove()
    await turn()
  }
}

function parsed<Value>(element: Element | null): Value {
  return JSON.parse(element?.textContent ?? 'null') as Value
}

function allParsed(): Promise<void> {
  if (document.readyState !== 'loading') return Promise.resolve()
  return new Promise((resolve) => document.addEventListener('DOMContentLoaded', () => resolve()))
}

/** Draws the embedded document. A page without one requests it from the server that it came from. */
function drawPage(page: PageDocument | null): JSX.Element {
  if (page === null || page.kind === 'corpus') return <ServedView />
  const list = page.kind === 'run' ? page.library : undefined
  return (
    <>
      {list === undefined ? null : <WayBack address={list} />}
      <DocumentView page={page} read={readRows} />
    </>
  )
}

const place = document.getElementById('page')
if (place !== null) {
  place.replaceChildren()
  render(drawPage(readDocument()), place)
}
