import type { ComponentChildren, JSX } from 'preact'
import type { Timeline } from '#analysis/figures/drawings'
import { sumOf } from '#prelude'
import {
  counted,
  fittedParts,
  formatCount,
  formatMilliseconds,
  formatSeconds,
  orAbsent,
  type RunPage,
  speedSentence,
  withheldSentence,
} from '#reports/page'
import { LatencyCurves, linePath, positiveRange, tickMilliseconds, tickSeconds, XyPlot } from '../charts.tsx'
import {
  ContenderName,
  Figure,
  Fold,
  FoldedTable,
  Legend,
  Name,
  pickColour,
  Section,
  TableFigure,
} from '../layout.tsx'
import { useRun } from './shown-run.tsx'

/** Latencies, the factors that they depend on, and failures. */
export function Speed(): JSX.Element {
  const { page } = useRun()
  const { waiting, targets } = page.tables
  const isAnswered = page.drawings.some(({ answeredCount }) => answeredCount > 0)
  return (
    <Section id="speed" title="Speed" lead={countedFrom(page)}>
      <Compared />
      {isAnswered ? (
        <div class="figures">
          <LatencyByLength />
          <LatencyDistribution />
          <LatencyFigures />
        </div>
      ) : (
        <p class="quiet">{noLatency(page)}</p>
      )}
      {page.timeline && <Course timeline={page.timeline} />}
      <TableFigure
        title="Where the time goes"
        note="Latency ends with the last byte received. What it has beyond the server’s own figures is transport and queue. The first request of all carries the loading of the model and is in no other figure."
        table={waiting}
      />
      {targets && (
        <TableFigure
          title="Targets and networks"
          note="Accuracy compares whatever machine a contender runs on. Latency includes the way to the target: connecting, uploading, and one round trip at least. Speed is that of each machine behind its network."
          table={targets}
        />
      )}
      <Failures />
    </Section>
  )
}

/** Why there are no latencies: only answers in the steady part of a block have one. */
function noLatency({ evaluation: { contenders } }: RunPage): string {
  return contenders.some(({ counts }) => counts.answered > 0)
    ? 'No answer lies between the first completion and the last start of a block, so there is no latency to show. It takes longer blocks.'
    : 'No request was answered, so there is no latency to show.'
}

/** Under an open load and with users, latency is the wait of a person; under a closed load it is the time that a request takes. */
function countedFrom({ evaluation: { load } }: RunPage): string {
  return load.latencyCountsFrom === 'due'
    ? 'Requests have due times: latency counts from the moment a request was due, so waiting for the ones before it is part of it.'
    : 'The load is closed: latency counts from the sending, and nothing is sent before there is room for it.'
}

/** Maximum number of unfolded pairs. */
const maxPairs = 6

/** The faster contender of every pair, if the difference is resolved; otherwise the reason. */
function Compared(): JSX.Element | null {
  const { evaluation } = useRun()
  const { speeds, contenders } = evaluation
  const withheld = withheldSentence(evaluation)
  if (withheld !== null) {
    const reach = contenders.length > 1 ? 'What is shown below does not say which contender is faster.' : ''
    return (
      <p class="caution">
        ~ {withheld} {reach}
      </p>
    )
  }
  if (speeds.pairs.length === 0) return null
  return (
    <NamedList
      foldedTitle={speeds.pairs.length > maxPairs ? 'Which of every two contenders is faster' : null}
    >
      {speeds.pairs.map((pair) => (
        <li key={`${pair.faster} ${pair.slower}`}>
          {pair.verdict === 'faster' || speeds.pairs.length === 1 ? null : (
            <span class="quiet">
              <Name>{pair.faster}</Name> and <Name>{pair.slower}</Name>:{' '}
            </span>
          )}
          <Name>{speedSentence(pair, speeds)}</Name>
        </li>
      ))}
    </NamedList>
  )
}

