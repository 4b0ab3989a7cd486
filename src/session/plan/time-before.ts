import { basename } from 'node:path'
import { programVersion } from '#installation'
import { listRuns } from '#journal'
import { describeHost } from '#telemetry'
import { type RunSummary, readRunSummary } from '../stored/run-summaries.ts'
import { audioSecondsById, type MeasurePlan, meanAudioSecondsOf } from './measure-plan.ts'

/** How long a plan would take at the speeds of an earlier run. */
export interface TimeBefore {
  readonly seconds: number
  /** The run's id. */
  readonly runId: string
}

/** Older ones are no better, and reading them takes time. */
const maxRuns = 20

/**
 * Looks for the newest run of a results folder that measured these contenders with this corpus under this load on such
 * a machine. It says how long a run will take before anything is sent.
 *
 * @returns null where there is none, and where a plan itself fixes its duration
 */
export async function timeBefore(
  plan: Pick<MeasurePlan, 'corpus' | 'load' | 'schedule' | 'requests'>,
  resultsFolder: string,
): Promise<TimeBefore | null> {
  if (plan.load.kind !== 'closed' || plan.schedule.requestCount() !== null) return null
  for (const folder of (await listRuns(resultsFolder)).slice(-maxRuns).reverse()) {
    const summary = await readRunSummary(folder)
    const seconds = summary !== null && isAlike(summary, plan) ? secondsAt(summary, plan) : null
    if (seconds !== null) return { seconds, runId: basename(folder) }
  }
  return null
}

function isAlike({ run, corpus, load }: RunSummary, plan: Pick<MeasurePlan, 'corpus' | 'schedule'>): boolean {
  const { cpuModel, cpuCount } = describeHost(programVersion())
  return (
    run.cpuModel === cpuModel &&
    run.cpuCount === cpuCount &&
    corpus.fingerprint === plan.corpus.fingerprint &&
    load.description === plan.schedule.describe(meanAudioSecondsOf(plan.corpus))
  )
}

/** Null where the run does not know the speed of a contender. */
function secondsAt(
  { contenders }: RunSummary,
  { corpus, requests }: Pick<MeasurePlan, 'corpus' | 'requests'>,
): number | null {
  const lengths = audioSecondsById(corpus)
  const measured = requests.filter(({ phase }) => phase === 'measure')
  let seconds = 0
  for (const [contenderId, own] of Map.groupBy(measured, (request) => request.contenderId)) {
    const speed = contenders.find(({ id }) => id === contenderId)?.metrics['rtfx']?.value ?? null
    if (speed === null || speed <= 0) return null
    seconds += own.reduce((sum, { utteranceId }) => sum + (lengths.get(utteranceId) ?? 0), 0) / speed
  }
  return seconds
}
