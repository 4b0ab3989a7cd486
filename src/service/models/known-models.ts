import { readFile, rename, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { localModelKeys } from '#contract/resources'
import { type DeepReadonly, errorCode } from '#prelude'
import {
  type Catalogue,
  type CatalogueModel,
  type InstallableModel,
  installables,
} from '../engines/engine.ts'
import { localModelKey, sherpaFamilies } from '../engines/sherpa-families.ts'
import { serviceErrors } from '../errors.ts'
import { defaultCatalogue } from './default-catalogue.ts'
import data from './hub-catalogue.json' with { type: 'json' }
import { isInstalled, modelFolder } from './model-folder.ts'

const registeredModel = {
  id: z.string(),
  family: z.string(),
  displayName: z.string(),
  languages: z.array(z.string()),
  localKey: z.enum(localModelKeys),
  /** Absolute path. */
  folder: z.string(),
  /** Whether transcribench made the folder, and deletes it with the model. */
  copied: z.boolean(),
  files: z.array(z.strictObject({ name: z.string(), sizeBytes: z.number(), sha256: z.string() })),
  /** When the files were hashed. */
  hashedAt: z.iso.datetime(),
  /** SPDX identifier of the weights' licence, where it is known. */
  licence: z.string().optional(),
  /** Origin on the hub, with the commit. */
  hub: z.strictObject({ repository: z.string(), revision: z.string() }).optional(),
}
/** A model that a user added, with the folder and the hashes of its files. */
export type RegisteredModel = DeepReadonly<z.infer<z.ZodObject<typeof registeredModel>>>

const register = z.strictObject({
  formatVersion: z.literal(1),
  models: z.array(z.strictObject(registeredModel)),
})

/** Name of the register in the models directory. */
const registerFileName = 'registered.json'

/** Whether the register uses this file name, which a model's folder next to it then cannot have. */
export function isOfRegister(name: string): boolean {
  // Many file systems are not case-sensitive.
  return [registerFileName, `${registerFileName}.new`].includes(name.toLowerCase())
}

/**
 * Reads the models that were added, in that order; empty where none was.
 *
 * @throws BenchError MODEL_REGISTER_UNREADABLE
 */
export async function readRegister(modelsDir: string): Promise<readonly RegisteredModel[]> {
  const path = join(resolve(modelsDir), registerFileName)
  try {
    return register.parse(JSON.parse(await readFile(path, 'utf8'))).models
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error))) return []
    throw serviceErrors.make('MODEL_REGISTER_UNREADABLE', {
      message: `${path}, which names the models that were added, cannot be read.`,
      hint: 'Repair it, or move it away and add the models again with transcribench models add.',
      cause: error,
    })
  }
}

/** Replaces the register in one step. The caller must hold the models directory. */
export async function writeRegister(modelsDir: string, models: readonly RegisteredModel[]): Promise<void> {
  const path = join(resolve(modelsDir), registerFileName)
  await writeFile(`${path}.new`, `${JSON.stringify({ formatVersion: 1, models }, null, 2)}\n`)
  await rename(`${path}.new`, path)
}

/**
 * The models of a models directory: the built-in ones, the added ones, and those of the hub that can be
 * installed.
 *
 * @throws BenchError MODEL_REGISTER_UNREADABLE
 */
export async function readCatalogue(modelsDir: string): Promise<Catalogue> {
  const added = await readRegister(modelsDir)
  const absent = hubCatalogue.filter((model) => !added.some(({ id }) => id === model.id))
  return { ...defaultCatalogue, models: [...defaultCatalogue.models, ...added.map(catalogued), ...absent] }
}

function catalogued({ files, copied: _copied, hashedAt, hub, ...model }: RegisteredModel): CatalogueModel {
  return {
    ...model,
    licence: model.licence ?? 'NOASSERTION',
    kind: 'voice',
    sizeBytes: files.reduce((sum, file) => sum + file.sizeBytes, 0),
    weights: {
      package: null,
      ...(hub === undefined ? {} : { hub }),
      files: files.map((file) => ({ ...file, origin: { kind: 'own' } })),
      comparedAtMs: Date.parse(hashedAt),
    },
  }
}

/**
 * Finds models by their ids, in the order of the catalogue.
 *
 * @throws BenchError MODEL_UNKNOWN with all unknown ids
 */
