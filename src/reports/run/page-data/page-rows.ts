import type { RunMaterial, UtteranceEvaluation } from '#analysis'
import type { PlannedUtterance } from '#journal'
import type { ErrorLevel } from '#scoring'
import type { PageAttempt, PageUtterance } from '../../page-document.ts'

/** What a page may show, and where its recordings are. */
export interface PageOptions {
  /** Whether references and hypotheses are included; default true. Private speech may require false. */
  readonly hasTexts?: boolean
  /** Address of an utterance's recording, relative to the page; default none. */
  readonly audioOf?: (utterance: PlannedUtterance) => string | null
}

/** The utterances of a run in the order of its plan, each with all its attempts. */
export function pageRows(
  { utterances }: Pick<RunMaterial, 'utterances'>,
  judged: readonly UtteranceEvaluation[],
  {
    contenders,
    failures,
    leads,
  }: {
    readonly contenders: readonly string[]
    readonly failures: readonly string[]
    readonly leads: ErrorLevel
  },
  { hasTexts = true, audioOf = () => null }: PageOptions,
): PageUtterance[] {
  const places = {
    contenders: new Map(contenders.map((id, index) => [id, index])),
    failures: new Map(failures.map((label, index) => [label, index])),
    leads,
  }
  const byUtterance = Map.groupBy(judged, ({ utteranceId }) => utteranceId)
  return utterances.flatMap((utterance): PageUtterance[] => {
    const rows = byUtterance.get(utterance.id)
    if (rows === undefined) return []
    const texts = new Map<string, number>()
    const attempts = rows.map((row) => pageAttempt(row, places, hasTexts ? texts : null))
    // The evaluation's own: it may have been made with corrected references.
    const reference = rows[0]?.reference ?? utterance.reference
    const { id, durationSeconds, speaker, language, tags } = utterance
    return [
      {
        id,
        reference: hasTexts ? reference : null,
        seconds: durationSeconds,
        speaker,
        language,
        tags,
        audio: audioOf(utterance),
        texts: [...texts.keys()],
        attempts,
      },
    ]
  })
}

interface Places {
  readonly contenders: ReadonlyMap<string, number>
  readonly failures: ReadonlyMap<string, number>
  readonly leads: ErrorLevel
}

/** @param texts takes the text up where it is new; null leaves texts out */
function pageAttempt(
  row: UtteranceEvaluation,
  places: Places,
  texts: Map<string, number> | null,
): PageAttempt {
  const { hypothesis, failure, latencyMs, [places.leads]: counts } = row
  return [
    places.contenders.get(row.contenderId) ?? 0,
    row.round,
    hypothesis === null || texts === null ? null : placeOf(hypothesis, texts),
    failure === null || row.status === 'scored' ? null : (places.failures.get(failureName(row)) ?? null),
    latencyMs === null ? null : Math.round(latencyMs * 10) / 10,
    ...(counts === null ? [] : [counts.hits, counts.substitutions, counts.deletions, counts.insertions]),
  ]
}

/** Why a request failed, in one line. */
export function failureName({ failure, failureMessage }: UtteranceEvaluation): string {
  return failureMessage === null ? (failure ?? '') : `${failure}: ${failureMessage}`
}

function placeOf(text: string, texts: Map<string, number>): number {
  const known = texts.get(text)
  if (known !== undefined) return known
  texts.set(text, texts.size)
  return texts.size - 1
}
