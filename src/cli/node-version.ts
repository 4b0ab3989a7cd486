/** Kept so plain that every Node that can load modules can load it. */
import { readFileSync } from 'node:fs'

/**
 * The error message for a Node that is too old for this package.
 *
 * @param version as `process.version` says it
 * @returns null where it is new enough
 */
export function tooOldFor(version: string, execPath: string): string | null {
  const { engines } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    readonly engines: { readonly node: string }
  }
  const needed = engines.node.replace(/^>=/, '')
  if (isAtLeast(numbersOf(version), numbersOf(needed))) return null
  return `error  transcribench needs Node ${needed} or newer; this is Node ${version.replace(/^v/, '')} (${execPath})

  npx --package=node@24 --package=transcribench -- transcribench <arguments>    fetches a newer one for this command alone;
  https://nodejs.org/en/download    has it for good
`
}

function numbersOf(version: string): readonly number[] {
  return (version.match(/\d+/g) ?? []).map(Number)
}

function isAtLeast(found: readonly number[], needed: readonly number[]): boolean {
  const at = needed.findIndex((number, index) => (found[index] ?? 0) !== number)
  return at === -1 || (found[at] ?? 0) > (needed[at] ?? 0)
}
