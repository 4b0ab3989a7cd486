import type { RecordedContender, RunRecord, TelemetryLine } from '#journal'
import type { EvaluatedTarget } from '../documents/target.ts'

/** The targets of a run; undefined where it has one. */
export function evaluatedTargets({
  targets,
  contenders,
}: Pick<RunRecord, 'targets' | 'contenders'>): readonly EvaluatedTarget[] | undefined {
  return targets?.map(({ id, kind, baseUrl, health, machine, roundTripMs }) => ({
    ...{ id, kind, baseUrl, machine, roundTripMs },
    serviceVersion: health?.app_version ?? null,
    contenderIds: contenders.filter(({ target }) => target === id).map((contender) => contender.id),
  }))
}

const unseen = {
  serverCpuSeconds: null,
  serverResidentBytes: null,
  serverPeakResidentBytes: null,
  serverThreadCount: null,
  serverProcessCount: null,
}

/** What was sampled, with the figures of the server that answered a contender. */
export function telemetryOf(
  { target }: Pick<RecordedContender, 'target'>,
  telemetry: readonly TelemetryLine[],
): readonly TelemetryLine[] {
  if (target === undefined) return telemetry
  return telemetry.map((line) => ({ ...line, ...(line.servers?.[target] ?? unseen) }))
}
