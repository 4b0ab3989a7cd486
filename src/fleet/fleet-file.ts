import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { type BenchConfig, recordedConfig } from '#config'
import { type RunRecord, readRecord, writeRunDocument } from '#journal'
import type { FleetMode } from './coordinator/fleet-blocks.ts'
import { fleetErrors } from './errors.ts'

/** How a run of a fleet began: all that another process needs to go on with it. */
export interface FleetFile {
  readonly fleet: string
  readonly mode: FleetMode
  /** Null in a shard. */
  readonly hosts: readonly string[] | null
  readonly maxAudioSeconds: number
  readonly config: BenchConfig
  readonly settingSources: RunRecord['settingSources']
  /** Of the documents that hosts fetch. */
  readonly planFingerprint: string
}

const fileName = 'fleet.json'

/** Written before the first block is handed out. */
export function writeFleetFile(folder: string, file: FleetFile): Promise<void> {
  return writeRunDocument(folder, fileName, `${JSON.stringify(file, null, 2)}\n`)
}

/**
 * @param folder of a run that is not complete
 * @throws BenchError FLEET_RUN_UNKNOWN
 */
export async function readFleetFile(folder: string): Promise<FleetFile> {
  const isComplete = await readRecord(folder).then(
    () => true,
    () => false,
  )
  const text = isComplete ? null : await readFile(join(folder, fileName), 'utf8').catch(() => null)
  if (text === null) {
    throw fleetErrors.make('FLEET_RUN_UNKNOWN', {
      message: `${basename(folder)} is ${isComplete ? 'complete' : 'no run of a fleet'}`,
      hint: isComplete
        ? `transcribench report ${basename(folder)}`
        : 'name its folder: --resume results/<run>',
    })
  }
  const file: FleetFile = JSON.parse(text)
  return { ...file, config: asRecorded(file.config) }
}

/** The config as a later process reads it: both make the same plan of it, to the byte. */
export function asRecorded(config: BenchConfig): BenchConfig {
  return recordedConfig.parse(JSON.parse(JSON.stringify(config)))
}
