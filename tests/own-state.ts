import { tmpdir } from 'node:os'
import { join } from 'node:path'

// Runs of tests are none of a person's, and those of one worker none of another's.
process.env['XDG_STATE_HOME'] = join(
  tmpdir(),
  'transcribench-test-state',
  process.env['VITEST_POOL_ID'] ?? '0',
)

// As `main.js` does for a command: programs of the tests start in half of the time where Node keeps what it compiled before.
process.env['NODE_COMPILE_CACHE'] ??= join(tmpdir(), 'node-compile-cache')
