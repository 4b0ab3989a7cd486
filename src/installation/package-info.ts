import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The folder that holds `package.json`, in a checkout and in an installed package alike. */
export const packageFolder: string = join(import.meta.dirname, '../..')

/** The version of transcribench itself. */
export function programVersion(): string {
  const description: unknown = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8'))
  return (description as { readonly version: string }).version
}
