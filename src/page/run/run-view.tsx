import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import type { CorpusPage, RunPage } from '#reports/page'
import { Answer } from '../answer.tsx'
import { Nav, type NavEntry } from '../layout.tsx'
import type { Review } from '../review/review.ts'
import { profileOf, type Subject } from '../utterances/subject.ts'
import { Utterances, type UtterancesProps } from '../utterances/utterances.tsx'
import { Accuracy } from './accuracy.tsx'
import { Costs } from './costs.tsx'
import { Errors } from './errors.tsx'
import { Hardware } from './hardware.tsx'
import { Matrix } from './matrix.tsx'
import { Provenance } from './provenance.tsx'
import { Robustness } from './robustness.tsx'
import { Speed } from './speed.tsx'
import { useStages } from './stages.ts'
import { Tradeoff } from './tradeoff.tsx'

const utterancesEntry: NavEntry = { id: 'utterances', title: 'Utterances' }

/** The parts of the page, in the order of a report. */
const allSections: readonly NavEntry[] = [
  { id: 'answer', title: 'Answer' },
  { id: 'accuracy', title: 'Accuracy' },
  { id: 'robustness', title: 'Robustness' },
  { id: 'speed', title: 'Speed' },
  { id: 'hardware', title: 'Hardware' },
  { id: 'matrix', title: 'Matrix' },
  { id: 'tradeoff', title: 'Accuracy against speed' },
  { id: 'cost', title: 'Cost' },
  { id: 'errors', title: 'What goes wrong' },
  utterancesEntry,
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
  const absent = [
    ...(page.evaluation.costs === null ? ['cost'] : []),
    ...(page.tables.gpus === undefined && page.tables.energy === undefined ? ['hardware'] : []),
    ...(page.tables.matrix === undefined ? ['matrix'] : []),
    ...(page.tables.robustness === null ? ['robustness'] : []),
  ]
  const sections = allSections.filter(({ id }) => !absent.includes(id))
  // A review begins with what is to be decided; a report with its answer.
  const shown =
    review === null ? sections : [utterancesEntry, ...sections.filter((each) => each !== utterancesEntry)]
  const drawn = useStages(shown.length)
  if (review?.isBlind === true) return <Utterances subject={subject} read={read} review={review} />
  const parts: Readonly<Record<string, () => JSX.Element>> = {
    answer: () => <Answer page={page} />,
    accuracy: () => <Accuracy page={page} />,
    robustness: () => <Robustness page={page} />,
    speed: () => <Speed page={page} />,
    hardware: () => <Hardware page={page} />,
    matrix: () => <Matrix page={page} />,
    tradeoff: () => <Tradeoff page={page} />,
    cost: () => <Costs page={page} />,
    errors: () => <Errors page={page} />,
    utterances: () => <Utterances subject={subject} read={read} review={review} key="utterances" />,
    provenance: () => <Provenance page={page} />,
  }
  return (
    <>
      <Nav entries={shown} />
      {shown.slice(0, drawn).map(({ id }) => parts[id]?.())}
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
