import { copyFile, mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Problem } from '#prelude'
import { engineSampleRateHz, installables } from '../engines/engine.ts'
import { sherpaEngine } from '../engines/sherpa.ts'
import {
  findCompanions,
  findFiles,
  localModelKey,
  type RoleFiles,
  readOnnxMetadata,
  type SherpaFamily,
  sherpaFamilies,
  tagOfCode,
  type UnclearRole,
} from '../engines/sherpa-families.ts'
import { serviceErrors } from '../errors.ts'
import {
  isOfRegister,
  type RegisteredModel,
  readCatalogue,
  readRegister,
  writeRegister,
} from './known-models.ts'
import { changeModels, leftoverPath, modelFolder, sha256OfFile } from './model-folder.ts'

/** A model whose files the user provides. */
export interface ModelToAdd {
  /** The name for clients: letters, digits, `.`, `_` and `-`. */
  readonly id: string
  readonly family: string
  /** The folder with its files. */
  readonly path: string
  /** Whether to copy the files into the models directory; otherwise they have to stay in place. Default: false. */
  readonly copy?: boolean | undefined
}

/** Families whose models can be added. */
export const addableFamilies: readonly string[] = sherpaFamilies.map(({ family }) => family)

export const idPattern: RegExp = /^[a-z0-9][a-z0-9._-]{0,99}$/i

/**
 * Adds a model to those that a service offers: finds its files by their usual names, loads it once in a
 * separate process, and registers folder and hashes. A running service offers it after its next start.
 *
 * @throws BenchError MODEL_NOT_ADDED with all problems, MODEL_UNUSABLE, or another code that begins with
 * MODEL
 */
export async function addModel(
  model: ModelToAdd,
  options: { readonly modelsDir: string; readonly signal?: AbortSignal | undefined },
): Promise<void> {
  const { modelsDir, signal } = options
  await changeModels(modelsDir, signal, async () => {
    const found = await findModelFiles(model, modelsDir)
    const folder = resolve(model.path)
    await checkByLoading(model.id, found.family, folder, signal)
    const home = model.copy === true ? await copyFiles(model.id, folder, found, options) : folder
    await register({ ...found, id: model.id, folder: home, copied: model.copy === true }, modelsDir)
  })
}

/** A model whose files are in their final folder, and that was loaded once. */
export interface ModelToRegister extends Found {
  readonly id: string
  readonly folder: string
  /** Whether to delete the folder with the model. */
  readonly copied: boolean
  /** Other facts about the model; languages in its metadata take precedence. */
  readonly facts?: Pick<RegisteredModel, 'displayName' | 'languages' | 'licence' | 'hub'>
}

/** Registers a model with the hashes of its files; replaces another one of the same name. */
export async function register(
  { id, family, files, companions, folder, copied, facts }: ModelToRegister,
  modelsDir: string,
): Promise<void> {
  // The time is taken before the files are read, so that later changes are detected.
  const hashedAt = new Date().toISOString()
  const metadata = await readOnnxMetadata(join(folder, files[family.describedBy] ?? ''))
  const languages = family.languageCodes(files, metadata).map(tagOfCode)
  const others = (await readRegister(modelsDir)).filter((registered) => registered.id !== id)
  const entry: RegisteredModel = {
    hashedAt,
    id,
    family: family.family,
    displayName: `${family.displayName} ${id}`,
    localKey: localModelKey(family.family),
    folder,
    copied,
    files: await Promise.all([...Object.values(files), ...companions].map((name) => described(folder, name))),
    ...facts,
    languages: languages.length > 0 ? languages : (facts?.languages ?? []),
  }
  await writeRegister(modelsDir, [...others, entry])
}

interface Found {
  readonly family: SherpaFamily
  /** File names by the roles of the family. */
  readonly files: RoleFiles
  /** Files that contain the weights of `files`. */
  readonly companions: readonly string[]
}