export async function findModels(
  ids: readonly string[],
  options: {
    readonly modelsDir: string
    readonly catalogue?: Catalogue | undefined
    /** Returns additional advice for an unknown id. */
    readonly advise?: (id: string) => string
  },
): Promise<InstallableModel[]> {
  const models = installables(options.catalogue ?? (await readCatalogue(options.modelsDir)))
  const unknown = ids.filter((id) => !models.some((model) => model.id === id))
  if (unknown.length > 0) {
    const knownIds = models.map((model) => model.id)
    throw serviceErrors.make('MODEL_UNKNOWN', {
      message: `There is no model named ${unknown.map((id) => `"${id}"`).join(', ')}.`,
      hint: [
        `see what can be installed: transcribench models list   (known: ${knownIds.join(', ')})`,
        ...(options.advise === undefined ? [] : unknown.map(options.advise)),
      ].join('; or '),
    })
  }
  return models.filter((model) => ids.includes(model.id))
}

/** A model of the catalogue with the state of its installation. */
export interface ListedModel
  extends Pick<InstallableModel, 'id' | 'family' | 'displayName' | 'languages' | 'licence' | 'sizeBytes'> {
  readonly installed: boolean
  /** Absolute path of the model's folder, which may not exist. */
  readonly folder: string
  /**
   * The download of an installation: a package `name@version`, or a repository of the hub
   * `hf:owner/name@revision`. Null for a model without a download.
   */
  readonly source: string | null
  /** Size of the download in bytes; 0 where there is none. */
  readonly downloadBytes: number
}

/**
 * All models of the catalogue in its order, with added models and the voice activity detector. Compares
 * sizes, not contents; a missing directory counts as empty.
 *
 * @throws BenchError MODEL_REGISTER_UNREADABLE
 */
export async function listModels(options: {
  readonly modelsDir: string
  readonly catalogue?: Catalogue | undefined
}): Promise<readonly ListedModel[]> {
  const models = installables(options.catalogue ?? (await readCatalogue(options.modelsDir)))
  return Promise.all(models.map((model) => listed(options.modelsDir, model)))
}

async function listed(modelsDir: string, model: InstallableModel): Promise<ListedModel> {
  const { id, family, displayName, languages, licence, sizeBytes, weights } = model
  return {
    id,
    family,
    displayName,
    languages,
    licence,
    sizeBytes,
    installed: await isInstalled(modelsDir, model),
    folder: modelFolder(modelsDir, model),
    source: describeSource(weights),
    downloadBytes: weights?.package?.sizeBytes ?? (weights?.hub === undefined ? 0 : sizeBytes),
  }
}

function describeSource(weights: InstallableModel['weights']): string | null {
  const { package: origin = null, hub } = weights ?? {}
  if (origin !== null) return `${origin.name}@${origin.version}`
  return hub === undefined ? null : `hf:${hub.repository}@${hub.revision}`
}

const schema = z.strictObject({
  /** When the repositories' pages, as stored copies, were read. */
  readOn: z.iso.date(),
  languageSets: z.record(z.string(), z.array(z.string())),
  models: z.array(
    z.strictObject({
      id: z.string(),
      family: z.enum(sherpaFamilies.map(({ family }) => family)),
      displayName: z.string(),
      /** Name in the form `<owner>/<name>`. */
      repository: z.string().regex(/^[\w.-]+\/[\w.-]+$/),
      /** Branch, tag or commit. */
      revision: z.string(),
      /** File names by the roles of the family. */
      files: z.record(z.string(), z.string()),
      /** SPDX identifier of the weights' licence. */
      licence: z.string(),
      /** BCP 47 tags, or the name of a language set. */
      languages: z.union([z.string(), z.array(z.string()).min(1)]),
      /** Approximate size, from the pages of its files. */
      megabytes: z.int().positive(),
    }),
  ),
})

/** A sherpa-onnx export of a model on the Hugging Face hub. */
export type HubModel = Omit<z.infer<typeof schema>['models'][number], 'languages'> & {
  /** BCP 47 tags. */
  readonly languages: readonly string[]
}

const { languageSets, models } = schema.parse(data)

/** Models that `models install` fetches from the hub by name. */
export const hubModels: readonly HubModel[] = models.map(({ languages, ...model }) => ({
  ...model,
  languages: typeof languages === 'string' ? (languageSets[languages] ?? []) : languages,
}))

/** Hub models as a service lists them while they are not installed. */
export const hubCatalogue: readonly CatalogueModel[] = hubModels.map(
  ({ repository, revision, megabytes, files: _files, ...model }) => ({
    ...model,
    localKey: localModelKey(model.family),
    kind: 'voice',
    sizeBytes: megabytes * 1e6,
    weights: { package: null, files: [], hub: { repository, revision } },
  }),
)
