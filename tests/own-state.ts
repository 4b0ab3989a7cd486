import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compileCacheFolder } from '#installation/compile-cache'

const variable = 'TRANSCRIBENCH_TEST_STATE'

/** Makes the folder of all workers, and removes it after the last test. */
export function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'transcribench-test-state-'))
  process.env[variable] = folder
  return () => rmSync(folder, { recursive: true, force: true })
}

// Runs of tests are none of a person's, and those of one worker none of another's.
const folder = process.env[variable]
if (folder !== undefined) {
  process.env['XDG_STATE_HOME'] = join(folder, process.env['VITEST_POOL_ID'] ?? '0')
}

// As `main.js` does for a command: programs of the tests start in half of the time where Node keeps what it compiled before.
const cacheFolder = compileCacheFolder(process.env)
if (cacheFolder !== null) process.env['NODE_COMPILE_CACHE'] = cacheFolder
