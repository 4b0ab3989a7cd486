import { writeFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

// Preloaded into a command: writes how many files it has loaded as modules when it ends.
let loadedCount = 0
registerHooks({
  load(url, context, nextLoad) {
    if (url.startsWith('file:')) loadedCount += 1
    return nextLoad(url, context)
  },
})
process.on('exit', () => writeFileSync(process.env['LOADED_MODULES_FILE'] ?? '', String(loadedCount)))
