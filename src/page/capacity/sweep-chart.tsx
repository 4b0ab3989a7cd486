import type { JSX } from 'preact'
import type { FoundSweep } from '#capacity'
import { fixed, formatTimes } from '#reports/page'
import { tickTimes } from '../charts/ticks.ts'
import { XyPlot } from '../charts/xy-plot.tsx'
import { Figure } from '../layout.tsx'

/** Speed by requests in flight, next to the line of perfect scaling. */
export function SweepChart({
  sweep,
  scaling,
}: {
  readonly sweep: FoundSweep
  readonly scaling: string
}): JSX.Element | null {
  const points = sweep.levels.flatMap(({ inFlight, speed }) => (speed === null ? [] : [{ inFlight, speed }]))
  const [alone] = points
  if (alone === undefined) return null
  const fastest = Math.max(...points.map(({ speed }) => speed))
  const most = Math.max(...points.map(({ inFlight }) => inFlight))
  // Beyond the fastest the ideal line would only push what was measured to the ground.
  const idealEnd = Math.min(most, (1.15 * fastest * alone.inFlight) / alone.speed)
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
          domain: [0, most * 1.06],
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
              d={`M${x(0)} ${y(0)}L${x(idealEnd)} ${y((idealEnd * alone.speed) / alone.inFlight)}`}
            />
            <path
              class="curve"
              d={points
                .map(({ inFlight, speed }, at) => `${at === 0 ? 'M' : 'L'}${x(inFlight)} ${y(speed)}`)
                .join('')}
            />
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
