import type { JSX } from 'preact'
import type { FoundCapacity, FoundLevel, LevelVerdict } from '#capacity/found-loads'
import {
  type CapacityPage,
  fixed,
  formatCount,
  formatMilliseconds,
  formatPercent,
  type PageCapacity,
} from '#reports/page'
import { DottedCurve, positiveRange, type Scale, tickMilliseconds, tickPercent, XyPlot } from './charts.tsx'
import { Figure, Legend, pickColour } from './layout.tsx'

/** CSS class of a verdict's colour; the word of the verdict is always next to it. */
const verdictClass: Readonly<Record<LevelVerdict, string>> = {
  met: 'verdict-better',
  undecided: 'verdict-unresolved',
  violated: 'verdict-worse',
}

interface LoadProps {
  readonly page: CapacityPage
  readonly found: PageCapacity['found']
}

/** Misses, response times, and requests in the system by load. */
export function LoadCharts({ page, found }: LoadProps): JSX.Element {
  return (
    <div class="figures">
      {page.finding.objectives.map((objective) => (
        <Misses page={page} found={found} objective={objective} key={objective} />
      ))}
      <Waiting page={page} found={found} />
      <Standing found={found} />
    </div>
  )
}

/** The share of requests that miss one objective, at each load. */
function Misses(props: LoadProps & { readonly objective: string }): JSX.Element | null {
  const { page, found, objective } = props
  const allowed = page.allowances[objective] ?? 0
  const points = found.levels.flatMap((level) => {
    const result = level.objectives.find((each) => each.objective === objective)
    return result === undefined || result.missRate === null
      ? []
      : [{ level, ...result, ...result.missRate.interval, share: result.missRate.estimate }]
  })
  if (points.length === 0) return null
  // Intervals of few requests are wide, so they are cut at the edge instead of compressing the dots.
  const highest = Math.min(
    1,
    Math.max(...points.map(({ share, high }) => Math.min(high, 2 * share + 0.1)), 2 * allowed),
  )
  return (
    <Figure
      title={`Requests that miss “${objective}”`}
      note={`Share of the requests at each load that was measured, with its lower and upper 95% bound. The horizontal line is what the objective allows, ${formatPercent(allowed)}; the band is the 95% interval of the capacity.`}
    >
      <Legend contenders={Object.entries(verdictClass).map(([id, index]) => ({ id, index }))} />
      <XyPlot
        label={points
          .map(
            ({ level, share, low, high, verdict }) =>
              `${fixed(level.requestsPerSecond, 2)} per second: ${formatPercent(share)} miss (${formatPercent(low)} to ${formatPercent(high)}), ${verdict}`,
          )
          .join('; ')}
        x={loadAxis(found)}
        y={{ title: null, domain: [0, highest * 1.04], format: tickPercent }}
      >
        {(x, y) => {
          const top = y.domain()[1] ?? 1
          return (
            <>
              <Band capacity={found.capacity} x={x} y={y} />
              <Level x={x} at={y(allowed)} text={`allowed: ${formatPercent(allowed)}`} />
              {points.map(({ level, share, low, high, misses, requests, verdict }) => {
                const at = x(level.requestsPerSecond)
                return (
                  <g class={verdictClass[verdict]} key={level.requestsPerSecond}>
                    <line class="whisker" x1={at} x2={at} y1={y(low)} y2={y(Math.min(top, high))} />
                    <circle class="dot" cx={at} cy={y(share)} r={5}>
                      <title>{`${loadText(level)}: ${formatCount(misses)} of ${formatCount(requests)} miss, ${verdict}`}</title>
                    </circle>
                  </g>
                )
              })}
            </>
          )
        }}
      </XyPlot>
    </Figure>
  )
}

/** Requests in the system by load: a queue that grows faster than the load shows an overloaded server. */
function Standing({ found }: Pick<LoadProps, 'found'>): JSX.Element | null {
  const { levels, capacity } = found
  if (levels.length === 0) return null
  const highest = Math.max(...levels.map(({ meanInSystem }) => meanInSystem))
  return (
    <Figure
      title="Requests in the system"
      note="Requests that wait or are worked on, mean over the time that was measured. Hollow points: the queue grew, or may have grown."
    >
      <XyPlot
        label={levels
          .map(
            ({ requestsPerSecond, meanInSystem, stability }) =>
              `${fixed(requestsPerSecond, 2)} per second: ${fixed(meanInSystem, 1)}, stability ${stability}`,
          )
          .join('; ')}
        x={loadAxis(found)}
        y={{ title: null, domain: [0, Math.max(1, highest) * 1.08], format: String }}
      >
        {(x, y) => (
          <>
            <Band capacity={capacity} x={x} y={y} />
            <g class="c0">
              <DottedCurve
                radius={4}
                points={levels.map((level) => ({
                  left: x(level.requestsPerSecond),
                  top: y(level.meanInSystem),
                  title: `${loadText(level)}: ${fixed(level.meanInSystem, 1)} in the system, stability ${level.stability}`,
                  isHollow: level.stability !== 'met',
                }))}
              />
            </g>
          </>
        )}
      </XyPlot>
    </Figure>
  )
}

