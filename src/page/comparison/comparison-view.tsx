import type { JSX } from 'preact'
import type { ComparisonPage } from '#reports/page'
import { DataTable } from '../data-table.tsx'
import { type Chip, Head } from '../head.tsx'
import { Figure, Name, Nav, type NavEntry, Section } from '../layout.tsx'
import { useStages } from '../run/stages.ts'
import type { FindingLinks } from '../warnings.tsx'
import { ComparedContender } from './compared-contender.tsx'
import { FirstDifferences } from './first-differences.tsx'

/** A comparison: the answer, every pair of contenders, and how both sides were made. */
export function ComparisonView({ page }: { readonly page: ComparisonPage }): JSX.Element {
  const { comparison, contenders } = page
  const entries: readonly NavEntry[] = [
    { id: 'answer', title: 'Answer' },
    ...contenders.map(({ title }, index) => ({ id: `pair-${index}`, title })),
    { id: 'conditions', title: 'How it was measured' },
  ]
  const drawn = useStages(entries.length)
  return (
    <>
      <Nav entries={entries} isReady={drawn === entries.length} />
      <ComparisonHead page={page} />
      {contenders.slice(0, drawn - 1).map((contender, index) => (
        <ComparedContender
          id={`pair-${index}`}
          shown={contender}
          figures={comparison.contenders[index]}
          hasTexts={page.hasTexts}
          key={contender.title}
        />
      ))}
      {drawn < entries.length ? null : <Conditions page={page} id="conditions" />}
    </>
  )
}

/** Text next to the heading of a comparison or an experiment. */
export const chips: Readonly<Record<ComparisonPage['answer']['state'], Chip>> = {
  invalid: { tone: 'bad', text: '✗ not valid' },
  failed: { tone: 'bad', text: '✗ threshold failed' },
  worse: { tone: 'bad', text: '✗ worse' },
  better: { tone: 'good', text: '✓ better' },
  equivalent: { tone: 'good', text: '~ equivalent' },
  unresolved: { tone: 'caution', text: '? unresolved' },
}

/** Where the page shows more of what its findings are about. */
const links: FindingLinks = {
  CONDITIONS_DIFFER: { id: 'conditions', title: 'Conditions' },
  SETTINGS_DIFFER: { id: 'conditions', title: 'Conditions' },
  HOST_SPEED_DIFFERS: { id: 'conditions', title: 'Conditions' },
}

function ComparisonHead({ page }: { readonly page: ComparisonPage }): JSX.Element {
  const { answer, comparison, thresholds } = page
  const { base, run, profile } = comparison
  return (
    <Head
      overline={
        <>
          Comparison · <Name>{sideText(base)}</Name> → <Name>{sideText(run)}</Name>
        </>
      }
      chip={chips[answer.state]}
      answer={answer.sentence}
      facts={<>both scored again as {profile.id}, paired by utterance</>}
      warnings={comparison.findings}
      links={links}
    >
      <FirstDifferences contenders={page.contenders} />
      {thresholds === null ? null : <DataTable label="Thresholds" table={thresholds} />}
    </Head>
  )
}

function sideText({ id, runs }: ComparisonPage['comparison']['base']): string {
  return runs.length === 1 ? id : `${id} and ${runs.length - 1} more`
}

/** What both sides have in common, and what not. */
export function Conditions({
  page,
  id,
}: {
  readonly page: ComparisonPage
  readonly id: string
}): JSX.Element {
  const { profile, family, seed, unpairedContenders } = page.comparison
  return (
    <Section id={id} title="How it was measured">
      <DataTable label="Conditions of both sides" table={page.conditions} />
      <p class="note">
        Profile {profile.id} ({profile.fingerprint.slice(0, 12)}) · seed {seed} · {family.comparisonCount}{' '}
        {family.comparisonCount === 1 ? 'verdict' : 'verdicts'}, sure together at {family.confidence * 100}%.
      </p>
      {unpairedContenders.length === 0 ? null : (
        <Figure title="Not compared">
          <ul class="named">
            {unpairedContenders.map(({ side, id: contenderId }) => (
              <li key={side + contenderId}>
                <Name>{contenderId}</Name> <span class="quiet">only in {side}</span>
              </li>
            ))}
          </ul>
        </Figure>
      )}
    </Section>
  )
}
