import { z } from 'zod'
import { localModelKey, sherpaFamilies } from '../engines/sherpa-families.ts'
import type { CatalogueModel } from './catalogue.ts'
import data from './hub-catalogue.json' with { type: 'json' }

/** An export of a model for sherpa-onnx on the hub of Hugging Face. */
export interface HubModel {
  readonly id: string
  readonly family: string
  readonly displayName: string
  /** `<owner>/<name>`. */
  readonly repository: string
  /** Branch, tag or commit. */
  readonly revision: string
  /** Names by the family's roles. */
  readonly files: Readonly<Record<string, string>>
  /** SPDX identifier of the weights' licence. */
  readonly licence: string
  /** BCP-47 tags. */
  readonly languages: readonly string[]
  /** About what it takes, by the pages of its files. */
  readonly megabytes: number
}

const repositoryName: z.ZodString = z.string().regex(/^[\w.-]+\/[\w.-]+$/)

const schema = z.strictObject({
  /** When the pages of the repositories were read, in stored copies. */
  readOn: z.iso.date(),
  languageSets: z.record(z.string(), z.array(z.string())),
  models: z.array(
    z.strictObject({
      id: z.string(),
      family: z.enum(sherpaFamilies.map(({ family }) => family)),
      displayName: z.string(),
      repository: repositoryName,
      revision: z.string(),
      files: z.record(z.string(), z.string()),
      licence: z.string(),
      /** Tags, or the name of a set of them. */
      languages: z.union([z.string(), z.array(z.string()).min(1)]),
      megabytes: z.int().positive(),
    }),
  ),
})

const { languageSets, models } = schema.parse(data)

/** Models that `models install` fetches from the hub by name. */
export const hubModels: readonly HubModel[] = models.map(({ languages, ...model }) => ({
  ...model,
  languages: typeof languages === 'string' ? (languageSets[languages] ?? []) : languages,
}))

/** The same as a service lists them while they are not installed. */
export const hubCatalogue: readonly CatalogueModel[] = hubModels.map(
  ({ id, family, displayName, repository, revision, licence, languages, megabytes }) => ({
    id,
    family,
    displayName,
    languages,
    licence,
    localKey: localModelKey(family),
    kind: 'voice',
    sizeBytes: megabytes * 1e6,
    weights: { package: null, files: [], hub: { repository, revision } },
  }),
)
