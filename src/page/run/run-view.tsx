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
  DataTable,
  Facts,
  Figure,
  Fold,
  Name,
  type Part,
  Parts,
  Section,
  TableFigure,
} from '../layout.tsx'
import { findScoringProfile, type Subject } from '../utterances/library.ts'
import type { Review } from '../utterances/review.ts'
import { Utterances, type UtterancesProps } from '../utterances/utterances.tsx'
import { Accuracy } from './accuracy.tsx'
import { Answer } from './answer.tsx'
import { Errors } from './errors.tsx'
import { RunProvider, useRun } from './shown-run.tsx'
import { Speed } from './speed.tsx'
import { Tradeoff } from './tradeoff.tsx'
import { Matrix, Robustness } from './varied.tsx'

export interface RunViewProps {
  readonly page: RunPage
  readonly read: UtterancesProps['read']
  readonly review?: Review | null
}

interface RunSection extends Pick<Part, 'id' | 'title'> {
  Content(): JSX.Element | null
  /** Default: the section is always shown. */
  isShown?(page: RunPage): boolean
}

/** The sections in the order of a report, without the utterances: they are last but one, or first in a review. */
const reportSections: readonly RunSection[] = [
  { id: 'answer', title: 'Answer', Content: Answer },
  { id: 'accuracy', title: 'Accuracy', Content: Accuracy },
  {
    id: 'robustness',
    title: 'Robustness',
    Content: Robustness,
    isShown: ({ tables }) => tables.robustness !== null,
  },
  { id: 'speed', title: 'Speed', Content: Speed },
  {
    id: 'hardware',
    title: 'Hardware',
    Content: Hardware,
    isShown: ({ tables: { gpus, energy } }) => (gpus ?? energy) !== undefined,
  },
  { id: 'matrix', title: 'Matrix', Content: Matrix, isShown: ({ tables }) => tables.matrix !== undefined },
  { id: 'tradeoff', title: 'Accuracy against speed', Content: Tradeoff },
  { id: 'cost', title: 'Cost', Content: Costs, isShown: ({ evaluation }) => evaluation.costs !== null },
  { id: 'errors', title: 'What goes wrong', Content: Errors },
  { id: 'provenance', title: 'Provenance', Content: Provenance },
]

/** The page of one run, from the answer to the provenance. */
export function RunView({ page, read, review = null }: RunViewProps): JSX.Element {
  const subject = useMemo(() => findSubject(page), [page])
  const list = <Utterances subject={subject} read={read} review={review} />
  if (review?.isBlind === true) return list
  const parts = reportSections
    .filter(({ isShown }) => isShown?.(page) ?? true)
    .map(({ id, title, Content }) => ({ id, title, draw: () => <Content /> }))
  // A review begins with the utterances to decide, a report with its answer.
  const place = review === null ? parts.length - 1 : 0
  return (
    <RunProvider page={page}>
      <Parts
        parts={parts.toSpliced(place, 0, { id: 'utterances', title: 'Utterances', draw: () => list })}
        hasOwnEnd
      />
    </RunProvider>
  )
}

/** The data of a page that the list of utterances needs. */
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

/** Prices of providers next to the cost of this machine; null if no contender has a price. */
function Costs(): JSX.Element | null {
  const { page, evaluation, ids } = useRun()
  const { costs } = evaluation
  if (costs === null) return null
  const { machine, local, providers } = costs
  return (
    <Section id="cost" title="Cost">
      <Figure
        title="What an hour of audio costs, and when a machine of your own is cheaper"
        note={`A machine of your own costs ${formatDollars(machine.usdPerDay)} USD a day and ${formatDollars(machine.idleEnergyUsdPerDay)} USD for its idle power, whether it transcribes or not (${nameSource(machine)}). Another price list: --prices.`}
        isWide
      >
        {page.tables.costs && <DataTable label="Cost of the contenders" table={page.tables.costs} />}
        <ul class="named">
          {providers.map(({ contenderId, breakEven, ...price }) => (
            <li key={contenderId}>
              <ContenderName index={ids.indexOf(contenderId)} id={contenderId} />
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

function Hardware(): JSX.Element {
  const { gpus, energy } = useRun().page.tables
  return (
    <Section id="hardware" title="Hardware">
      {gpus && <TableFigure {...gpus} />}
      {energy && <TableFigure {...energy} />}
    </Section>
  )
}

/** How the figures were measured, and how to reproduce them. */
function Provenance(): JSX.Element {
  const { page, leads } = useRun()
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
            Definitions of all figures: <code>transcribench explain {rateMetrics[leads]}</code>, and the page{' '}
            <code>docs/metrics.md</code>.
          </p>
        </Figure>
      </div>
    </Section>
  )
}

/** Settings that differ from the defaults, and the defaults folded. */
function Group({ group: { title, entries } }: { readonly group: ProvenanceGroup }): JSX.Element {
  const defaults = entries.filter(({ source }) => source === 'default')
  const others = entries.filter(({ source }) => source !== 'default')
  return (
    <Figure title={title}>
      <Entries entries={others} />
      {defaults.length === 0 ? null : (
        <Fold
          title={`${others.length === 0 ? 'All ' : ''}${counted(defaults.length, 'setting')} at the default`}
        >
          <Entries entries={defaults} />
        </Fold>
      )}
    </Figure>
  )
}

function Entries({ entries }: { readonly entries: readonly ProvenanceEntry[] }): JSX.Element {
  return (
    <Facts
      facts={entries.map(({ name, value, source }) => ({
        key: `${name} ${value}`,
        name,
        value:
          source === null || source === 'default' ? (
            value
          ) : (
            <>
              <bdi>{value}</bdi> <span class="quiet">{source}</span>
            </>
          ),
      }))}
    />
  )
}
