import { engineNames } from '../transcription/resolve-model.ts'
import { openCatalogue } from './open-catalogue.ts'

/**
 * What a service that is started with these would take as `engine`: families, programs, providers, with a key or without.
 *
 * @throws BenchError ENGINES_FILE_INVALID, MODEL_REGISTER_UNREADABLE
 */
export async function listEngineNames(options: {
  readonly modelsDir: string
  readonly enginesFile: string | null
  readonly env: Readonly<Record<string, string | undefined>>
}): Promise<readonly string[]> {
  const catalogue = await openCatalogue(options.modelsDir, options.enginesFile, options.env)
  return [...engineNames(catalogue), ...(catalogue.keyless ?? []).map(({ id }) => id)]
}
