import type { ErrorRate, Evaluation, SystemSpeed } from '#analysis'
import { rateMetrics } from '#scoring'
import { smallestSampleForQuantile } from '#statistics'
import { rateWords } from '../../layout/rate-words.ts'
import { foreign } from '../../layout/terminal.ts'
import { headerOf } from './contender-tables.ts'

/**
 * Why the table shows no figure in some places, each reason once with whom it concerns.
 *
 * @param leftOut headers of columns that the table does not show
 */
export function absenceNotes(
  { contenders, rounds, run, profile: { leads } }: Evaluation,
  leftOut: readonly string[],
): readonly string[] {
  // What a part of a run lacks may well come with the rest of it. Of a load with a length a round is more than a pass.
  const isTimed = contenders.some(({ loadPhases = [] }) => loadPhases[0]?.offered.seconds != null)
  const remedies = run.status === 'finished' && !isTimed
  // Of a contender that was given up, the sentence and the findings say why it has no figures.
  const heading = (name: string): string => headerOf(name, leads)
  // Nor can a further round give times to a contender whose answers are reused.
  const measured = contenders.filter(
    ({ contender, reused }) => reused === undefined && !run.givenUp.some(({ id }) => id === contender.id),
  )
  const reasons = measured.flatMap(({ contender, counts, latencyMs, systemSpeed, ...figures }) => [
    ...noInterval(
      heading(`${rateMetrics[leads]}_low95_rate`),
      contender.id,
      figures[leads],
      rateWords[leads].short,
    ),
    ...reasonOf(
      heading('latency_p50_ms'),
      contender.id,
      latencyMs.p50,
      remedies ? roundsFor(0.5, latencyMs.sampleCount, rounds) : null,
    ),
    ...reasonOf(
      heading('latency_p95_ms'),
      contender.id,
      latencyMs.p95,
      remedies ? roundsFor(0.95, latencyMs.sampleCount, rounds) : null,
    ),
    ...reasonOf(
      heading('rtfx'),
      contender.id,
      systemSpeed,
      remedies ? speedRounds(systemSpeed, counts.answered, rounds) : null,
    ),
  ])
  const shown = reasons.filter(({ name }) => !leftOut.includes(name))
  const byText = Map.groupBy(shown, ({ text }) => text)
  return [...byText].map(([text, those]) =>
    those.length === contenders.length ? text : `${text} (${those.map(({ id }) => foreign(id)).join(', ')})`,
  )
}

/** The rounds after which the sample is large enough, where every round gives as many answers as so far. */
function roundsFor(probability: number, sampleCount: number, rounds: number): number | null {
  if (sampleCount === 0) return null
  return Math.ceil((smallestSampleForQuantile(probability) * rounds) / sampleCount)
}

/** The same for the answers that a steady window needs. */
function speedRounds(speed: SystemSpeed, answered: number, rounds: number): number | null {
  if (speed.value !== null || speed.moreAnswers === null || answered === 0) return null
  return Math.ceil(((answered + speed.moreAnswers) * rounds) / answered)
}

function reasonOf(
  name: string,
  id: string,
  figure: { readonly value: number } | { readonly value: null; readonly reason: string },
  rounds: number | null,
): readonly { readonly name: string; readonly id: string; readonly text: string }[] {
  if (figure.value !== null) return []
  const remedy = rounds === null ? '' : `: --rounds ${rounds}`
  return [{ name, id, text: `${name} ${figure.reason}${remedy}` }]
}

function noInterval(
  name: string,
  id: string,
  { rate, noIntervalReason }: ErrorRate,
  rateName: string,
): ReturnType<typeof reasonOf> {
  if (rate === null || noIntervalReason === null) return []
  return [{ name, id, text: `no interval of ${rateName}: ${noIntervalReason}` }]
}
