import type { JSX } from 'preact'
import { capitalised, counted, formatMeasured, type HistoryPage, type PageTrend } from '#reports/page'
import { DottedCurve, tickOf, XyPlot } from './charts.tsx'
import {
  BigFigures,
  Figure,
  Legend,
  Name,
  NameList,
  type Part,
  Parts,
  pickColour,
  Section,
} from './layout.tsx'
import { Head } from './warnings.tsx'

/** Figures over the runs of a folder, and the runs at which they changed. */
export function HistoryView({ page }: { readonly page: HistoryPage }): JSX.Element {
  const { answer, groups, latest, leftOut, runCount } = page
  return (
    <Parts
      answer={
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
      }
      parts={trendParts(groups)}
      end={leftOut.length === 0 ? null : <LeftOut runIds={leftOut} />}
    />
  )
}

function LeftOut({ runIds }: { readonly runIds: readonly string[] }): JSX.Element {
  return (
    <Section id="left-out" title="Left out">
      <Figure
        title={`${counted(runIds.length, 'run')} without a valid score`}
        note="Never finished, not valid, or of another version. transcribench score gives a run its figures again."
      >
        <NameList names={runIds} />
      </Figure>
    </Section>
  )
}

/** The groups of comparable runs with their trends, titled by corpus and by the conditions that not all share. */
export function trendParts(groups: HistoryPage['groups']): readonly Part[] {
  const contenders = [
    ...new Set(groups.flatMap(({ trends }) => trends.map(({ contenderId }) => contenderId))),
  ]
  const all = groups.map(({ conditions }) => conditions.split(' · '))
  return groups.map(({ trends }, index) => {
    const id = `trends-${index}`
    const [corpus = '', ...others] = all[index] ?? []
    const isShared = (part: string): boolean => all.every((parts) => parts.includes(part))
    const title = [corpus, ...others.filter((part) => !isShared(part))].join(' · ')
    return {
      id,
      title,
      draw: () => (
        <Section id={id} title={title} lead={others.filter(isShared).join(' · ')}>
          <Trends trends={trends} contenders={contenders} />
        </Section>
      ),
    }
  })
}

interface TrendsProps {
  readonly trends: readonly PageTrend[]
  /** All contenders of the page; the index of each is its colour. */
  readonly contenders: readonly string[]
}

/** One figure for every metric, with a line for every contender. */
function Trends({ trends, contenders }: TrendsProps): JSX.Element {
  const metrics = [...Map.groupBy(trends, ({ metric }) => metric).values()]
  return (
    <div class="figures">
      {metrics.map((metricTrends) => (
        <MetricTrend trends={metricTrends} contenders={contenders} key={metricTrends[0]?.metric} />
      ))}
    </div>
  )
}

