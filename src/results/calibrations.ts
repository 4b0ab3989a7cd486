import { join } from 'node:path'
import { z } from 'zod'
import { type Calibration, calibrationSchema } from '#analysis/figures/speed/calibration'
import type { RunRecord } from '#journal/run-record'
import { fingerprint } from '#prelude'
import { changeStored, readStored } from './stored-file.ts'

export const storedCalibrationsSchema = z
  .strictObject({
    formatVersion: z.literal(1).describe('Version of this file.'),
    calibrations: z
      .record(z.string(), calibrationSchema)
      .describe('By a fingerprint of host, target and load.'),
  })
  .describe(
    '`calibrations.json` of a results folder: what equal runs differ by, as `transcribench calibrate` measured it.',
  )

const calibrationsFile = 'calibrations.json'

/** Key of a calibration, which is valid for one machine, kind of target (any version) and load. */
function namePlace({ host, target, load }: RunRecord): string {
  const { platform, architecture, cpuModel, cpuCount, memoryBytes } = host
  const machine = { platform, architecture, cpuModel, cpuCount, memoryBytes }
  return fingerprint({ machine, target: target.kind, load: JSON.stringify(load) })
}

/** @throws BenchError CALIBRATIONS_UNREADABLE */
export async function readCalibrations(results: string): Promise<Readonly<Record<string, Calibration>>> {
  const stored = await readStored(join(results, calibrationsFile), {
    schema: storedCalibrationsSchema,
    code: 'CALIBRATIONS_UNREADABLE',
    content: 'calibrations',
    hint: 'restore it from a copy, read it with the transcribench that wrote it, or remove it and calibrate again: transcribench calibrate',
  })
  return stored?.calibrations ?? {}
}

/**
 * The calibration for the host, target and load of a run; null if none is stored.
 *
 * @param results the folder that run folders are in
 * @throws BenchError CALIBRATIONS_UNREADABLE
 */
export async function readCalibration(results: string, record: RunRecord): Promise<Calibration | null> {
  return (await readCalibrations(results))[namePlace(record)] ?? null
}

/**
 * Stores a calibration; it replaces an older one of the same host, target and load.
 *
 * @throws BenchError CALIBRATIONS_UNREADABLE
 */
export async function storeCalibration(
  results: string,
  record: RunRecord,
  calibration: Calibration,
): Promise<string> {
  const path = join(results, calibrationsFile)
  const add = (stored: Awaited<ReturnType<typeof readCalibrations>>) => ({
    formatVersion: 1,
    calibrations: { ...stored, [namePlace(record)]: calibration },
  })
  await changeStored(path, () => readCalibrations(results), add)
  return path
}
