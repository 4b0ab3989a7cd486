import type { PlannedRequest } from '#journal'
import { type OfferedLoad, offeredLoad, type PlannedArrival } from '#load'

/** What a plan says of the time it will take, before anything is sent. */
export interface ExpectedLoad {
  /** What the planned moments really offer, which for random ones differs from the rate; null where none are planned. */
  readonly offered: OfferedLoad | null
  /** Audio of all measured requests. */
  readonly audioSeconds: number
  /** How long the measuring takes at least; null where it depends on the server alone. */
  readonly atLeastSeconds: number | null
  /** Moments of the first block, in seconds from its start; empty where none are planned. */
  readonly firstMoments: readonly number[]
}

/** @param audioSeconds by utterance id */
export function expectLoad(
  requests: readonly PlannedRequest[],
  audioSeconds: Pick<ReadonlyMap<string, number>, 'get'>,
): ExpectedLoad {
  const measured = requests.filter(({ phase }) => phase === 'measure')
  const blocks: PlannedArrival[][] = []
  let atLeastMs: number | null = 0
  for (const block of [...Map.groupBy(measured, (request) => request.block).values()]) {
    blocks.push(
      block.flatMap(({ send, utteranceId }) =>
        send?.kind === 'due'
          ? [{ dueAtMs: send.dueAtMs, audioSeconds: audioSeconds.get(utteranceId) ?? 0 }]
          : [],
      ),
    )
    const lengthMs = lengthOf(block)
    atLeastMs = atLeastMs === null || lengthMs === null ? null : atLeastMs + lengthMs
  }
  return {
    offered: offeredLoad(blocks),
    audioSeconds: measured.reduce((sum, { utteranceId }) => sum + (audioSeconds.get(utteranceId) ?? 0), 0),
    atLeastSeconds: atLeastMs === null ? null : atLeastMs / 1000,
    firstMoments: (blocks[0] ?? []).slice(0, 5).map(({ dueAtMs }) => dueAtMs / 1000),
  }
}

/** How long a block lasts if every answer came at once; null where its requests wait for each other. */
function lengthOf(block: readonly PlannedRequest[]): number | null {
  const spokenMs = new Map<number, number>()
  let lastMs = 0
  for (const { send } of block) {
    if (send === null || send.kind === 'next') return null
    if (send.kind === 'due') lastMs = Math.max(lastMs, send.dueAtMs)
    else {
      const before = spokenMs.get(send.speaker) ?? 0
      spokenMs.set(send.speaker, before + send.pauseMs + send.speechMs)
    }
  }
  return Math.max(lastMs, ...spokenMs.values())
}
