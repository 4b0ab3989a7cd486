import { execFile } from 'node:child_process'
import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../temporary-folder.ts'

const run = promisify(execFile)
const setup = new URL('../../scripts/setup.js', import.meta.url).href

test.skipIf(process.platform === 'win32')(
  'what the set-up starts finds the npm settings of the whole machine, although another Node runs it',
  async () => {
    await using folder = await temporaryFolder()
    const npm = join(folder.path, 'npm')
    await writeFile(npm, '#!/bin/sh\n[ "$*" = "config get globalconfig" ] && echo /etc/the-machine/npmrc\n')
    await chmod(npm, 0o755)
    const script = `const { ownEnvironment } = await import('${setup}'); console.log(ownEnvironment().npm_config_globalconfig)`
    const { npm_config_globalconfig: _set, ...environment } = process.env
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script], {
      env: { ...environment, PATH: `${folder.path}:${environment['PATH']}` },
    })
    expect(stdout.trim()).toBe('/etc/the-machine/npmrc')
  },
)
