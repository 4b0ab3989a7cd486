import type { AttemptLine, PlannedRequest, PlannedUtterance, RunRecord, TelemetryLine } from '#journal'
import type { Rows } from '#prelude'

/** What a run left behind, as far as it is judged. A recorded run of the journal room is one. */
export interface RunMaterial {
  readonly record: RunRecord
  readonly utterances: readonly PlannedUtterance[]
  readonly requests: Rows<PlannedRequest>
  readonly attempts: Rows<AttemptLine>
  readonly telemetry?: readonly TelemetryLine[] | undefined
}
