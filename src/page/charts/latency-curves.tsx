import type { JSX } from 'preact'
import { colourOf } from '../layout.tsx'
import { tickMilliseconds, tickPercent } from './ticks.ts'
import { XyPlot } from './xy-plot.tsx'

export interface LatencyCurvesProps {
  /** What is seen, in a sentence. */
  readonly label: string
  /** Quantiles 0, 0.01, …, 1 in milliseconds, each with the place that gives it its colour. */
  readonly curves: readonly { readonly index: number; readonly quantilesMs: readonly number[] }[]
}

/** The share of the answers that had come after so long, a curve each, on a logarithmic axis of time. */
export function LatencyCurves({ label, curves }: LatencyCurvesProps): JSX.Element {
  const positive = curves.flatMap(({ quantilesMs }) => quantilesMs).filter((value) => value > 0)
  const [low, high] = [Math.min(...positive), Math.max(...positive)]
  return (
    <XyPlot
      label={label}
      x={{
        title: 'latency, logarithmic',
        domain: low < high ? [low, high] : [low * 0.9, low * 1.1],
        isLogarithmic: true,
        format: tickMilliseconds,
      }}
      y={{ title: 'answered', domain: [0, 1], format: tickPercent }}
    >
      {(x, y) =>
        curves.map(({ index, quantilesMs }) => (
          <path
            class={`curve ${colourOf(index)}`}
            d={quantilesMs
              .map((value, at) => `${at === 0 ? 'M' : 'L'}${x(Math.max(low, value))} ${y(at / 100)}`)
              .join('')}
            key={index}
          />
        ))
      }
    </XyPlot>
  )
}
