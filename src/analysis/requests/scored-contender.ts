import type { PlannedUtterance } from '#journal'
import type { LoadShape } from '#load'
import { lazyRows, type Rows } from '#prelude'
import type { EvaluatedLoad } from '../documents/evaluation.ts'
import type { WindowPart } from '../documents/utterance-evaluation.ts'
import { latencyColumns, type SampleColumns } from './request-times.ts'
import type { ResolvedContender, ResolvedRequest } from './resolved-run.ts'
import type { ScoredRequest } from './scored-request.ts'
import { windowParts } from './steady-part.ts'
import type { TranscriptScore, TranscriptScorer } from './transcript-scorer.ts'

export interface ScoredContender {
  readonly resolved: ResolvedContender
  readonly requests: Rows<ScoredRequest>
  /** Of the answered requests of the steady part that took any time at all. */
  readonly latencies: SampleColumns
}

export function scoreContender(
  resolved: ResolvedContender,
  scorer: TranscriptScorer,
  load: { readonly shape: LoadShape; readonly evaluated: EvaluatedLoad },
): ScoredContender {
  const columns = {
    resolved: resolved.requests,
    scorer,
    windows: windowParts(resolved.requests, load.shape),
    scores: scoresOf(resolved, scorer),
    ...askedByUtterance(resolved),
  }
  const requests = lazyRows(resolved.requests.length, (row) => new ScoredRow(columns, row))
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

interface ScoredColumns extends AskedCounts {
  readonly resolved: Rows<ResolvedRequest>
  readonly scorer: TranscriptScorer
  readonly windows: Rows<WindowPart | null>
  readonly scores: readonly (TranscriptScore | null)[]
}

/** A class for the same reason as the resolved request in it. */
class ScoredRow implements ScoredRequest {
  readonly #columns: ScoredColumns
  readonly #row: number

  constructor(columns: ScoredColumns, row: number) {
    this.#columns = columns
    this.#row = row
  }

  get resolved(): ResolvedRequest {
    return this.#columns.resolved.at(this.#row) as ResolvedRequest
  }
  get score(): TranscriptScore | null {
    return this.#columns.scores[this.#row] ?? null
  }
  get reference(): string {
    const { hypothesis, utterance } = this.resolved
    return hypothesis === null ? utterance.reference : this.#columns.scorer.reading(utterance, hypothesis)
  }
  get weight(): number {
    const { askedCounts, mostAsked, resolved } = this.#columns
    const { utterancePlace = 0 } = resolved.at(this.#row) ?? {}
    return mostAsked / Math.max(1, askedCounts[utterancePlace] as number)
  }
  get window(): WindowPart | null {
    return this.#columns.windows.at(this.#row) ?? null
  }
}
