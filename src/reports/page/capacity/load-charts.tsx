import type { JSX } from 'preact'
import type { FoundCapacity, FoundLevel, LevelVerdict } from '#capacity'
import type { CapacityPage, PageCapacity } from '../../html/capacity-page.ts'
import { fixed, formatCount, formatMilliseconds, formatPercent } from '../../units.ts'
import { tickMilliseconds, tickPercent } from '../charts/ticks.ts'
import { XyPlot } from '../charts/xy-plot.tsx'
import { Figure } from '../layout.tsx'

/** The colour of a verdict, which always stands beside its word. */
const verdictClass: Readonly<Record<LevelVerdict, string>> = {
  kept: 'verdict-better',
  undecided: 'verdict-unresolved',
  broken: 'verdict-worse',
}

interface LoadChartsProps {
  readonly page: CapacityPage
  readonly contender: PageCapacity
}

/** What happens as the load rises: how many wait too long, and how long people wait. */
export function LoadCharts({ page, contender }: LoadChartsProps): JSX.Element {
  const { found } = contender
  return (
    <div class="figures">
      {page.finding.promises.map((promise) => (
        <Misses promise={promise} contender={contender} allowed={page.allowances[promise]} key={promise} />
      ))}
      <Waiting levels={found.levels} capacity={found.capacity} />
    </div>
  )
}

function Misses({
  promise,
  contender,
  allowed = 0,
}: {
  readonly promise: string
  readonly contender: PageCapacity
  readonly allowed: number | undefined
}): JSX.Element | null {
  const { levels, capacity } = contender.found
  const points = levels.flatMap((level) =>
    level.promises
      .filter((each) => each.promise === promise && each.requests > 0)
      .map(({ misses, requests, verdict }) => ({
        level,
        share: misses / requests,
        requests,
        misses,
        verdict,
      })),
  )
  if (points.length === 0) return null
  const most = Math.max(...points.map(({ share }) => share), 2 * allowed)
  return (
    <Figure
      title={`How many miss “${promise}”`}
      note={`Share of the requests; every dot is a load that was measured. The line is what the promise allows, ${formatPercent(allowed)}; the band is where the capacity lies, with 95% confidence.`}
    >
      <Verdicts />
      <XyPlot
        label={points
          .map(
            ({ level, share, verdict }) =>
              `${fixed(level.requestsPerSecond, 2)} a second: ${formatPercent(share)} miss, ${verdict}`,
          )
          .join('; ')}
        x={loadAxis(levels)}
        y={{ title: null, domain: [0, most * 1.08], format: tickPercent }}
      >
        {(x, y, { width, height }) => (
          <>
            <Band capacity={capacity} x={x} height={height} />
            <line class="zero" x1={56} x2={width - 14} y1={y(allowed)} y2={y(allowed)} />
            {points.map(({ level, share, verdict, misses, requests }) => (
              <circle
                class={`dot ${verdictClass[verdict]}`}
                cx={x(level.requestsPerSecond)}
                cy={y(share)}
                r={5}
                key={level.requestsPerSecond}
              >
                <title>{`${titleOf(level)}: ${formatCount(misses)} of ${formatCount(requests)} miss, ${verdict}`}</title>
              </circle>
            ))}
          </>
        )}
      </XyPlot>
    </Figure>
  )
}

const percentiles = [
  { key: 'p50Ms', name: 'median', tone: 'c0' },
  { key: 'p95Ms', name: '95th percentile', tone: 'c1' },
] as const

function Waiting({
  levels,
  capacity,
}: {
  readonly levels: readonly FoundLevel[]
  readonly capacity: FoundCapacity | null
}): JSX.Element | null {
  const times = levels.flatMap(({ p50Ms, p95Ms }) => [p50Ms, p95Ms].filter((time) => time !== null))
  if (times.length === 0) return null
  const isWide = Math.max(...times) > 12 * Math.min(...times)
  const lowest = Math.max(1, Math.min(...times))
  return (
    <Figure
      title="How long people wait"
      note={`From the moment a request is due until its answer, over all lengths of audio${isWide ? '; the axis is logarithmic' : ''}.`}
    >
      <ul class="legend" aria-label="Colours">
        {percentiles.map(({ name, tone }) => (
          <li key={name}>
            <span class="contender">
              <span class={`swatch ${tone}`} aria-hidden="true" />
              {name}
            </span>
          </li>
        ))}
      </ul>
      <XyPlot
        label={levels
          .map(
            ({ requestsPerSecond, p50Ms, p95Ms }) =>
              `${fixed(requestsPerSecond, 2)} a second: ${told(p50Ms)} and ${told(p95Ms)}`,
          )
          .join('; ')}
        x={loadAxis(levels)}
        y={{
          title: null,
          domain: isWide ? [lowest * 0.8, Math.max(...times) * 1.25] : [0, Math.max(...times) * 1.08],
          isLogarithmic: isWide,
          format: tickMilliseconds,
        }}
      >
        {(x, y, { height }) => (
          <>
            <Band capacity={capacity} x={x} height={height} />
            {percentiles.map(({ key, name, tone }) => {
              const known = levels.flatMap((level) => {
                const time = level[key]
                return time === null ? [] : [{ level, time }]
              })
              return (
                <g class={tone} key={key}>
                  <path
                    class="curve"
                    d={known
                      .map(
                        ({ level, time }, at) =>
                          `${at === 0 ? 'M' : 'L'}${x(level.requestsPerSecond)} ${y(time)}`,
                      )
                      .join('')}
                  />
                  {known.map(({ level, time }) => (
                    <circle class="dot" cx={x(level.requestsPerSecond)} cy={y(time)} r={3.5} key={time}>
                      <title>{`${titleOf(level)}: ${name} ${formatMilliseconds(time)}`}</title>
                    </circle>
                  ))}
                </g>
              )
            })}
          </>
        )}
      </XyPlot>
    </Figure>
  )
}

function Verdicts(): JSX.Element {
  return (
    <ul class="legend" aria-label="Colours">
      {(['kept', 'undecided', 'broken'] as const).map((verdict) => (
        <li key={verdict}>
          <span class="contender">
            <span class={`swatch ${verdictClass[verdict]}`} aria-hidden="true" />
            {verdict}
          </span>
        </li>
      ))}
    </ul>
  )
}

/** The interval of the capacity, and its estimate. */
function Band({
  capacity,
  x,
  height,
}: {
  readonly capacity: FoundCapacity | null
  readonly height: number
  x(load: number): number
}): JSX.Element | null {
  if (capacity === null) return null
  const { low, high, estimate } = capacity
  const [top, bottom] = [10, height - 40]
  const at = x(estimate.requestsPerSecond)
  return (
    <>
      {low === null || high === null ? null : (
        <rect
          class="margin"
          x={x(low.requestsPerSecond)}
          y={top}
          width={Math.max(1, x(high.requestsPerSecond) - x(low.requestsPerSecond))}
          height={bottom - top}
        />
      )}
      <line class="zero" x1={at} x2={at} y1={top} y2={bottom} />
    </>
  )
}

function loadAxis(levels: readonly FoundLevel[]) {
  const most = Math.max(...levels.map(({ requestsPerSecond }) => requestsPerSecond))
  return {
    title: 'requests a second',
    domain: [0, most * 1.05] as const,
    format: (value: number) => String(Number(value.toPrecision(4))),
  }
}

function titleOf({ requestsPerSecond, people }: FoundLevel): string {
  return `${fixed(requestsPerSecond, 2)} requests a second, ${fixed(people, 0)} people`
}

function told(time: number | null): string {
  return time === null ? 'not known' : formatMilliseconds(time)
}
