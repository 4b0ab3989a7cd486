import { readFile, rename, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { type LocalModelKey, localModelKeys } from '#contract'
import { serviceErrors } from '../errors.ts'
import type { Catalogue, CatalogueModel, HubSource } from './catalogue.ts'
import { defaultCatalogue } from './default-catalogue.ts'
import { hubCatalogue } from './hub-catalogue.ts'

/** A model that a user added: where its files are, and what they were when it was checked. */
export interface RegisteredModel {
  readonly id: string
  readonly family: string
  readonly displayName: string
  readonly languages: readonly string[]
  readonly localKey: LocalModelKey
  /** Absolute. */
  readonly folder: string
  /** The folder is ours, and goes with the model. */
  readonly copied: boolean
  readonly files: readonly { readonly name: string; readonly sizeBytes: number; readonly sha256: string }[]
  /** ISO 8601: when they were hashed. Left out by older versions. */
  readonly hashedAt?: string | undefined
  /** SPDX identifier of the weights' licence, where it is known. */
  readonly licence?: string | undefined
  /** Where on the hub it was fetched from, with the commit. */
  readonly hub?: HubSource | undefined
}

interface Register {
  readonly formatVersion: 1
  readonly models: readonly RegisteredModel[]
}

const register: z.ZodType<Register> = z.strictObject({
  formatVersion: z.literal(1),
  models: z.array(
    z.strictObject({
      id: z.string(),
      family: z.string(),
      displayName: z.string(),
      languages: z.array(z.string()),
      localKey: z.enum(localModelKeys),
      folder: z.string(),
      copied: z.boolean(),
      files: z.array(z.strictObject({ name: z.string(), sizeBytes: z.number(), sha256: z.string() })),
      hashedAt: z.iso.datetime().optional(),
      licence: z.string().optional(),
      hub: z.strictObject({ repository: z.string(), revision: z.string() }).optional(),
    }),
  ),
})

/** A file in the models directory. */
const registerFileName = 'registered.json'

/** Whether a file of the register has that name, which a model's folder next to it then cannot have. */
export function isOfRegister(name: string): boolean {
  // Many file systems do not distinguish the case.
  return [registerFileName, `${registerFileName}.new`].includes(name.toLowerCase())
}

/**
 * @returns the models that were added, in the order in which they were; none where nothing was
 * @throws BenchError MODEL_REGISTER_UNREADABLE
 */
export async function readRegister(modelsDir: string): Promise<readonly RegisteredModel[]> {
  const path = join(resolve(modelsDir), registerFileName)
  try {
    return register.parse(JSON.parse(await readFile(path, 'utf8'))).models
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return []
    throw serviceErrors.make('MODEL_REGISTER_UNREADABLE', {
      message: `${path}, which names the models that were added, cannot be read.`,
      hint: 'Repair it, or move it away and add the models again with transcribench models add.',
      cause: error,
    })
  }
}

/** Replaces the register in one step. Only for who changes the models directory alone. */
export async function writeRegister(modelsDir: string, models: readonly RegisteredModel[]): Promise<void> {
  const path = join(resolve(modelsDir), registerFileName)
  await writeFile(`${path}.new`, `${JSON.stringify({ formatVersion: 1, models }, null, 2)}\n`)
  await rename(`${path}.new`, path)
}

/**
 * What a service offers out of a models directory: the built-in models, those that were added, and those of the hub that can
 * be installed.
 *
 * @throws BenchError MODEL_REGISTER_UNREADABLE
 */
export async function catalogueOf(modelsDir: string): Promise<Catalogue> {
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
      ...(hashedAt === undefined ? {} : { comparedAtMs: Date.parse(hashedAt) }),
    },
  }
}