function MetricTrend({ trends, contenders }: TrendsProps): JSX.Element | null {
  const [first] = trends
  if (first === undefined) return null
  const { name, unit, better, metric } = first
  // Runs are drawn at equal distances, because their order matters, not the time between them.
  const runs = [
    ...new Map(trends.flatMap(({ points }) => points).map((point) => [point.runId, point.startedAt])),
  ].toSorted(([, a], [, b]) => (a < b ? -1 : 1))
  const placeOf = new Map(runs.map(([runId], index) => [runId, index + 1]))
  const values = trends.flatMap(({ points }) => points.map(({ value }) => value))
  const format = (value: number): string => formatMeasured(value, unit)
  // The growth of memory may be below zero.
  const [lowest, highest] = [Math.min(0, ...values), Math.max(0, ...values)]
  const at = (runId: string): number => placeOf.get(runId) ?? 0
  return (
    <Figure
      title={capitalised(name)}
      note={`${metric}; ${better} is better.${trends.some(({ changes }) => changes.length > 0) ? ' Dashed lines are the levels between changes; a ring marks the first run of a new level.' : ''}`}
    >
      <Legend
        label="Colours and last figures"
        contenders={trends.map(({ contenderId, points }) => ({
          index: contenders.indexOf(contenderId),
          id: contenderId,
          text: points.at(-1)?.text,
        }))}
      />
      <XyPlot
        height={220}
        label={trends.map(trendText).join('; ')}
        x={{
          title: `runs, from ${dayText(runs[0])} to ${dayText(runs.at(-1))}`,
          domain: [0.5, runs.length + 0.5],
          isExact: true,
          ticks: runs.length <= 12 ? runs.map((_, index) => index + 1) : undefined,
          format: (place) => String(place),
        }}
        y={{
          title: null,
          domain: [lowest * 1.08, highest === lowest ? 1 : highest * 1.08],
          format: tickOf[unit],
        }}
      >
        {(x, y) =>
          trends.map(({ contenderId, points, changes }) => (
            <g class={pickColour(contenders.indexOf(contenderId))} key={contenderId}>
              <DottedCurve
                radius={points.length > 60 ? 2 : 3.5}
                points={points.map(({ runId, value, text }) => ({
                  left: x(at(runId)),
                  top: y(value),
                  title: `${runId}: ${text}`,
                }))}
              />
              {changes.map(({ runId, before, after }) => (
                <circle
                  class="ring"
                  cx={x(at(runId))}
                  cy={y(points.find((point) => point.runId === runId)?.value ?? after)}
                  r={8}
                  key={runId}
                >
                  <title>{`${runId}: ${format(before)} → ${format(after)}`}</title>
                </circle>
              ))}
              {findLevels(changes, points.length).map(({ from, to, level }) => (
                <line
                  class="level"
                  x1={x(at(points[from - 1]?.runId ?? '') - 0.4)}
                  x2={x(at(points[to - 1]?.runId ?? '') + 0.4)}
                  y1={y(level)}
                  y2={y(level)}
                  key={from}
                />
              ))}
            </g>
          ))
        }
      </XyPlot>
      <Changes trends={trends} format={format} />
    </Figure>
  )
}

/** The stretches between changes, with run numbers from 1; empty without changes. */
function findLevels(
  changes: PageTrend['changes'],
  runCount: number,
): readonly { readonly from: number; readonly to: number; readonly level: number }[] {
  const [first] = changes
  if (first === undefined) return []
  const levels = [first.before, ...changes.map(({ after }) => after)]
  return levels.map((level, index) => ({
    from: changes[index - 1]?.runNumber ?? 1,
    to: (changes[index]?.runNumber ?? runCount + 1) - 1,
    level,
  }))
}

function trendText({ contenderId, points }: PageTrend): string {
  const [first, last] = [points[0], points.at(-1)]
  if (first === undefined || last === undefined) return contenderId
  return points.length === 1
    ? `${contenderId}: ${last.text} in one run`
    : `${contenderId}: ${first.text} to ${last.text} over ${counted(points.length, 'run')}`
}

function dayText(run: readonly [string, string] | undefined): string {
  return run?.[1].slice(0, 10) ?? ''
}

interface ChangesProps {
  readonly trends: readonly PageTrend[]
  format(value: number): string
}

function Changes({ trends, format }: ChangesProps): JSX.Element | null {
  const rows = trends.flatMap(({ contenderId, changes, points }) =>
    changes.map((change) => ({ contenderId, runCount: points.length, ...change })),
  )
  if (rows.length === 0) return null
  return (
    <ul class="named">
      {rows.map(({ contenderId, runId, runNumber, runCount, before, after, difference, verdict }) => (
        <li key={contenderId + runId}>
          <Name>{contenderId}</Name> <span class={verdict === 'worse' ? 'bad' : 'good'}>{verdict}</span>:{' '}
          {format(before)} → {format(after)} ({difference}){' '}
          <span class="quiet">
            from run {runNumber} of {runCount} on,
          </span>{' '}
          <Name>{runId}</Name>
        </li>
      ))}
    </ul>
  )
}