const percentiles = [
  { key: 'p50Ms', id: 'median', index: 0 },
  { key: 'p95Ms', id: '95th percentile', index: 1 },
] as const

function Waiting({ page, found }: LoadProps): JSX.Element | null {
  const { levels, capacity } = found
  const { limits, finding } = page
  const times = levels.flatMap(({ p50Ms, p95Ms }) => [p50Ms, p95Ms].filter((time) => time !== null))
  if (times.length === 0) return null
  const drawn = [...times, ...limits.map(({ limitMs }) => limitMs)]
  const isWide = Math.max(...drawn) > 12 * Math.min(...drawn)
  const [lowest, highest] = positiveRange(drawn)
  const isByLength = limits.some(({ isSame }) => !isSame)
  return (
    <Figure
      title="Response times"
      note={`From the moment a request is due to its answer, over all lengths of audio${isWide ? '; the axis is logarithmic' : ''}.${isByLength ? ` A horizontal line is the objective for audio of ${fixed(finding.corpus.meanAudioSeconds, 1)} s, the mean length: shorter audio has less time, longer has more.` : limits.length > 0 ? ' A horizontal line is the objective.' : ''}`}
    >
      <Legend contenders={percentiles} />
      <XyPlot
        label={levels
          .map(
            ({ requestsPerSecond, p50Ms, p95Ms }) =>
              `${fixed(requestsPerSecond, 2)} per second: ${timeText(p50Ms)} and ${timeText(p95Ms)}`,
          )
          .join('; ')}
        x={loadAxis(found)}
        y={{
          title: null,
          domain: isWide ? [lowest * 0.8, highest * 1.25] : [0, highest * 1.08],
          isLogarithmic: isWide,
          format: tickMilliseconds,
        }}
      >
        {(x, y) => (
          <>
            <Band capacity={capacity} x={x} y={y} />
            {limits.map(({ objective, limitMs }) => (
              <Level
                x={x}
                at={y(limitMs)}
                text={`objective: ${formatMilliseconds(limitMs)}`}
                key={objective}
              />
            ))}
            {percentiles.map(({ key, id, index }) => (
              <g class={pickColour(index)} key={key}>
                <DottedCurve
                  radius={3.5}
                  points={levels.flatMap((level) => {
                    const time = level[key]
                    if (time === null) return []
                    const title = `${loadText(level)}: ${id} ${formatMilliseconds(time)}`
                    const top = y(isWide ? Math.max(lowest, time) : time)
                    return { left: x(level.requestsPerSecond), top, title }
                  })}
                />
              </g>
            ))}
          </>
        )}
      </XyPlot>
    </Figure>
  )
}

/** A band for the interval of the capacity, with a line at its estimate. */
function Band(props: {
  readonly capacity: FoundCapacity | null
  readonly x: Scale
  readonly y: Scale
}): JSX.Element | null {
  const { capacity, x, y } = props
  if (capacity === null) return null
  const { low, high, estimate } = capacity
  const [bottom = 0, top = 0] = y.range()
  const [, right = 0] = x.range()
  const at = x(estimate.requestsPerSecond)
  return (
    <>
      <rect
        class="margin"
        x={x(low.requestsPerSecond)}
        y={top}
        width={Math.max(1, Math.min(right, x(high.requestsPerSecond)) - x(low.requestsPerSecond))}
        height={bottom - top}
      />
      <line class="zero" x1={at} x2={at} y1={top} y2={bottom} />
    </>
  )
}

/** A limit across the whole drawing, with its label at the left end, where the curves leave space. */
function Level(props: { readonly x: Scale; readonly at: number; readonly text: string }): JSX.Element {
  const { x, at, text } = props
  const [left = 0, right = 0] = x.range()
  return (
    <>
      <line class="front" x1={left} x2={right} y1={at} y2={at} />
      <text class="point-name" x={left + 6} y={at - 6}>
        {text}
      </text>
    </>
  )
}

/** Maximum of an interval's end as a multiple of the highest load; a wider interval is cut off. */
const widestBand = 1.5

function loadAxis({ levels, capacity }: LoadProps['found']) {
  const highest = Math.max(...levels.map(({ requestsPerSecond }) => requestsPerSecond))
  const high = Math.min(widestBand * highest, capacity?.high?.requestsPerSecond ?? 0)
  return {
    title: 'requests per second',
    domain: [0, Math.max(highest, high) * 1.05] as const,
    format: (value: number) => String(Number(value.toPrecision(4))),
  }
}

function loadText({ requestsPerSecond, concurrentUsers }: FoundLevel): string {
  return `${fixed(requestsPerSecond, 2)} requests per second, ${fixed(concurrentUsers, 0)} users`
}

function timeText(time: number | null): string {
  return time === null ? 'not known' : formatMilliseconds(time)
}
