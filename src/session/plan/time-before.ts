import { basename } from 'node:path'
import { programVersion } from '#installation'
import { listRuns } from '#journal'
import { describeHost } from '#telemetry'
import { type RunSummary, readRunSummary } from '../stored/run-summaries.ts'
import { audioSecondsById, type MeasurePlan, meanAudioSecondsOf } from './measure-plan.ts'

/** How long a plan would take at the speeds of earlier runs. */
export interface TimeBefore {
  readonly seconds: number
  /** The newest run that it is known from. */
  readonly runId: string
  /** Whether that run had this corpus, and all of these contenders. */
  readonly isSameCorpus: boolean
}

/** Older ones are no better, and reading them takes time. */
const maxRuns = 20

/**
 * Looks for the newest run of a results folder that measured these contenders with this corpus under this load on such
 * a machine; otherwise for the newest speed of each of them on any corpus. It says how long a run will take before anything is
 * sent.
 *
 * @returns null where a contender was not measured so, and where a plan itself fixes its duration
 */
export async function timeBefore(
  plan: Pick<MeasurePlan, 'corpus' | 'load' | 'schedule' | 'requests'>,
  resultsFolder: string,
): Promise<TimeBefore | null> {
  if (plan.load.kind !== 'closed' || plan.schedule.requestCount() !== null) return null
  const speeds = new Map<string, number>()
  let newestId: string | null = null
  for (const folder of (await listRuns(resultsFolder)).slice(-maxRuns).reverse()) {
    const summary = await readRunSummary(folder)
    if (summary === null || !isAlike(summary, plan)) continue
    const own = speedsOf(summary)
    const runId = basename(folder)
    if (summary.corpus.fingerprint === plan.corpus.fingerprint) {
      const seconds = secondsAt(own, plan)
      if (seconds !== null) return { seconds, runId, isSameCorpus: true }
    }
    for (const [contenderId, speed] of own) if (!speeds.has(contenderId)) speeds.set(contenderId, speed)
    newestId ??= runId
  }
  const seconds = secondsAt(speeds, plan)
  return seconds === null || newestId === null ? null : { seconds, runId: newestId, isSameCorpus: false }
}

function isAlike({ run, load }: RunSummary, plan: Pick<MeasurePlan, 'corpus' | 'schedule'>): boolean {
  const { cpuModel, cpuCount } = describeHost(programVersion())
  return (
    run.cpuModel === cpuModel &&
    run.cpuCount === cpuCount &&
    load.description === plan.schedule.describe(meanAudioSecondsOf(plan.corpus))
  )
}

/** RTFx by contender. */
function speedsOf({ contenders }: RunSummary): ReadonlyMap<string, number> {
  return new Map(
    contenders.flatMap(({ id, metrics }) => {
      const speed = metrics['rtfx']?.value ?? null
      return speed !== null && speed > 0 ? [[id, speed] as const] : []
    }),
  )
}

/** Null where the speed of a contender is not known. */
function secondsAt(
  speeds: ReadonlyMap<string, number>,
  { corpus, requests }: Pick<MeasurePlan, 'corpus' | 'requests'>,
): number | null {
  const lengths = audioSecondsById(corpus)
  const measured = requests.filter(({ phase }) => phase === 'measure')
  if (measured.length === 0) return null
  let seconds = 0
  for (const own of [...Map.groupBy(measured, (request) => request.contenderId).values()]) {
    const speed = speeds.get(own.at(0)?.contenderId ?? '')
    if (speed === undefined) return null
    seconds += own.reduce((sum, { utteranceId }) => sum + (lengths.get(utteranceId) ?? 0), 0) / speed
  }
  return seconds
}
