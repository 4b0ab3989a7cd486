import { join } from 'node:path'
import type { EngineFailure } from '../engines/engine.ts'
import type { Catalogue } from '../models/catalogue.ts'
import { damagedFiles, isInstalled, modelFolder } from '../models/model-folder.ts'

/**
 * Looks for what finds silences.
 *
 * @returns the path of its file, or null where it is not installed, or not as the catalogue says: a damaged file
 *   can end the process inside native code
 */
export async function findVoiceActivity(
  { voiceActivity }: Catalogue,
  modelsDir: string,
): Promise<string | null> {
  const [file] = voiceActivity?.weights?.files ?? []
  if (voiceActivity === undefined || file === undefined) return null
  if (!(await isInstalled(modelsDir, voiceActivity))) return null
  const folder = modelFolder(modelsDir, voiceActivity)
  return (await damagedFiles(folder, [file])).length === 0 ? join(folder, file.name) : null
}

export function cannotCut({ voiceActivity }: Catalogue, maxClipSeconds: number): EngineFailure {
  return {
    code: 'MODEL_NOT_INSTALLED',
    message: `A recording over ${maxClipSeconds} s is cut at its silences for this engine, and what finds them is not installed.`,
    ...(voiceActivity === undefined ? {} : { hint: `transcribench models install ${voiceActivity.id}` }),
  }
}
