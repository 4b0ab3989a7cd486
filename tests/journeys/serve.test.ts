import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { endpoints, type Recording } from '#contract'
import { backUp, restore, scriptedCatalogue, startService } from '#service'
import { canMount, mountReason } from '../can-mount.ts'
import { temporaryFolder } from '../journal/temporary-folder.ts'
import { base64, startTestService, type TestService, tone } from '../service/running-service.ts'
import { runCli } from './run-cli.ts'

const root = join(import.meta.dirname, '../..')

describe.skipIf(!canMount)(`transcribench serve token rotate${mountReason}`, () => {
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

// Without rights it starts and then fails, as it does where no systemd runs.
const unit = join(root, 'docs/systemd/transcribench.service')
const { stdout: rating } = spawnSync('systemd-analyze', ['security', '--offline=true', unit], {
  encoding: 'utf8',
})
const exposure = /Overall exposure level for \S+: ([\d.]+)/.exec(rating ?? '')?.[1]
const systemdReason = exposure === undefined ? ' (skipped: systemd-analyze rates nothing for this user)' : ''

test.skipIf(exposure === undefined)(
  `the unit for systemd is rated under 3 of 10 for its exposure${systemdReason}`,
  () => expect(Number(exposure)).toBeLessThan(3),
)

describe('a backup', () => {
  const audio_base64 = base64(tone(0.5))
  const searched = async (started: TestService): Promise<readonly Recording[]> => {
    const { json } = await started.send('GET', '/recordings/search')
    return endpoints.searchRecordings.answer.parse(json).recordings
  }

  test('of a service that runs holds its Modes and recordings, and not its token; restored, all is there', async () => {
    await using folder = await temporaryFolder()
    const cwd = folder.path
    const [dataDir, restored] = [join(cwd, 'data'), join(cwd, 'restored')]
    const before = await (async () => {
      await using started = await startTestService({ dataDir, recordAudio: true })
      await started.send('POST', '/modes', { body: { name: 'Letters' } })
      for (let count = 0; count < 3; count += 1) {
        await started.transcribe({ engine: 'scripted', model: 'echo', audio_base64 })
      }
      const made = await runCli(['serve', 'backup', 'copy', '--data-dir', dataDir], { cwd })
      expect(made.stderr).toContain('3 recordings, 3 with sound')
      return { token: started.service.token, recordings: await searched(started) }
    })()
    const names = await readdir(join(cwd, 'copy'), { recursive: true })
    expect(names.filter((name) => !name.startsWith('recordings'))).toEqual(['backup.json', 'service.sqlite'])
    expect(names).toHaveLength(6)
    expect((await stat(join(cwd, 'copy'))).mode & 0o777).toBe(0o700)
    expect((await runCli(['serve', 'backup', 'copy', '--data-dir', dataDir], { cwd })).stderr).toContain(
      'BACKUP_UNUSABLE',
    )

    expect((await runCli(['serve', 'restore', 'copy', '--data-dir', restored], { cwd })).code).toBe(0)
    await using started = await startTestService({ dataDir: restored })
    expect(started.service.token).not.toBe(before.token)
    expect((await started.send('GET', '/modes')).json.modes?.map(({ name }) => name)).toContain('Letters')
    const recordings = await searched(started)
    expect(recordings.map(({ id, text }) => [id, text])).toEqual(
      before.recordings.map(({ id, text }) => [id, text]),
    )
    for (const { audioFilePath } of recordings) expect((await stat(audioFilePath)).mode & 0o777).toBe(0o600)
    const again = await runCli(['serve', 'restore', 'copy', '--data-dir', restored], { cwd })
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('SERVICE_DATA_DIR_HELD')])
    const over = await runCli(['serve', 'restore', 'copy', '--data-dir', dataDir], { cwd })
    expect([over.code, over.stderr]).toEqual([2, expect.stringContaining('BACKUP_UNUSABLE')])
  })

  test('that cannot be restored leaves nothing half in the data directory', async () => {
    await using folder = await temporaryFolder()
    const [dataDir, copy] = [join(folder.path, 'data'), join(folder.path, 'copy')]
    const restored = join(folder.path, 'restored')
    {
      await using started = await startTestService({ dataDir, recordAudio: true })
      await started.transcribe({ engine: 'scripted', model: 'echo', audio_base64 })
      await backUp(dataDir, copy)
    }
    for (const part of ['recordings', 'service.sqlite']) {
      await rename(join(copy, part), join(folder.path, 'aside'))
      await expect(restore(copy, restored)).rejects.toMatchObject({
        code: 'BACKUP_UNUSABLE',
        message: `${copy} cannot be used: it has no ${part} that can be read.`,
      })
      await rename(join(folder.path, 'aside'), join(copy, part))
    }
    expect(existsSync(restored)).toBe(false)

    // No file that can be copied, and the last one.
    await mkdir(join(copy, 'recordings', 'z'))
    await expect(restore(copy, restored)).rejects.toMatchObject({ code: 'BACKUP_UNUSABLE' })
    expect(await readdir(restored)).toEqual(['service.lock'])
    await rm(join(copy, 'recordings', 'z'), { recursive: true })
    await mkdir(join(restored, 'recordings'))
    await writeFile(join(restored, 'recordings', 'mine.wav'), '')
    await expect(restore(copy, restored)).rejects.toMatchObject({
      message: `${restored} cannot be used: it holds recordings already.`,
    })
    await rm(join(restored, 'recordings', 'mine.wav'))
    expect(await restore(copy, restored)).toMatchObject({ recordingCount: 1, soundCount: 1 })
    expect(await readdir(restored)).toEqual(['recordings', 'service.lock', 'service.sqlite'])
    expect(await readdir(join(restored, 'recordings'))).toHaveLength(1)
  })
})

describe.skipIf(process.platform === 'win32')('a service that npm has started', () => {
  test('stops cleanly when npm receives SIGTERM', async () => {
    await using folder = await temporaryFolder()
    const args = ['run', '--silent', 'transcribench', '--', 'serve', '--data-dir', folder.path]
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
