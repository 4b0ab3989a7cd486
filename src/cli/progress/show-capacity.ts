import { createLogUpdate } from 'log-update'
import type { LevelResult } from '#capacity'
import { formatRate, formatSeconds } from '#reports'
import type { CapacityEvent, CapacityRequest, CapacityStage } from '#session'
import type { World } from '../world.ts'

const stageWords: Readonly<Record<CapacityStage, string>> = {
  cold: 'cold start, two at once, after an idle time',
  sweep: 'so many in flight: how it scales, and whether texts change',
  search: 'the highest load that keeps the promise',
  overload: 'overload, and how long it is felt',
  interference: 'dictation beside long recordings',
}

/** Shows on stderr how a capacity measurement goes on: a line for each stage and level, and one that moves. */
export function showCapacity(
  world: World,
  request: CapacityRequest,
): { onEvent(event: CapacityEvent): void; say(text: string): void; done(): void } {
  const update = world.isWatched && !world.isQuiet ? createLogUpdate(world.stderr) : null
  let shownAtMs = Number.NEGATIVE_INFINITY
  const say = (text: string): void => {
    update?.clear()
    world.say(text)
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
              `  promise   ${request.promises.map(({ text }) => text).join(' and ')}`,
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
          say(levelLine(event.level, event.secondsLeft))
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

function levelLine({ perSecond, promises, verdict }: LevelResult, secondsLeft: number): string {
  const sign = verdict === 'kept' ? '✓' : verdict === 'broken' ? '✗' : '~'
  const misses = promises.map(({ misses, requests }) => `${misses} of ${requests} missed`).join(', ')
  return `    ${sign} ${formatRate(perSecond)} requests a second   ${misses}   ${formatSeconds(Math.max(0, secondsLeft))} left`
}
