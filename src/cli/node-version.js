import { readFileSync } from 'node:fs'

/**
 * The error message for a Node that is too old for this package.
 *
 * @param {string} version in the form of `process.version`
 * @param {string} execPath
 * @param {string} program the path of the program
 * @returns {string | null} null if it is new enough
 */
export function tooOldFor(version, execPath, program) {
  /** @type {{ readonly engines: { readonly node: string } }} */
  const { engines } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  const needed = engines.node.replace(/^>=/, '')
  if (isAtLeast(numbersOf(version), numbersOf(needed))) return null
  return `error  transcribench needs Node ${needed} or newer; this is Node ${version.replace(/^v/, '')} (${execPath})

  npx --package=node@24 -- node ${program} <arguments>    fetches a newer one for this command alone;
  https://nodejs.org/en/download    has it for good
`
}

/** @param {string} version */
function numbersOf(version) {
  return (version.match(/\d+/g) ?? []).map(Number)
}

/**
 * @param {readonly number[]} found
 * @param {readonly number[]} needed
 */
function isAtLeast(found, needed) {
  const at = needed.findIndex((number, index) => (found[index] ?? 0) !== number)
  return at === -1 || (found[at] ?? 0) > (needed[at] ?? 0)
}
