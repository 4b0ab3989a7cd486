import type { JSX } from 'preact'
import type { FoundCosts } from '#capacity/cost'
import type { FoundSweep } from '#capacity/found-loads'
import {
  type CapacityPage,
  fixed,
  formatCount,
  formatSeconds,
  formatTimes,
  money,
  type PageCapacity,
} from '#reports/page'
import { linePath, RowPlot, tickTimes, XyPlot } from './charts.tsx'
import { BigFigures, DataTable, Figure, Name, NameList, Parts, Section, TableFigure } from './layout.tsx'
import { LoadCharts } from './load-charts.tsx'
import { type Chip, graveChip, Head } from './warnings.tsx'

/** The load that a server sustains within its objectives, the number of users that it equals, and its cost. */
export function CapacityView({ page }: { readonly page: CapacityPage }): JSX.Element {
  return (
    <Parts
      answer={<Answer page={page} />}
      parts={[
        ...page.contenders.map((contender, index) => {
          const id = `contender-${index}`
          return {
            id,
            title: contender.found.id,
            draw: () => <Contender page={page} contender={contender} id={id} />,
          }
        }),
        { id: 'made', title: 'How it was measured', draw: () => <Made page={page} /> },
      ]}
    />
  )
}

function Answer({ page }: { readonly page: CapacityPage }): JSX.Element {
  const { contenders, finding } = page
  const [answer = '', ...others] = page.answers
  return (
    <Head
      overline="Capacity"
      chip={chooseChip(page)}
      answer={answer}
      facts={`${finding.host.cpuModel}, ${formatCount(finding.host.cpuCount)} processors · ${formatSeconds(finding.spentSeconds)} measured`}
      warnings={finding.remarks.map((remark) => ({ ...remark, code: null, advice: null }))}
    >
      <BigFigures
        label="The capacity"
        groups={contenders.map(({ found, figures }) => ({
          key: found.id,
          name: contenders.length === 1 ? null : <Name>{found.id}</Name>,
          figures,
        }))}
      />
      <NameList names={others} look="answers" />
    </Head>
  )
}

function Made({ page: { offers, conditions, late, command } }: { readonly page: CapacityPage }): JSX.Element {
  return (
    <Section id="made" title="How it was measured" lead={conditions}>
      {offers && (
        <TableFigure
          title="Accuracy, latency and cost"
          note="On the front: no other contender is as good in all three and better in one."
          label="Accuracy, latency and cost of all contenders"
          table={offers}
        />
      )}
      <div class="answers quiet">
        {late === null ? null : <p>{late}.</p>}
        <p>
          <code>{command}</code>
        </p>
      </div>
    </Section>
  )
}

/** The certainty of the answer. */
function chooseChip({ contenders, finding }: CapacityPage): Chip {
  const grave = graveChip(finding.remarks)
  if (grave !== null) return grave
  if (contenders.some(({ found }) => found.capacity?.basis !== 'measured'))
    return { tone: 'caution', text: '~ estimated' }
  return contenders.every(({ found }) => found.confirmation?.verdict === 'met')
    ? { tone: 'good', text: '✓ confirmed by a separate test' }
    : { tone: 'caution', text: '~ measured, not confirmed' }
}

