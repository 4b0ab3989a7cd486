import type { JSX } from 'preact'
import { counted, type HistoryPage } from '#reports/page'
import { BigFigures } from '../big-figures.tsx'
import { Head } from '../head.tsx'
import { Figure, Name, Nav, type NavEntry, Section } from '../layout.tsx'
import { useStages } from '../run/stages.ts'
import { Trends } from './trends.tsx'

/** Figures over the runs of a folder, and where they changed. */
export function HistoryView({ page }: { readonly page: HistoryPage }): JSX.Element {
  const { answer, groups, latest, leftOut, runCount } = page
  const entries = [{ id: 'answer', title: 'Answer' }, ...trendEntries(groups)]
  const drawn = useStages(entries.length)
  return (
    <>
      <Nav entries={entries} isReady={drawn === entries.length} />
      <Head overline="History" answer={answer} facts={counted(runCount, 'run')}>
        <BigFigures
          label="The latest figures"
          groups={latest.map(({ contenderId, figures }) => ({
            key: contenderId,
            name: <Name>{contenderId}</Name>,
            figures,
          }))}
        />
        {groups.length > 0 ? null : (
          <p class="quiet">
            A run is scored when it ends: <code>transcribench run</code>.
          </p>
        )}
      </Head>
      <TrendSections groups={groups.slice(0, drawn - 1)} />
      {leftOut.length === 0 ? null : (
        <Section id="left-out" title="Left out">
          <Figure
            title={`${counted(leftOut.length, 'run')} without a valid score`}
            note="Never finished, not valid, or of another version. transcribench score gives a run its figures again."
          >
            <ul class="named">
              {leftOut.map((id) => (
                <li key={id}>
                  <Name>{id}</Name>
                </li>
              ))}
            </ul>
          </Figure>
        </Section>
      )}
    </>
  )
}

export interface TrendSectionsProps {
  readonly groups: HistoryPage['groups']
}

/** Every group of comparable runs with its trends. */
export function TrendSections({ groups }: TrendSectionsProps): JSX.Element {
  const contenders = [
    ...new Set(groups.flatMap(({ trends }) => trends.map(({ contenderId }) => contenderId))),
  ]
  return (
    <>
      {groups.map(({ conditions, trends }, index) => (
        <Section
          id={`trends-${index}`}
          title={titleOf(conditions)}
          lead={conditions.split(' · ').slice(1).join(' · ')}
          key={conditions}
        >
          <Trends trends={trends} contenders={contenders} />
        </Section>
      ))}
    </>
  )
}

/** The same groups in the table of contents. */
export function trendEntries(groups: HistoryPage['groups']): readonly NavEntry[] {
  return groups.map(({ conditions }, index) => ({ id: `trends-${index}`, title: titleOf(conditions) }))
}

/** The corpus names a series best; what else its runs have in common is below. */
function titleOf(conditions: string): string {
  return conditions.split(' · ')[0] ?? conditions
}
