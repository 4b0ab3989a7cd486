import type { JSX } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import type { CorpusPage, PageDocument, ServedPage } from '#reports/page'
import { CapacityView } from './capacity-view.tsx'
import { ComparisonView, ExperimentView } from './comparison-view.tsx'
import { HistoryView } from './history-view.tsx'
import { NameList, WayBack } from './layout.tsx'
import { LibraryView } from './library-view.tsx'
import { ReviewView } from './review-view.tsx'
import { RunView } from './run/run-view.tsx'
import { openSession, reader, ServerRefusal } from './server-session.ts'
import type { UtterancesProps } from './utterances/utterances.tsx'

/** A page that requests its data from a local server, which serves only the tab that its link was opened in. */
export function ServedView(): JSX.Element {
  const [served, setServed] = useState<ServedPage | null>(null)
  const [refusal, setRefusal] = useState<Error | null>(null)
  useEffect(() => {
    openSession().then(setServed, setRefusal)
  }, [])
  if (refusal !== null) return <Refused refusal={refusal} />
  if (served === null) return <p class="waiting quiet">Reading …</p>
  return (
    <>
      <WayBackToList />
      <ServedDocument served={served} />
    </>
  )
}

/** A link to the list if the address has a query: only the pages of single runs have one. */
function WayBackToList(): JSX.Element | null {
  return location.search === '' ? null : <WayBack address="/" />
}

function Refused({ refusal }: { readonly refusal: Error }): JSX.Element {
  const { problems, hint } = refusal instanceof ServerRefusal ? refusal : { problems: [], hint: '' }
  return (
    <div class="refusal" role="alert" data-ready="true">
      <WayBackToList />
      <p>
        <bdi>{refusal.message}</bdi>
      </p>
      {problems.length === 0 ? null : <NameList names={problems} />}
      {hint === '' ? null : <p class="quiet">{hint}</p>}
    </div>
  )
}

function ServedDocument({ served }: { readonly served: ServedPage }): JSX.Element {
  const { document, correcting } = served
  const read = useMemo(() => reader(served), [served])
  return document.kind === 'corpus' || (document.kind === 'run' && correcting !== null) ? (
    <ReviewView served={served} page={document} />
  ) : (
    <DocumentView page={document} read={read} />
  )
}

interface DocumentViewProps {
  readonly page: Exclude<PageDocument, CorpusPage>
  /** Reads the utterances of a run. */
  readonly read: UtterancesProps['read']
}

/** A document without corrections. */
export function DocumentView({ page, read }: DocumentViewProps): JSX.Element {
  switch (page.kind) {
    case 'run':
      return <RunView page={page} read={read} />
    case 'library':
      return <LibraryView page={page} />
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