async function findModelFiles({ id, family, path }: ModelToAdd, modelsDir: string): Promise<Found> {
  const problems: Problem[] = []
  if (!idPattern.test(id)) {
    problems.push({ where: 'id', what: `"${id}" is not a name of letters, digits, '.', '_' and '-'` })
  }
  if (isOfRegister(id)) problems.push({ where: 'id', what: `"${id}" is a file of the models directory` })
  const isTaken = installables(await readCatalogue(modelsDir)).some(
    // A model of the hub that is not fetched does not reserve its name.
    (model) => model.id === id && !(model.weights?.hub !== undefined && model.weights.files.length === 0),
  )
  if (isTaken) problems.push({ where: 'id', what: `there is a model named "${id}" already` })
  const knownFamily = sherpaFamilies.find((entry) => entry.family === family)
  if (knownFamily === undefined) {
    problems.push({ where: '--family', what: `"${family}" is none of ${addableFamilies.join(', ')}` })
  }
  const names = await readdir(path).catch(() => null)
  if (names === null)
    problems.push({ where: '--path', what: `${resolve(path)} is not a folder that can be read` })
  const files = knownFamily === undefined || names === null ? null : findFiles(names, knownFamily.roles)
  if (files?.ok === false) problems.push(...files.failure.map((role) => unclear(path, role)))
  const isOther = names !== null && files?.ok !== true
  const fitting = isOther ? sherpaFamilies.filter(({ roles }) => findFiles(names, roles).ok) : []
  if (fitting.length > 0) {
    const meant = fitting.map((entry) => entry.family).join(' or ')
    problems.push({ where: '--family', what: `the files have the names of ${meant}` })
  }
  if (problems.length > 0 || knownFamily === undefined || files?.ok !== true) {
    throw serviceErrors.make('MODEL_NOT_ADDED', {
      message: `The model "${id}" cannot be added.`,
      hint: 'transcribench models add <id> --family <family> --path <folder>',
      problems,
    })
  }
  return { family: knownFamily, files: files.value, companions: findCompanions(names ?? [], files.value) }
}

function unclear(path: string, { role, like, candidates }: UnclearRole): Problem {
  const what =
    candidates.length === 0
      ? `no file for the ${role}, which is named like ${like}`
      : `several files could be the ${role}: ${candidates.join(', ')}`
  return { where: resolve(path), what }
}

/** Time limit in milliseconds; loading the largest of these models from a slow disk takes half a minute. */
const maxCheckMs = 300_000

/**
 * Loads a model in a separate process, as a service would, and transcribes a second of silence.
 *
 * @throws BenchError MODEL_UNUSABLE with the engine's message if that fails
 */
export async function checkByLoading(
  id: string,
  family: SherpaFamily,
  folder: string,
  callerSignal: AbortSignal | undefined,
): Promise<void> {
  const limit = AbortSignal.timeout(maxCheckMs)
  const signal = callerSignal === undefined ? limit : AbortSignal.any([callerSignal, limit])
  const loaded = await sherpaEngine(family).load({ id: family.family, folder, threads: 1, signal })
  let failure = loaded.ok ? null : loaded.failure.message
  if (loaded.ok) {
    const silence = { samples: new Float32Array(engineSampleRateHz), fileName: null }
    const transcribed = await loaded.value.transcribe(silence, { language: null, timestamps: [], signal })
    await loaded.value.unload()
    failure = transcribed.ok ? null : transcribed.failure.message
  } else if (limit.aborted) failure = 'loading it took more than five minutes'
  callerSignal?.throwIfAborted()
  if (failure === null) return
  throw serviceErrors.make('MODEL_UNUSABLE', {
    message: `The model "${id}" does not load as ${family.family}: ${failure}`,
    hint: `Check that ${folder} holds a model of this family, exported for sherpa-onnx, in whole files.`,
  })
}

async function copyFiles(
  id: string,
  folder: string,
  { files, companions }: Found,
  { modelsDir, signal }: Parameters<typeof addModel>[1],
): Promise<string> {
  const [passing, home] = [leftoverPath(modelsDir, 'installing', id), modelFolder(modelsDir, { id })]
  await mkdir(passing)
  for (const name of [...Object.values(files), ...companions]) {
    await copyFile(join(folder, name), join(passing, name))
    signal?.throwIfAborted()
  }
  // No known model has this name, so existing files there are stale.
  await rm(home, { recursive: true, force: true })
  await rename(passing, home)
  return home
}

async function described(folder: string, name: string): Promise<RegisteredModel['files'][number]> {
  const path = join(folder, name)
  const [{ size: sizeBytes }, sha256] = await Promise.all([stat(path), sha256OfFile(path)])
  return { name, sizeBytes, sha256: sha256 ?? '' }
}
