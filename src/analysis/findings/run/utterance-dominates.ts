import { shellWord } from '#prelude'
import { rateMetrics } from '#scoring'
import type { Observation } from '../finding-definition.ts'
import type { RunFinding } from '../run-facts.ts'
import type { UtteranceTally } from '../utterance-tally.ts'

/** Fewer errors than this in a pass gather in one utterance by chance; more passes do not add any. */
const fewErrors = 10
/** Of so few utterances one holds most of the errors as a matter of course. */
const fewUtterances = 3

export const utteranceDominates = {
  code: 'UTTERANCE_DOMINATES',
  severity: 'decisive',
  meaning:
    'One utterance holds more than half of all errors of a contender, of ten errors in a pass and three utterances or more. The ' +
    'error rate is then mostly that of this utterance: a recording that was heard in the wrong language, a loop, a ' +
    'long recording of which a part was lost, or a reference that does not belong to it. Without it the rate is the one named.',
  detect: ({ utteranceTallies, material: { record } }) =>
    utteranceTallies.flatMap((tally) => dominantUtterance(tally, record.id)),
} satisfies RunFinding

/** The utterance that holds more than half of all errors of a contender, with the error rate without it. */
function dominantUtterance(
  { contenderId, leads, idAt, errors, lengths, passes }: UtteranceTally,
  runId: string,
): readonly Observation[] {
  const sum = (counts: Float64Array): number => counts.reduce((total, count) => total + count, 0)
  const [errorsOfAll, lengthOfAll] = [sum(errors), sum(lengths)]
  const most = errors.reduce((best, count, place) => (count > (errors[best] as number) ? place : best), 0)
  const [own, ownLength] = [errors[most] ?? 0, lengths[most] ?? 0]
  const utteranceCount = lengths.filter((count) => count > 0).length
  if (utteranceCount < fewUtterances || errorsOfAll < fewErrors * passes || own <= errorsOfAll / 2) return []
  const id = idAt(most)
  const [withIt, without] = [errorsOfAll / lengthOfAll, (errorsOfAll - own) / (lengthOfAll - ownLength)]
  return [
    {
      message:
        `one utterance holds most errors of ${contenderId}: ${id} has ${own} of ${errorsOfAll} ` +
        `(${percent(own / errorsOfAll, 0)}), in ${percent(ownLength / lengthOfAll, 0)} of the ${leads}; the ${rateMetrics[leads].toUpperCase()} is ` +
        `${percent(withIt, 1)} with it and ${percent(without, 1)} without it`,
      advice: `listen to it: transcribench review ${shellWord(runId)}`,
      utteranceIds: [id],
    },
  ]
}

function percent(rate: number, decimals: number): string {
  return `${(rate * 100).toFixed(decimals)}%`
}
