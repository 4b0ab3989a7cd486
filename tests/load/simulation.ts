import type { PlannedSend } from '#load/schedule'
import type { Script } from './scripted-server.ts'

export interface Simulated {
  readonly dueAtMs: number
  readonly endedAtMs: number
}

export interface Scenario extends Script {
  readonly plan: readonly PlannedSend[]
  /** How many requests a plan of kind `next` keeps in flight. */
  readonly places: number
}

type Event = { readonly atMs: number; readonly kind: 'arrives' | 'ends'; readonly position: number }

/**
 * A discrete-event simulation of a plan against a server with a queue: what the times have to be. It shares
 * no code with the schedules and no clock, only a list of events.
 */
export function simulate({ plan, places, serviceMs, workers }: Scenario): Simulated[] {
  const events: Event[] = firstArrivals(plan, places)
  const dueAtMs = new Map<number, number>()
  const endedAtMs = new Map<number, number>()
  const queue: number[] = []
  let idle = workers
  let nextPlace = places
  const start = (position: number, atMs: number): void => {
    insert(events, { atMs: atMs + (serviceMs[position] ?? 0), kind: 'ends', position })
  }
  for (let event = events.shift(); event !== undefined; event = events.shift()) {
    const { atMs, kind, position } = event
    if (kind === 'arrives') {
      dueAtMs.set(position, atMs)
      if (idle > 0) {
        idle -= 1
        start(position, atMs)
      } else queue.push(position)
      continue
    }
    endedAtMs.set(position, atMs)
    const waiting = queue.shift()
    if (waiting === undefined) idle += 1
    else start(waiting, atMs)
    const ended = plan[position]
    if (ended?.kind === 'next' && nextPlace < plan.length) {
      insert(events, { atMs, kind: 'arrives', position: nextPlace })
      nextPlace += 1
    }
    if (ended?.kind === 'spoken') {
      const next = plan.findIndex(
        (send, other) => other > position && send.kind === 'spoken' && send.speaker === ended.speaker,
      )
      const spoken = plan[next]
      if (spoken?.kind === 'spoken')
        insert(events, { atMs: atMs + spoken.pauseMs + spoken.speechMs, kind: 'arrives', position: next })
    }
  }
  return plan.map((_, position) => ({
    dueAtMs: dueAtMs.get(position) ?? Number.NaN,
    endedAtMs: endedAtMs.get(position) ?? Number.NaN,
  }))
}

function firstArrivals(plan: readonly PlannedSend[], places: number): Event[] {
  const events: Event[] = []
  const begun = new Set<number>()
  for (const [position, send] of plan.entries()) {
    if (send.kind === 'due') insert(events, { atMs: send.dueAtMs, kind: 'arrives', position })
    if (send.kind === 'next' && position < places) insert(events, { atMs: 0, kind: 'arrives', position })
    if (send.kind === 'spoken' && !begun.has(send.speaker)) {
      begun.add(send.speaker)
      insert(events, { atMs: send.pauseMs + send.speechMs, kind: 'arrives', position })
    }
  }
  return events
}

/** Those of the same moment stay in the order in which they were found. */
function insert(events: Event[], event: Event): void {
  events.splice(events.findLastIndex(({ atMs }) => atMs <= event.atMs) + 1, 0, event)
}
