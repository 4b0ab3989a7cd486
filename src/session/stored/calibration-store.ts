import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { type Calibration, calibrationSchema } from '#analysis'
import type { RunRecord } from '#journal'
import { fingerprint } from '#prelude'

/** `calibrations.json`. */
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

const fileName = 'calibrations.json'

/** What a calibration holds for: this machine, this kind of target, whatever its version, this load. */
function placeOf({ host, target, load }: RunRecord): string {
  const { platform, architecture, cpuModel, cpuCount, memoryBytes } = host
  const machine = { platform, architecture, cpuModel, cpuCount, memoryBytes }
  return fingerprint({ machine, target: target.kind, load: JSON.stringify(load) })
}

/**
 * The calibration of the host and target that a run was made on; null where none is stored, or none that this version
 * can read.
 *
 * @param results the folder that run folders are in
 */
export async function readCalibration(results: string, record: RunRecord): Promise<Calibration | null> {
  return (await readAll(results))[placeOf(record)] ?? null
}

/** Keeps a calibration, in place of an older one of the same host and target. */
export async function storeCalibration(
  results: string,
  record: RunRecord,
  calibration: Calibration,
): Promise<string> {
  const path = join(results, fileName)
  const calibrations = { ...(await readAll(results)), [placeOf(record)]: calibration }
  await writeWhole(path, `${JSON.stringify({ formatVersion: 1, calibrations }, null, 2)}\n`)
  return path
}

async function readAll(results: string): Promise<Readonly<Record<string, Calibration>>> {
  try {
    return storedCalibrationsSchema.parse(JSON.parse(await readFile(join(results, fileName), 'utf8')))
      .calibrations
  } catch {
    // Without a readable calibration single runs are described without intervals, as before there was one.
    return {}
  }
}

/** A reader sees the old file or the new one, never half of it. */
export async function writeWhole(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  const partial = `${path}.${process.pid}.partial`
  await writeFile(partial, text)
  await rename(partial, path)
}
