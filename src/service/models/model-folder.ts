import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { InstallableModel, WeightsFile } from './catalogue.ts'

/** Written last, so that a folder without it is no installed model. */
export const installedFileName = 'installed.json'

/** Absolute path of the folder with a model's weights, whether it exists or not. */
export function modelFolder(
  modelsDir: string,
  { id, folder }: Pick<InstallableModel, 'id' | 'folder'>,
): string {
  return folder ?? join(resolve(modelsDir), id)
}

/** Whether the model's files are there in their right sizes. Cheap enough to ask with every request. */
export async function isInstalled(modelsDir: string, model: InstallableModel): Promise<boolean> {
  if (model.weights === null) return (await model.isThere?.()) ?? true
  const folder = modelFolder(modelsDir, model)
  const found = await Promise.all([
    // What an installation writes last is not there where the operator keeps the files.
    model.weights.package === null ||
      sizeOf(join(folder, installedFileName)).then((sizeBytes) => sizeBytes !== null),
    ...model.weights.files.map(async (file) => (await sizeOf(join(folder, file.name))) === file.sizeBytes),
  ])
  return found.every(Boolean)
}

/**
 * Compares every file of an installed model with the hashes of the catalogue.
 *
 * @returns the names of the files that are missing or differ; empty for a model as it should be
 */
export async function damagedFiles(
  folder: string,
  files: readonly WeightsFile[],
): Promise<readonly string[]> {
  const damaged: string[] = []
  for (const file of files) {
    if ((await sha256OfFile(join(folder, file.name))) !== file.sha256) damaged.push(file.name)
  }
  return damaged
}

export async function sha256OfFile(path: string): Promise<string | null> {
  const hash = createHash('sha256')
  try {
    await pipeline(createReadStream(path), hash)
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
  return hash.digest('hex')
}

async function sizeOf(path: string): Promise<number | null> {
  try {
    return (await stat(path)).size
  } catch {
    // Missing or unreadable: in both cases the service cannot use it.
    return null
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')
}
