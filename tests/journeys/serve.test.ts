import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { scriptedCatalogue, startService } from '#service'
import { temporaryFolder } from '../journal/temporary-folder.ts'
import { runCli } from './run-cli.ts'

const root = join(import.meta.dirname, '../..')
const canMount = spawnSync('unshare', ['-rm', 'true']).status === 0

describe.skipIf(!canMount)('asrbench serve token rotate', () => {
  test.each([
    ['is full', 'cat /dev/zero > "$disk/fill" 2>/dev/null', 'ENOSPC'],
    ['is read-only', 'mount -o remount,ro "$disk"', 'EROFS'],
  ])('says so where the disk %s, and the old token stays', async (_what, spoil, code) => {
    await using folder = await temporaryFolder()
    const [dataDir, disk] = [join(folder.path, 'data'), join(folder.path, 'disk')]
    await mkdir(disk)
    const service = await startService({ dataDir, catalogue: scriptedCatalogue({ echo: {} }) })
    await service.stop()
    const before = await readFile(join(dataDir, 'token'), 'utf8')
    const script = `disk=${disk}; mount -t tmpfs -o size=256k tmpfs "$disk" && cp ${dataDir}/token "$disk" || exit 99
      ${spoil}; "$@"; code=$?; cat "$disk/token"; exit $code`
    const through = ['unshare', '-rm', 'bash', '-c', script, 'bash']
    const args = ['serve', 'token', 'rotate', '--data-dir', disk]
    const ended = await runCli(args, { cwd: folder.path, through })
    expect(ended.code).toBe(2)
    expect(ended.stderr).toContain('SERVICE_DATA_DIR_UNUSABLE')
    expect(ended.stderr.replaceAll(/\s+/g, ' ')).toContain('the old token is still valid')
    expect(ended.stderr).toContain(code)
    expect(ended.stderr).not.toContain('bug')
    expect(ended.stdout).toBe(before)
  })
})

describe.skipIf(process.platform === 'win32')('a service that npm has started', () => {
  test('stops cleanly when npm is told to stop', async () => {
    await using folder = await temporaryFolder()
    const args = ['run', '--silent', 'asrbench', '--', 'serve', '--data-dir', folder.path]
    const npm = spawn('npm', args, { cwd: root, stdio: 'ignore' })
    const discovery = join(folder.path, 'local-api.json')
    while (!existsSync(discovery)) await sleep(50)
    const { pid } = JSON.parse(await readFile(discovery, 'utf8')) as { readonly pid: number }
    expect(pid).not.toBe(npm.pid)
    const ended = once(npm, 'exit')
    npm.kill('SIGTERM')
    await ended
    // The discovery file goes with a clean stop only.
    while (existsSync(discovery)) await sleep(50)
    while (isAlive(pid)) await sleep(50)
  })
})

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    // There is no such process.
    return false
  }
}
