import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { LanguageFile } from '../language-rules/language-schema.ts'

/**
 * The data of a language: in a checkout from its YAML file, in the package from the same as JSON, which is read faster. A
 * bundle for browsers has another module in the place of this one, which holds all languages.
 *
 * @param name of the file without its ending: `german`
 */
export function readLanguage(name: string): LanguageFile {
  const require = createRequire(import.meta.url)
  if (import.meta.filename.endsWith('.js')) return require(`./${name}.json`)
  const { parse }: typeof import('yaml') = require('yaml')
  // Every value is text: no number, no date, and Turkish `on` is no Boolean.
  return parse(readFileSync(new URL(`${name}.yaml`, import.meta.url), 'utf8'), { schema: 'failsafe' })
}
