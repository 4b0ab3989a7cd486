import type {
  AttemptLine,
  PlannedRequest,
  PlannedUtterance,
  ReusedLine,
  RunRecord,
  TelemetryLine,
} from '#journal'

/** The parts of a recorded run that are evaluated. A `RecordedRun` of the journal module is one. */
export interface RunMaterial {
  readonly record: RunRecord
  readonly utterances: readonly PlannedUtterance[]
  readonly requests: readonly PlannedRequest[]
  readonly attempts: readonly AttemptLine[]
  /** Answers of earlier runs: scored, and in no time. */
  readonly reused?: readonly ReusedLine[] | undefined
  readonly telemetry?: readonly TelemetryLine[] | undefined
}
