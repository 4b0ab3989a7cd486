import { createLogUpdate } from 'log-update'
import type { CapacityEstimate, Level } from '#capacity'
import { formatRate, formatSeconds } from '#reports'
import type { CapacityEvent, CapacityRequest, CapacityStage } from '#session/capacity'
import type { CommandContext } from '../command-context.ts'

const stageWords: Readonly<Record<CapacityStage, string>> = {
  cold: 'cold start, two requests at once, first answer after an idle time',
  sweep: 'requests in flight: throughput, and whether texts change',
  search: 'open loads around the expected capacity',
  overload: 'overload and recovery',
  interference: 'dictation next to long recordings',
  confirmation: 'confirmation in a separate test',
}

/** Shows the progress of a capacity measurement on stderr: a line for each stage and load, and a moving one. */
export function showCapacity(
  context: CommandContext,
  request: CapacityRequest,
): { onEvent(event: CapacityEvent): void; say(text: string): void; done(): void } {
  const update = context.isWatched && !context.isQuiet ? createLogUpdate(context.stderr) : null
  let shownAtMs = Number.NEGATIVE_INFINITY
  const say = (text: string): void => {
    update?.clear()
    context.say(text)
  }
  return {
    say,
    done() {
      update?.clear()
      update?.done()
    },
    onEvent(event) {
      switch (event.kind) {
        case 'verified':
          return
        case 'planned': {
          const { corpus, contenderIds, target, folder } = event
          say(
            [
              '',
              `  plan      ${contenderIds.join(', ')}; at most ${formatSeconds(request.budgetSeconds)} each`,
              `  objective ${request.objectives.map(({ text }) => text).join(' and ')}`,
              `  corpus    ${corpus.name}, ${corpus.utteranceCount} utterances of ${corpus.meanAudioSeconds.toFixed(1)} s on average`,
              `  target    ${target}`,
              `  folder    ${folder}`,
              '',
            ].join('\n'),
          )
          return
        }
        case 'stage':
          say(
            `  ${event.contenderId}: ${stageWords[event.stage]}; ${formatSeconds(Math.max(0, event.secondsLeft))} left`,
          )
          return
        case 'level':
          say(levelLine(event.level, event.estimate, event.secondsLeft))
          return
        case 'run': {
          if (update === null || event.event.kind !== 'attempted') return
          const nowMs = performance.now()
          if (nowMs - shownAtMs < 200) return
          shownAtMs = nowMs
          const { line, inFlight } = event.event
          update(`  measuring   block ${line.block + 1}   in flight ${inFlight}`)
        }
      }
    },
  }
}

function levelLine(
  { perSecond, objectives, verdict }: Level,
  estimate: CapacityEstimate | null,
  secondsLeft: number,
): string {
  const sign = verdict === 'met' ? '✓' : verdict === 'violated' ? '✗' : '~'
  const misses = objectives.map((each) => `${each.misses} of ${each.requests} missed`).join(', ')
  const known =
    estimate === null
      ? ''
      : `   capacity ${formatRate(estimate.perSecond)} (${formatRate(estimate.low)} to ${formatRate(estimate.high)})`
  return `    ${sign} ${formatRate(perSecond)} requests per second   ${misses}${known}   ${formatSeconds(Math.max(0, secondsLeft))} left`
}
