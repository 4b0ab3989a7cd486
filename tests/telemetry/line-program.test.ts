import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

/** Opens files until the system gives no more, and starts a program then. */
const exhausted = `
  import { openSync } from 'node:fs'
  import { startLineProgram } from '${new URL('../../src/telemetry/line-program.ts', import.meta.url)}'
  const print = (reason) => console.log(reason)
  try {
    for (;;) openSync('/dev/null')
  } catch {
    startLineProgram({ command: 'sh', args: [], env: {}, onLine: print, onEnd: print })
  }`

test.skipIf(process.platform === 'win32')(
  'a program that cannot be started for want of file descriptors ends with that reason, and this process goes on',
  async () => {
    const limited = ['-c', 'ulimit -n 64 && exec "$@"', 'sh', process.execPath, '--input-type=module']
    const { stdout } = await promisify(execFile)('sh', [...limited, '--eval', exhausted])
    expect(stdout).toMatch(/^sh: spawn .*EMFILE\n$/)
  },
)
