import type { JSX } from 'preact'
import { type CapacityPage, formatCount, formatSeconds, type PageCapacity } from '#reports/page'
import { BigFigures } from '../big-figures.tsx'
import { DataTable } from '../data-table.tsx'
import { type Chip, Head } from '../head.tsx'
import { Figure, Name, Nav, type NavEntry, Section } from '../layout.tsx'
import { useStages } from '../run/stages.ts'
import { CostChart } from './cost-chart.tsx'
import { LoadCharts } from './load-charts.tsx'
import { SweepChart } from './sweep-chart.tsx'

/** How much load a server sustains within its objectives, for how many users that is, and at what price. */
export function CapacityView({ page }: { readonly page: CapacityPage }): JSX.Element {
  const { contenders, finding, offers } = page
  const entries: readonly NavEntry[] = [
    { id: 'answer', title: 'Answer' },
    ...contenders.map(({ found }, index) => ({ id: `contender-${index}`, title: found.id })),
    { id: 'made', title: 'How it was measured' },
  ]
  const drawn = useStages(entries.length)
  const [answer = '', ...others] = page.answers
  return (
    <>
      <Nav entries={entries} isReady={drawn === entries.length} />
      <Head
        overline="Capacity"
        chip={chipOf(page)}
        answer={answer}
        facts={`${finding.host.cpuModel}, ${formatCount(finding.host.cpuCount)} processors · ${formatSeconds(finding.spentSeconds)} measured`}
        warnings={finding.remarks.map(({ severity, message }) => ({
          code: null,
          severity,
          message: message.replace(/\.$/, ''),
          advice: null,
        }))}
      >
        <BigFigures
          label="The capacity"
          groups={contenders.map(({ found, figures }) => ({
            key: found.id,
            name: contenders.length === 1 ? null : <Name>{found.id}</Name>,
            figures,
          }))}
        />
        <div class="answers">
          {others.map((sentence) => (
            <p key={sentence}>
              <Name>{sentence}</Name>
            </p>
          ))}
        </div>
      </Head>
      {contenders.slice(0, drawn - 1).map((contender, index) => (
        <Contender page={page} contender={contender} id={`contender-${index}`} key={contender.found.id} />
      ))}
      {drawn < entries.length ? null : (
        <Section id="made" title="How it was measured" lead={page.conditions}>
          {offers === null ? null : (
            <Figure
              title="Accuracy, latency and cost"
              note="On the front: no other contender is as good in all three and better in one."
              isWide
            >
              <DataTable label="Accuracy, latency and cost of all contenders" table={offers} />
            </Figure>
          )}
          <div class="answers quiet">
            {page.late === null ? null : <p>{page.late}.</p>}
            <p>
              <code>{page.command}</code>
            </p>
          </div>
        </Section>
      )}
    </>
  )
}

/** How sure the answer is. */
function chipOf({ contenders, finding }: CapacityPage): Chip {
  if (finding.remarks.some(({ severity }) => severity === 'invalid'))
    return { tone: 'bad', text: '✗ not valid' }
  if (finding.remarks.some(({ severity }) => severity === 'decisive'))
    return { tone: 'caution', text: '! decisive finding' }
  if (contenders.some(({ found }) => found.capacity?.basis !== 'measured'))
    return { tone: 'caution', text: '~ estimated' }
  return contenders.every(({ found }) => found.confirmation?.verdict === 'met')
    ? { tone: 'good', text: '✓ confirmed by a separate test' }
    : { tone: 'caution', text: '~ measured, not confirmed' }
}

interface ContenderProps {
  readonly id: string
  readonly page: CapacityPage
  readonly contender: PageCapacity
}

function Contender({ id, page, contender }: ContenderProps): JSX.Element {
  const { found, whatIfs, reproductions, simulated, checks, yearly, yearlyNote, costs } = contender
  return (
    <Section id={id} title={found.id} lead={contender.texts}>
      <LoadCharts page={page} contender={contender} />
      <DataTable label={`Loads of ${found.id}`} table={contender.levels} />
      <div class="figures">
        <SweepChart sweep={found.sweep} scaling={contender.scaling} />
        {found.costs === null ? null : <CostChart id={found.id} costs={found.costs} />}
      </div>
      <DataTable label={`Requests in flight at ${found.id}`} table={contender.sweep} />
      {contender.strains.length === 0 && contender.cold === null ? null : (
        <Figure title="Overload, long recordings and the cold start" isWide>
          <ul class="named">
            {[...contender.strains, ...(contender.cold === null ? [] : [`Cold: ${contender.cold}.`])].map(
              (sentence) => (
                <li key={sentence}>{sentence}</li>
              ),
            )}
          </ul>
        </Figure>
      )}
      {reproductions === null ? null : (
        <Figure
          title="What if"
          note="A simulation of the queue, made from what requests took alone and several at once, next to the loads that were measured. It answers where it reproduces two of them."
          isWide
        >
          {whatIfs === null ? null : <DataTable label="Uses that were not measured" table={whatIfs} />}
          <ul class="named">
            {simulated.map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
            {checks.map(({ question, command }) => (
              <li key={question}>
                To measure “{question}”: <code>{command}</code>
              </li>
            ))}
          </ul>
          <DataTable label="Measured and simulated" table={reproductions} />
        </Figure>
      )}
      {yearly === null ? null : (
        <Figure title="A year" note={yearlyNote ?? ''} isWide>
          <DataTable label={`Yearly costs of ${found.id} and of providers`} table={yearly} />
        </Figure>
      )}
      {costs === null ? null : (
        <Figure title="Costs" isWide>
          <DataTable label={`Costs of ${found.id} and of providers`} table={costs} />
        </Figure>
      )}
    </Section>
  )
}
