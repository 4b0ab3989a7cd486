import { engineNames } from '../transcription/resolve-model.ts'
import { openCatalogue } from './open-catalogue.ts'

/**
 * What a service that is started with these options takes as `engine`: families, programs and providers.
 *
 * @returns by name: the environment variable of the key that a provider has not got, otherwise null
 * @throws BenchError ENGINES_FILE_INVALID, MODEL_REGISTER_UNREADABLE
 */
export async function listEngines(options: {
  readonly modelsDir: string
  readonly enginesFile: string | null
  readonly env: Readonly<Record<string, string | undefined>>
}): Promise<ReadonlyMap<string, string | null>> {
  const catalogue = await openCatalogue(options.modelsDir, options.enginesFile, options.env)
  return new Map([
    ...engineNames(catalogue).map((name) => [name, null] as const),
    ...(catalogue.keyless ?? []).map(({ id, keyVariable }) => [id, keyVariable] as const),
  ])
}