function LatencyByLength(): JSX.Element {
  const { page, contenders, ids } = useRun()
  const { drawings } = page
  const points = drawings.flatMap(({ latencyPoints }) => latencyPoints)
  const total = sumOf(drawings, ({ answeredCount }) => answeredCount)
  const [lengths, longest] = findDomain(points.map(([seconds]) => seconds))
  const [latencies, slowest] = findDomain(points.map(([, latencyMs]) => latencyMs))
  const shown =
    points.length < total ? ` ${formatCount(points.length)} of ${formatCount(total)} are drawn.` : ''
  const fitted = drawings.some(({ latencyLine }) => latencyLine.length > 0)
    ? ' The line is the fitted latency: a fixed cost and so much for every second of audio.'
    : ''
  return (
    <Figure
      title="Latency against length of the audio"
      note={`Every dot is one answered request.${shown}${fitted}`}
    >
      <Legend contenders={contenders} />
      <XyPlot
        label={`Latency of up to ${formatMilliseconds(slowest)} against audio of up to ${formatSeconds(longest)}`}
        x={{ title: 'audio, logarithmic', domain: lengths, isLogarithmic: true, format: tickSeconds }}
        y={{
          title: 'latency, logarithmic',
          domain: latencies,
          isLogarithmic: true,
          format: tickMilliseconds,
        }}
      >
        {(x, y) =>
          drawings.map(({ latencyPoints, latencyLine }, index) => (
            <g class={pickColour(index)} key={ids[index]}>
              {/* Zero-length lines with round ends are drawn as dots, in one element instead of hundreds. */}
              <path
                class="points"
                d={latencyPoints
                  .map(
                    ([seconds, latencyMs]) =>
                      `M${x(Math.max(lengths[0], seconds))} ${y(Math.max(latencies[0], latencyMs))}h0`,
                  )
                  .join('')}
              />
              <path
                class="curve"
                d={linePath(
                  latencyLine
                    .filter(([seconds, latencyMs]) => seconds > 0 && latencyMs >= latencies[0])
                    .map(([seconds, latencyMs]) => [x(seconds), y(latencyMs)]),
                )}
              />
            </g>
          ))
        }
      </XyPlot>
    </Figure>
  )
}

/** The fitted lines and percentiles by length, as tables. */
function LatencyFigures(): JSX.Element {
  const { lengths, predictions } = useRun().page.tables
  return (
    <Figure
      title="Latency by length, in figures"
      note="The fixed cost of a request and that of a second of audio."
    >
      <FittedLatency />
      <Crossovers />
      {lengths && <FoldedTable title="Percentiles by length" table={lengths} />}
      {predictions && (
        <FoldedTable
          title="What other lengths are expected to take (~ shorter or longer than any that was measured)"
          table={predictions}
        />
      )}
    </Figure>
  )
}

/** The range of an axis, with a margin so that no dot is cut, and the largest value. */
function findDomain(
  values: readonly number[],
): readonly [domain: readonly [low: number, high: number], largest: number] {
  const [low, high] = positiveRange(values)
  return [[low / 1.05, high * 1.05], Math.max(0, ...values)]
}

/** Maximum number of unfolded fitted lines. */
const maxOpen = 4

/** The parts of every fitted line, with their intervals. */
function FittedLatency(): JSX.Element {
  const { contenders } = useRun()
  return (
    <NamedList
      foldedTitle={
        contenders.length > maxOpen
          ? `The fitted latency of each of the ${contenders.length} contenders`
          : null
      }
    >
      {contenders.map(({ index, id, figures: { latencyModel } }) => (
        <li key={id}>
          <ContenderName index={index} id={id} />{' '}
          {latencyModel.value === null ? (
            <span class="quiet">no line: {latencyModel.reason}</span>
          ) : (
            fittedParts(latencyModel)
          )}
        </li>
      ))}
    </NamedList>
  )
}

interface NamedListProps {
  /** Title of the fold; null for an unfolded list. */
  readonly foldedTitle: string | null
  readonly children: ComponentChildren
}

function NamedList({ foldedTitle, children }: NamedListProps): JSX.Element {
  const list = <ul class="named">{children}</ul>
  return foldedTitle === null ? list : <Fold title={foldedTitle}>{list}</Fold>
}

/** The audio length from which another contender is faster. */
function Crossovers(): JSX.Element | null {
  const { evaluation } = useRun()
  const resolved = evaluation.speeds.crossovers.flatMap(({ first, second, crossover }) =>
    crossover.kind === 'unresolved' ? [] : [{ first, second, crossover }],
  )
  if (resolved.length === 0) return null
  return (
    <ul class="named">
      {resolved.map(({ first, second, crossover }) => {
        if (crossover.kind === 'none') {
          const [faster, slower] = crossover.faster === 'first' ? [first, second] : [second, first]
          return (
            <li key={`${first} ${second}`}>
              <Name>{faster}</Name> is faster than <Name>{slower}</Name> at every measured length.
            </li>
          )
        }
        const { audioSeconds, interval, fasterBelow } = crossover
        const [below, above] = fasterBelow === 'first' ? [first, second] : [second, first]
        return (
          <li key={`${first} ${second}`}>
            Up to {formatSeconds(audioSeconds)}
            {interval === null
              ? ''
              : ` (95% ${formatSeconds(interval.low)} to ${formatSeconds(interval.high)})`}{' '}
            <Name>{below}</Name> is faster, beyond that <Name>{above}</Name>.
          </li>
        )
      })}
    </ul>
  )
}

