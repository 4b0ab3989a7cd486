import { join } from 'node:path'
import { dataDirectory } from '#installation'

/** Where the reference service keeps its Modes, token and discovery file by default. */
export { dataDirectory as defaultDataDir } from '#installation'

/** Where models are installed by default: `models` in the default data directory. */
export function defaultModelsDir(
  env: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform = process.platform,
): string {
  return modelsDirOf(dataDirectory(env, platform))
}

export function modelsDirOf(dataDir: string): string {
  return join(dataDir, 'models')
}