function Contender(props: {
  readonly id: string
  readonly page: CapacityPage
  readonly contender: PageCapacity
}): JSX.Element {
  const { id, page, contender } = props
  const { found, strains, cold, whatIfs, reproductions, simulated, checks, yearly, yearlyNote, costs } =
    contender
  const burdens = [...strains, ...(cold === null ? [] : [`Cold: ${cold}.`])]
  return (
    <Section id={id} title={found.id} lead={contender.texts}>
      <LoadCharts page={page} found={found} />
      <DataTable label={`Loads of ${found.id}`} table={contender.levels} />
      <div class="figures">
        <SweepChart sweep={found.sweep} scaling={contender.scaling} />
        {found.costs === null ? null : <CostChart id={found.id} costs={found.costs} />}
      </div>
      <DataTable label={`Requests in flight at ${found.id}`} table={contender.sweep} />
      {burdens.length === 0 ? null : (
        <Figure title="Overload, long recordings and the cold start" isWide>
          <NameList names={burdens} />
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
      {yearly && (
        <TableFigure
          title="A year"
          note={yearlyNote ?? ''}
          label={`Yearly costs of ${found.id} and of providers`}
          table={yearly}
        />
      )}
      {costs && <TableFigure title="Costs" label={`Costs of ${found.id} and of providers`} table={costs} />}
    </Section>
  )
}

/** Cost per hour of audio, the cheapest first. */
function CostChart({ id, costs }: { readonly id: string; readonly costs: FoundCosts }): JSX.Element {
  const { currency, local, cloud } = costs
  const rows = [
    ...(local === null ? [] : [{ id, name: `${id}, this machine`, cost: local.perAudioHour, isOwn: true }]),
    ...cloud.map(({ id: key, name, perAudioHour }) => ({ id: key, name, cost: perAudioHour, isOwn: false })),
  ].toSorted((a, b) => a.cost - b.cost)
  const end = findEnd(rows.map(({ cost }) => cost))
  const isCut = rows.some(({ cost }) => cost > end)
  return (
    <Figure
      title="What an hour of audio costs"
      note={
        (local === null
          ? 'By the price lists, with their roundings and minimums.'
          : `This machine at ${Math.round(100 * local.utilisation)}% of its capacity, its energy ${local.energyIs}; the others by their price lists, with their roundings and minimums.`) +
        (isCut ? ' A bar that is broken at the right edge goes on: its figure says how far.' : '')
      }
    >
      <RowPlot
        label="Cost of an hour of audio"
        end={end}
        axisTitle={`${currency} for an hour of audio`}
        formatTick={(value) => String(Number(value.toPrecision(3)))}
        rows={rows.map(({ id: key, name, cost, isOwn }) => ({
          key,
          name: <Name>{name}</Name>,
          value: money(cost, currency),
          draw: (place, height) => (
            <g class={isOwn ? 'c0' : 'same'}>
              <rect
                class="fill"
                x={place(0)}
                y={4}
                width={Math.max(1, place(Math.min(end, cost)) - place(0) - (cost > end ? 14 : 0))}
                height={height - 8}
              />
              {(cost > end ? [11, 6, 1] : []).map((before) => (
                <rect class="fill" x={place(end) - before} y={4} width={3} height={height - 8} key={before} />
              ))}
            </g>
          ),
        }))}
      />
    </Figure>
  )
}

/** Ratio to the next cost above which a bar is cut off, because it would shrink all others to nothing. */
const farAbove = 5

/** With fewer costs than this, no bar is cut off, because their difference is the result. */
const fewestToCompare = 3

function findEnd(costs: readonly number[]): number {
  const [most = 0, next = most] = costs.toSorted((a, b) => b - a)
  return costs.length >= fewestToCompare && most > farAbove * next ? 1.3 * next : most
}

/** Speed by requests in flight, next to the line of perfect scaling. */
function SweepChart(props: { readonly sweep: FoundSweep; readonly scaling: string }): JSX.Element | null {
  const { sweep, scaling } = props
  const points = sweep.levels.flatMap(({ inFlight, speed }) => (speed === null ? [] : [{ inFlight, speed }]))
  const [alone] = points
  if (alone === undefined) return null
  const fastest = Math.max(...points.map(({ speed }) => speed))
  const highest = Math.max(...points.map(({ inFlight }) => inFlight))
  // The ideal line ends shortly above the fastest point, so that it does not compress the measured curve.
  const idealEnd = Math.min(highest, (1.15 * fastest * alone.inFlight) / alone.speed)
  return (
    <Figure
      title="Speed against requests in flight"
      note={`${scaling} Seconds of speech a second; below each point, how many servers of the first speed that is. On the dashed line each further request would be worked on like the first.`}
    >
      <XyPlot
        label={points
          .map(
            ({ inFlight, speed }) =>
              `${inFlight} in flight: ${formatTimes(speed)}, as ${fixed(speed / alone.speed, 1)} alone`,
          )
          .join('; ')}
        x={{
          title: 'requests in flight',
          domain: [0, highest * 1.06],
          isExact: true,
          ticks: points.map(({ inFlight }) => inFlight),
          format: String,
        }}
        y={{ title: null, domain: [0, fastest * 1.15], format: tickTimes }}
      >
        {(x, y) => (
          <g class="c0">
            <path
              class="front"
              d={linePath([
                [x(0), y(0)],
                [x(idealEnd), y((idealEnd * alone.speed) / alone.inFlight)],
              ])}
            />
            <path class="curve" d={linePath(points.map(({ inFlight, speed }) => [x(inFlight), y(speed)]))} />
            {points.map(({ inFlight, speed }) => (
              <g key={inFlight}>
                <circle class="dot" cx={x(inFlight)} cy={y(speed)} r={4} />
                <text class="point-name" x={x(inFlight)} y={y(speed) + 18} text-anchor="middle">
                  {fixed(speed / alone.speed, 1)}
                </text>
              </g>
            ))}
          </g>
        )}
      </XyPlot>
    </Figure>
  )
}
