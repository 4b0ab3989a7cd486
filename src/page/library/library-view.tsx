import type { JSX } from 'preact'
import { counted, type LibraryPage } from '#reports/page'
import { TrendSections, trendEntries } from '../history-view.tsx'
import { Nav } from '../layout.tsx'
import { useStages } from '../stages.ts'
import { Head } from '../warnings.tsx'
import { Runs } from './runs.tsx'

/** A results folder: its runs, any two of them to be compared, and figures over time. */
export function LibraryView({ page }: { readonly page: LibraryPage }): JSX.Element {
  const { title, answer, runs, history } = page
  const trends = trendEntries(history.groups)
  const drawn = useStages(trends.length + 2)
  return (
    <>
      <Nav
        entries={[{ id: 'answer', title: 'Answer' }, ...trends, { id: 'runs', title: 'Runs' }]}
        isReady={drawn === trends.length + 2}
      />
      <Head
        overline="Results"
        answer={answer}
        facts={
          <>
            {counted(runs.length, 'run')} in <bdi>{title}</bdi>
          </>
        }
      >
        {runs.length > 0 ? null : (
          <p class="quiet empty">
            Measure one: <code>transcribench run</code>. Then load this page again.
          </p>
        )}
      </Head>
      <TrendSections groups={history.groups.slice(0, drawn - 1)} />
      {drawn < trends.length + 2 || runs.length === 0 ? null : <Runs page={page} />}
    </>
  )
}
