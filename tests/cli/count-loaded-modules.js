import fs, { writeFileSync } from 'node:fs'
import { registerHooks, syncBuiltinESMExports } from 'node:module'

// Preloaded into a command: writes when it ends how many files it has loaded as modules, and the languages that it has read.
let loadedCount = 0
registerHooks({
  load(url, context, nextLoad) {
    if (url.startsWith('file:')) loadedCount += 1
    return nextLoad(url, context)
  },
})
/** @type {string[]} */
const languages = []
const readFileSync = fs.readFileSync
// @ts-expect-error One of several overloads.
fs.readFileSync = (path, ...options) => {
  const [, language] = /profiles.languages.(\w+)\.yaml$/.exec(String(path)) ?? []
  if (language !== undefined) languages.push(language)
  return readFileSync(path, ...options)
}
syncBuiltinESMExports()
process.on('exit', () =>
  writeFileSync(process.env['LOADED_MODULES_FILE'] ?? '', JSON.stringify({ loadedCount, languages })),
)
