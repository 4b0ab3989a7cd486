import { shellWord } from '#prelude'
import { type ErrorLevel, errorCount, errorRate, rateMetrics, referenceLength } from '#scoring'
import { type Finding, finding } from '../documents/finding.ts'
import type { ScoredContender } from '../requests/scored-contender.ts'
import { counted, named } from './wording.ts'

/** Findings about single utterances that rule the figures of a contender. */
export function utteranceFindings(
  scored: readonly ScoredContender[],
  { runId, leads }: { readonly runId: string; readonly leads: ErrorLevel },
): readonly Finding[] {
  const tallies = scored.map((own) => tallyOf(own, leads))
  return [
    ...tallies.flatMap(overfullUtterances),
    ...tallies.flatMap((tally) => dominantUtterance(tally, runId)),
    ...cutRecordings(tallies),
  ]
}

/** Errors of the leading rate and cuts of one contender by utterance. */
interface Tally {
  readonly contenderId: string
  readonly leads: ErrorLevel
  readonly idAt: (place: number) => string
  /** Sums over all rounds, by the place of the utterance in the plan. */
  readonly errors: Float64Array
  readonly lengths: Float64Array
  /** How often the utterance that was scored most often was scored. */
  readonly passes: number
  readonly overfullIds: ReadonlySet<string>
  /** By utterance: seconds at which the server cut the recording. */
  readonly cuts: ReadonlyMap<string, readonly number[]>
}

function tallyOf({ judged, requests }: ScoredContender, leads: ErrorLevel): Tally {
  const errors = new Float64Array(judged.utterances.length)
  const lengths = new Float64Array(judged.utterances.length)
  const scored = new Uint32Array(judged.utterances.length)
  const overfullIds = new Set<string>()
  const cuts = new Map<string, readonly number[]>()
  for (const { judged: request, score } of requests) {
    const outcome = request.attempt?.outcome
    const own = outcome?.ok === true ? outcome.answer.cutsSeconds : undefined
    if (own !== undefined) cuts.set(request.utterance.id, own)
    if (score === null) continue
    const place = request.utterancePlace
    scored[place] = (scored[place] as number) + 1
    errors[place] = (errors[place] as number) + errorCount(score[leads])
    lengths[place] = (lengths[place] as number) + referenceLength(score[leads])
    if ((errorRate(score[leads]) ?? 0) > 1) overfullIds.add(request.utterance.id)
  }
  const idAt = (place: number): string => judged.utterances[place]?.id ?? ''
  const passes = scored.reduce((most, count) => Math.max(most, count), 0)
  return { contenderId: judged.contender.id, leads, idAt, errors, lengths, passes, overfullIds, cuts }
}

/** Utterances with more errors than words or characters, named: one of them can rule a small corpus. */
function overfullUtterances({ contenderId, leads, overfullIds }: Tally): readonly Finding[] {
  const ids = [...overfullIds]
  if (ids.length === 0) return []
  return [
    finding(
      'UTTERANCE_OVER_100',
      `${contenderId} has more errors than ${leads} in ${counted(ids.length, 'utterance')}: ${named(ids)}`,
      'listen to them: an engine that invents text, or a reference of another recording',
      ids,
    ),
  ]
}

/** Fewer errors than this in a pass gather in one utterance by chance; more passes do not add any. */
const fewErrors = 10
/** Of so few utterances one holds most of the errors as a matter of course. */
const fewUtterances = 3

/** The utterance that holds more than half of all errors of a contender, with the error rate without it. */
function dominantUtterance(
  { contenderId, leads, idAt, errors, lengths, passes }: Tally,
  runId: string,
): readonly Finding[] {
  const sum = (counts: Float64Array): number => counts.reduce((total, count) => total + count, 0)
  const [errorsOfAll, lengthOfAll] = [sum(errors), sum(lengths)]
  const most = errors.reduce((best, count, place) => (count > (errors[best] as number) ? place : best), 0)
  const [own, ownLength] = [errors[most] ?? 0, lengths[most] ?? 0]
  const utteranceCount = lengths.filter((count) => count > 0).length
  if (utteranceCount < fewUtterances || errorsOfAll < fewErrors * passes || own <= errorsOfAll / 2) return []
  const id = idAt(most)
  const [withIt, without] = [errorsOfAll / lengthOfAll, (errorsOfAll - own) / (lengthOfAll - ownLength)]
  return [
    finding(
      'UTTERANCE_DOMINATES',
      `one utterance holds most errors of ${contenderId}: ${id} has ${own} of ${errorsOfAll} ` +
        `(${percent(own / errorsOfAll, 0)}), in ${percent(ownLength / lengthOfAll, 0)} of the ${leads}; the ${rateMetrics[leads].toUpperCase()} is ` +
        `${percent(withIt, 1)} with it and ${percent(without, 1)} without it`,
      `listen to it: transcribench review ${shellWord(runId)}`,
      [id],
    ),
  ]
}

function percent(rate: number, decimals: number): string {
  return `${(rate * 100).toFixed(decimals)}%`
}

const listedRecordings = 5
const listedCuts = 4

/** Recordings that the server says it cut, and where. */
function cutRecordings(tallies: readonly Tally[]): readonly Finding[] {
  const cut = tallies.filter(({ cuts }) => cuts.size > 0)
  return [...Map.groupBy(cut, ({ cuts }) => cutsText(cuts))].map(([text, those]) => {
    const utteranceIds = [...(those[0]?.cuts.keys() ?? [])]
    const contenders = those.map(({ contenderId }) => contenderId).join(', ')
    return finding(
      'RECORDINGS_CUT',
      `the service cut ${counted(utteranceIds.length, 'long recording')} at silences for ${contenders}: ${text}`,
      'words at the cuts may be lost or heard twice',
      utteranceIds,
    )
  })
}

function cutsText(cuts: ReadonlyMap<string, readonly number[]>): string {
  const listed = [...cuts].slice(0, listedRecordings).map(([id, seconds]) => {
    const rest = seconds.length - listedCuts
    const places = seconds.slice(0, listedCuts).map((second) => `${second.toFixed(1)} s`)
    return `${id} at ${places.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
  })
  const rest = cuts.size - listed.length
  return `${listed.join('; ')}${rest > 0 ? `; and ${counted(rest, 'recording')} more` : ''}`
}
