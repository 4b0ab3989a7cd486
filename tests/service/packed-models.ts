import { createHash } from 'node:crypto'
import type { Catalogue, CatalogueModel } from '#service/engines/engine'
import { startRegistry } from '../corpus/registry.ts'

type Registry = Awaited<ReturnType<typeof startRegistry>>

/** A registry with one package, and a catalogue of two models, `small` and `large`, whose weights are in it. */
export interface PackedModels extends AsyncDisposable {
  readonly registry: Registry
  readonly catalogue: Catalogue
}

const contents = { small: 'small weights', large: 'large weights, '.repeat(20_000) }

export async function startPackedModels(): Promise<PackedModels> {
  const registry = await startRegistry({
    'small/weights.bin': contents.small,
    'large/weights.bin': contents.large,
  })
  const weightsPackage = { ...registry.package, sizeBytes: 2_000 }
  const models = Object.entries(contents).map(
    ([id, content]): CatalogueModel => ({
      id,
      family: 'scripted',
      localKey: 'engine_d',
      kind: 'voice',
      displayName: id,
      languages: ['en'],
      licence: 'MIT',
      sizeBytes: content.length,
      weights: {
        package: weightsPackage,
        files: [
          {
            name: 'weights.bin',
            sizeBytes: content.length,
            sha256: createHash('sha256').update(content).digest('hex'),
            origin: { kind: 'packed', path: `${id}/weights.bin` },
          },
        ],
      },
    }),
  )
  return {
    registry,
    catalogue: { models, engines: [] },
    [Symbol.asyncDispose]: () => registry[Symbol.asyncDispose](),
  }
}