function LatencyDistribution(): JSX.Element {
  const { page, contenders } = useRun()
  return (
    <Figure
      title="Distribution of latency"
      note="The share of the answers that had come after so long. Steep is steady; a long way to the right at the top is a tail."
    >
      <Legend contenders={contenders} />
      <LatencyCurves
        label={contenders
          .map(
            ({ id, figures: { latencyMs } }) =>
              `${id}: half within ${orAbsent(latencyMs.p50.value, formatMilliseconds)}`,
          )
          .join(', ')}
        curves={page.drawings.map(({ latencyQuantilesMs }, index) => ({
          index,
          quantilesMs: latencyQuantilesMs,
        }))}
      />
    </Figure>
  )
}

/** Requests in flight, completions and failures from the beginning of the run to its end. */
function Course({ timeline }: { readonly timeline: Timeline }): JSX.Element {
  const { ids } = useRun()
  const { bins, binSeconds, blocks } = timeline
  const highest = Math.max(1, ...bins.map(({ inFlight }) => inFlight))
  const busiest = Math.max(1, ...bins.map(({ completedCount, failedCount }) => completedCount + failedCount))
  const lasted = bins.length * binSeconds
  const failed = sumOf(bins, ({ failedCount }) => failedCount)
  return (
    <Figure
      id="course"
      title="Course of the run"
      isWide
      note="The line is the mean number of requests in flight; bars are requests that ended, failed ones in red. The band on top shows which contender was measured."
    >
      <XyPlot
        height={200}
        label={`${formatSeconds(lasted)}, at most ${counted(highest, 'request')} in flight, ${formatCount(failed)} failed`}
        x={{ title: 'time since the first measured request', domain: [0, lasted], format: tickSeconds }}
        y={{ title: 'in flight', domain: [0, highest * 1.25], format: formatCount }}
      >
        {(x, y) => {
          const floor = y(0)
          const room = (floor - y(highest)) * 0.6
          const width = Math.max(1, x(binSeconds) - x(0) - 1)
          const height = (count: number): number => (count / busiest) * room
          return (
            <>
              {blocks.map(({ contender, startSeconds, endSeconds }) => (
                <rect
                  class={`fill ${pickColour(contender)}`}
                  x={x(startSeconds)}
                  y={10}
                  width={Math.max(1, x(endSeconds) - x(startSeconds) - 0.5)}
                  height={5}
                  key={startSeconds}
                >
                  <title>{ids[contender]}</title>
                </rect>
              ))}
              {bins.map(({ completedCount, failedCount }, at) => {
                const left = x(at * binSeconds)
                const ok = height(completedCount)
                return (
                  <g key={left}>
                    <rect class="completed" x={left} y={floor - ok} width={width} height={ok} />
                    {failedCount === 0 ? null : (
                      <rect
                        class="failed"
                        x={left}
                        y={floor - ok - Math.max(2, height(failedCount))}
                        width={width}
                        height={Math.max(2, height(failedCount))}
                      />
                    )}
                  </g>
                )
              })}
              <path
                class="in-flight"
                d={bins
                  .map(
                    ({ inFlight }, at) =>
                      `${at === 0 ? 'M' : 'L'}${x(at * binSeconds)} ${y(inFlight)}H${x((at + 1) * binSeconds)}`,
                  )
                  .join('')}
              />
            </>
          )
        }}
      </XyPlot>
    </Figure>
  )
}

function Failures(): JSX.Element | null {
  const failing = useRun().contenders.filter(({ figures }) => figures.failures.length > 0)
  if (failing.length === 0) return null
  return (
    <Figure id="failures" title="Failed requests" note="Counted, never scored, and in no latency.">
      <ul class="named">
        {failing.flatMap(({ index, id, figures }) =>
          figures.failures.map(({ label, count, reasons }) => {
            const otherCount = count - sumOf(reasons, ({ count: ofReason }) => ofReason)
            return (
              <li key={`${id} ${label}`}>
                <ContenderName index={index} id={id} /> {formatCount(count)} × <Name>{label}</Name>
                {reasons.map(({ message, hint, count: ofReason }) => (
                  <p class="reason" key={`${message} ${hint}`}>
                    {ofReason === count ? '' : `${formatCount(ofReason)} × `}
                    <bdi>{message}</bdi> <bdi>{hint}</bdi>
                  </p>
                ))}
                {otherCount === 0 ? null : <p class="reason">{formatCount(otherCount)} × others</p>}
              </li>
            )
          }),
        )}
      </ul>
    </Figure>
  )
}
