import type { PlannedUtterance } from '#journal'
import type { LoadShape } from '#load'
import type { EvaluatedLoad } from '../documents/evaluation.ts'
import { latencyColumns, type SampleColumns } from './request-times.ts'
import type { ResolvedContender } from './resolved-run.ts'
import type { ScoredRequest } from './scored-request.ts'
import { windowParts } from './steady-part.ts'
import type { TranscriptScore, TranscriptScorer } from './transcript-scorer.ts'

export interface ScoredContender {
  readonly resolved: ResolvedContender
  readonly requests: readonly ScoredRequest[]
  /** Of the answered requests of the steady part that took any time at all. */
  readonly latencies: SampleColumns
}

export function scoreContender(
  resolved: ResolvedContender,
  scorer: TranscriptScorer,
  load: { readonly shape: LoadShape; readonly evaluated: EvaluatedLoad },
): ScoredContender {
  const windows = windowParts(resolved.requests, load.shape)
  const scores = scoresOf(resolved, scorer)
  const { askedCounts, mostAsked } = askedByUtterance(resolved)
  const requests = resolved.requests.map((request, place): ScoredRequest => {
    const { hypothesis, utterance, utterancePlace } = request
    return {
      resolved: request,
      score: scores[place] ?? null,
      reference: hypothesis === null ? utterance.reference : scorer.reading(utterance, hypothesis),
      weight: mostAsked / Math.max(1, askedCounts[utterancePlace] as number),
      window: windows[place] ?? null,
    }
  })
  return { resolved, requests, latencies: latencyColumns(requests, load.evaluated) }
}

function scoresOf(
  { requests, utterances }: ResolvedContender,
  scorer: TranscriptScorer,
): readonly (TranscriptScore | null)[] {
  // An utterance is mostly answered as in the round before.
  const before = new Array<{ readonly text: string; readonly score: TranscriptScore }>(utterances.length)
  return requests.map(({ hypothesis, utterancePlace }) => {
    if (hypothesis === null) return null
    const known = before[utterancePlace]
    if (known?.text === hypothesis) return known.score
    const score = scorer.score(utterances[utterancePlace] as PlannedUtterance, hypothesis)
    before[utterancePlace] = { text: hypothesis, score }
    return score
  })
}

/** How often each utterance was asked about, by its place, and the most of them. */
interface AskedCounts {
  readonly askedCounts: Uint32Array
  readonly mostAsked: number
}

function askedByUtterance({ requests, utterances }: ResolvedContender): AskedCounts {
  const askedCounts = new Uint32Array(utterances.length)
  let mostAsked = 0
  for (const { status, utterancePlace } of requests) {
    if (status !== 'scored' && status !== 'failed') continue
    const count = (askedCounts[utterancePlace] as number) + 1
    askedCounts[utterancePlace] = count
    mostAsked = Math.max(mostAsked, count)
  }
  return { askedCounts, mostAsked }
}
