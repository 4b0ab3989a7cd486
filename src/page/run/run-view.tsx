import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import {
  breakEvenWords,
  type CorpusPage,
  counted,
  formatDollars,
  nameSource,
  type ProvenanceEntry,
  type ProvenanceGroup,
  type RunPage,
} from '#reports/page'
import { rateMetrics } from '#scoring/counts'
import {
  ContenderName,
  contenderIds,
  DataTable,
  Figure,
  Name,
  Nav,
  type NavEntry,
  Section,
  TableFigure,
} from '../layout.tsx'
import type { Review } from '../review/review.ts'
import { useStages } from '../stages.ts'
import { findScoringProfile, type Subject } from '../utterances/library.ts'
import { Utterances, type UtterancesProps } from '../utterances/utterances.tsx'
import { Accuracy } from './accuracy.tsx'
import { Answer } from './answer.tsx'
import { Errors } from './errors.tsx'
import { Speed } from './speed.tsx'
import { Tradeoff } from './tradeoff.tsx'
import { Matrix, Robustness } from './varied.tsx'

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
  const subject = useMemo(() => findSubject(page), [page])
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
export function findSubject(page: RunPage | CorpusPage): Subject {
  const { utteranceCount } = page
  const scoring = { profile: findScoringProfile(page.scoring), isProfileComplete: page.scoring.isComplete }
  if (page.kind === 'corpus') return { contenders: [], failures: [], ...scoring, utteranceCount }
  return {
    contenders: page.evaluation.contenders.map(({ contender }) => contender.id),
    failures: page.failures,
    ...scoring,
    utteranceCount,
  }
}

/** Prices of providers next to the cost of this machine; nothing where no contender has a price. */
function Costs({ page }: { readonly page: RunPage }): JSX.Element | null {
  const { costs, contenders } = page.evaluation
  if (costs === null) return null
  const { machine, local, providers } = costs
  const placeOf = (id: string): number => contenders.findIndex(({ contender }) => contender.id === id)
  return (
    <Section id="cost" title="Cost">
      <Figure
        title="What an hour of audio costs, and when a machine of your own is cheaper"
        note={`A machine of your own costs ${formatDollars(machine.usdPerDay)} USD a day and ${formatDollars(machine.idleEnergyUsdPerDay)} USD for its idle power, whether it transcribes or not (${nameSource(machine)}). Another price list: --prices.`}
        isWide
      >
        {page.tables.costs === null ? null : (
          <DataTable
            label="Cost of the contenders"
            table={page.tables.costs}
            contenders={contenderIds(page)}
          />
        )}
        <ul class="named">
          {providers.map(({ contenderId, breakEven, ...price }) => (
            <li key={contenderId}>
              <ContenderName index={placeOf(contenderId)} id={contenderId} />
              {breakEven.map((even) => (
                <p class="reason" key={even.contenderId}>
                  A machine of your own {breakEvenWords(even)}.
                </p>
              ))}
              <p class="reason">
                Price: <Name>{nameSource(price)}</Name>
              </p>
            </li>
          ))}
          {local.length === 0 ? null : (
            <li class="reason">
              On this machine the figure is its energy alone, estimated from processor seconds.
            </li>
          )}
        </ul>
      </Figure>
    </Section>
  )
}

/** Graphics processors and energy; nothing where neither could be read. */
function Hardware({ page }: { readonly page: RunPage }): JSX.Element | null {
  const { gpus, energy } = page.tables
  if (gpus === undefined && energy === undefined) return null
  return (
    <Section id="hardware" title="Hardware">
      <TableFigure of={gpus} />
      <TableFigure of={energy} contenders={contenderIds(page)} />
    </Section>
  )
}

/** How the figures were measured, and how to reproduce them. */
function Provenance({ page }: { readonly page: RunPage }): JSX.Element {
  return (
    <Section id="provenance" title="Provenance">
      <div class="figures">
        {page.provenance.map((group) => (
          <Group group={group} key={group.title} />
        ))}
        <Figure title="To make it again">
          <pre>
            <code>{page.reproduce.join('\n')}</code>
          </pre>
          <p class="note">
            Definitions of all figures:{' '}
            <code>transcribench explain {rateMetrics[page.evaluation.profile.leads]}</code>, and the page{' '}
            <code>docs/metrics.md</code>.
          </p>
        </Figure>
      </div>
    </Section>
  )
}

/** What differs from the defaults, and the defaults folded away. */
function Group({ group: { title, entries } }: { readonly group: ProvenanceGroup }): JSX.Element {
  const defaults = entries.filter(({ source }) => source === 'default')
  const others = entries.filter(({ source }) => source !== 'default')
  return (
    <Figure title={title}>
      <Entries entries={others} />
      {defaults.length === 0 ? null : (
        <details>
          <summary>
            {others.length === 0 ? 'All ' : ''}
            {counted(defaults.length, 'setting')} at the default
          </summary>
          <Entries entries={defaults} />
        </details>
      )}
    </Figure>
  )
}

function Entries({ entries }: { readonly entries: readonly ProvenanceEntry[] }): JSX.Element {
  return (
    <dl>
      {entries.map(({ name, value, source }) => (
        <div key={`${name} ${value}`}>
          <dt>
            <bdi>{name}</bdi>
          </dt>
          <dd>
            <bdi>{value}</bdi>
            {source === null || source === 'default' ? null : <span class="quiet"> {source}</span>}
          </dd>
        </div>
      ))}
    </dl>
  )
}
