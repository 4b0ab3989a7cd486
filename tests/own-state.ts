import { tmpdir } from 'node:os'
import { join } from 'node:path'

// Runs of tests are none of a person's, and those of one worker none of another's.
process.env['XDG_STATE_HOME'] = join(
  tmpdir(),
  'transcribench-test-state',
  process.env['VITEST_POOL_ID'] ?? '0',
)
