import { z } from 'zod'
import { calibrationSchema, type Resolution } from '#analysis'
import type { StoredCalibration } from './experiment/calibrate.ts'
import { baselineFile } from './stored/baselines.ts'
import { storedCalibrations } from './stored/calibration-store.ts'
import { experimentSchema, historySchema } from './stored/stored-document.ts'

const resolution: z.ZodType<Resolution> = z.strictObject({
  metric: z.enum(['latency', 'latency.p50', 'latency.p95', 'latency.fixed', 'latency.slope', 'rtfx']),
  standardDeviation: z.number(),
  margin: z.number(),
  falseAlarmShare: z.number().nullable(),
  detectable: z.number(),
  pairsNeeded: z.int().nullable(),
})

/** What `transcribench calibrate --json` prints. */
export const calibratedSchema: z.ZodType<StoredCalibration> = z.strictObject({
  calibration: calibrationSchema,
  resolutions: z.array(resolution),
  path: z.string(),
  folders: z.array(z.string()),
})

/** JSON Schemas of the documents and files of the commands that measure or look at several runs, by name. */
export function sessionJsonSchemas(): Readonly<
  Record<'experiment' | 'history' | 'calibration' | 'calibrations' | 'baselines', unknown>
> {
  return {
    experiment: z.toJSONSchema(experimentSchema),
    history: z.toJSONSchema(historySchema),
    calibration: z.toJSONSchema(calibratedSchema),
    calibrations: z.toJSONSchema(storedCalibrations),
    baselines: z.toJSONSchema(baselineFile),
  }
}
