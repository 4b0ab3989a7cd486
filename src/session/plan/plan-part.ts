import type { PlannedRequest } from '#journal'

/** Whole blocks of a plan that are sent as a separate plan, with numbers from 0. */
export interface PlanPart {
  /** The warm-up of its contenders, then its blocks. */
  readonly requests: readonly PlannedRequest[]
  /** Turns of the plan before the first one here: blocks of one turn meet the same arrivals, wherever they are sent. */
  readonly firstTurn: number
  /** Of the whole corpus: rates in seconds of speech depend on it. */
  readonly meanAudioSeconds: number
}

export interface CutOptions {
  readonly contenderCount: number
  readonly audioSecondsOf: (utteranceId: string) => number
  /** A part has at most so much audio, but one unit in any case. */
  readonly maxAudioSeconds: number
  /** Every block is a part; otherwise pairs of turns stay together, which are in ABBA order. */
  readonly isByBlock: boolean
}

/** Cuts a plan into parts, each in the order of the plan. */
export function cutPlan(
  requests: readonly PlannedRequest[],
  { contenderCount, audioSecondsOf, maxAudioSeconds, isByBlock }: CutOptions,
): readonly Omit<PlanPart, 'meanAudioSeconds'>[] {
  const warmUp = [...requests.filter(({ phase }) => phase === 'warmup')]
  const blocksInUnit = isByBlock ? 1 : 2 * contenderCount
  const units = Map.groupBy(
    requests.filter(({ phase }) => phase === 'measure'),
    ({ block }) => Math.floor(block / blocksInUnit),
  )
  const parts: PlannedRequest[][] = []
  let [part, seconds]: [PlannedRequest[], number] = [[], 0]
  for (const unit of units.values()) {
    const own = unit.reduce((sum, { utteranceId }) => sum + audioSecondsOf(utteranceId), 0)
    if (part.length === 0 || isByBlock || seconds + own > maxAudioSeconds) {
      part = []
      parts.push(part)
      seconds = 0
    }
    for (const request of unit) part.push(request)
    seconds += own
  }
  return parts.map((own) => numbered(own, { warmUp, contenderCount }))
}

function numbered(
  measured: readonly PlannedRequest[],
  { warmUp, contenderCount }: { readonly warmUp: readonly PlannedRequest[]; readonly contenderCount: number },
): Omit<PlanPart, 'meanAudioSeconds'> {
  const firstBlock = measured[0]?.block ?? 0
  const contenders = new Set(measured.map(({ contenderId }) => contenderId))
  const all = [...warmUp.filter(({ contenderId }) => contenders.has(contenderId)), ...measured]
  return {
    requests: all.map((request, index) => ({
      ...request,
      index,
      // The warm-up has no block.
      block: request.block < 0 ? request.block : request.block - firstBlock,
    })),
    firstTurn: Math.floor(firstBlock / contenderCount),
  }
}
