import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import type { CorpusPage, RunPage } from '../html/page-document.ts'
import { Accuracy } from './accuracy.tsx'
import { Answer } from './answer.tsx'
import { Costs } from './costs.tsx'
import { Errors } from './errors.tsx'
import { Nav, type NavEntry } from './layout.tsx'
import { Provenance } from './provenance.tsx'
import type { Review } from './review/review.ts'
import { Speed } from './speed.tsx'
import { useStages } from './stages.ts'
import { Tradeoff } from './tradeoff.tsx'
import { profileOf, type Subject } from './utterances/subject.ts'
import { Utterances, type UtterancesProps } from './utterances/utterances.tsx'

const allSections: readonly NavEntry[] = [
  { id: 'answer', title: 'Answer' },
  { id: 'accuracy', title: 'Accuracy' },
  { id: 'speed', title: 'Speed' },
  { id: 'tradeoff', title: 'Accuracy against speed' },
  { id: 'cost', title: 'Cost' },
  { id: 'errors', title: 'What goes wrong' },
  { id: 'utterances', title: 'Utterances' },
  { id: 'provenance', title: 'Provenance' },
]

export interface RunViewProps {
  readonly page: RunPage
  readonly read: UtterancesProps['read']
  readonly review?: Review | null
}

/** The page of one run, from the answer down to how it was made. */
export function RunView({ page, read, review = null }: RunViewProps): JSX.Element {
  const subject = useMemo(() => subjectOf(page), [page])
  const sections = allSections.filter(({ id }) => id !== 'cost' || page.evaluation.costs !== null)
  const drawn = useStages(sections.length)
  if (review?.isBlind === true) return <Utterances subject={subject} read={read} review={review} />
  const parts: readonly (() => JSX.Element)[] = [
    () => <Answer page={page} />,
    () => <Accuracy page={page} />,
    () => <Speed page={page} />,
    () => <Tradeoff page={page} />,
    ...(page.evaluation.costs === null ? [] : [() => <Costs page={page} />]),
    () => <Errors page={page} />,
    () => <Utterances subject={subject} read={read} review={review} />,
    () => <Provenance page={page} />,
  ]
  return (
    <>
      <Nav entries={sections} />
      {parts.slice(0, drawn).map((part) => part())}
    </>
  )
}

/** What the list of utterances needs to know of a page. */
export function subjectOf(page: RunPage | CorpusPage): Subject {
  const { utteranceCount } = page
  const scoring = { profile: profileOf(page.scoring), isProfileComplete: page.scoring.isComplete }
  if (page.kind === 'corpus') return { contenders: [], failures: [], ...scoring, utteranceCount }
  return {
    contenders: page.evaluation.contenders.map(({ contender }) => contender.id),
    failures: page.failures,
    ...scoring,
    utteranceCount,
  }
}
