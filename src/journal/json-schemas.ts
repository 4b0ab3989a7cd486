import { z } from 'zod'
import { attemptLine } from './attempt-line.ts'
import { modeLine, stagingLine } from './mode-line.ts'
import { planLine } from './plan-line.ts'
import { reusedLine } from './reused-line.ts'
import { runRecord } from './run-record.ts'
import { telemetryLine } from './telemetry-line.ts'

/** JSON Schema of every file of a run that the recorder writes; of a `.jsonl` file, that of its lines. */
export function journalJsonSchemas(): Readonly<
  Record<'run' | 'plan' | 'journal' | 'reused' | 'modes' | 'staged' | 'telemetry', unknown>
> {
  return {
    run: z.toJSONSchema(runRecord, { io: 'input' }),
    plan: z.toJSONSchema(planLine, { io: 'input' }),
    journal: z.toJSONSchema(attemptLine),
    reused: z.toJSONSchema(reusedLine),
    modes: z.toJSONSchema(modeLine, { io: 'input' }),
    staged: z.toJSONSchema(stagingLine),
    telemetry: z.toJSONSchema(telemetryLine, { io: 'input' }),
  }
}
