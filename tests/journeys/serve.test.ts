import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { endpoints } from '#contract/endpoints'
import type { Mode } from '#contract/modes'
import type { DiscoveryFile, Recording } from '#contract/resources'
import { backUp, restore } from '#service/folder/backup'
import { startService } from '#service/service'
import { canMount, mountReason } from '../can-mount.ts'
import { base64, startTestService, type TestService, tone } from '../service/running-service.ts'
import { scriptedCatalogue } from '../service/scripted-catalogue.ts'
import { runCli, startCli } from './run-cli.ts'
import { workplace } from './workplace.ts'

const root = join(import.meta.dirname, '../..')

describe.skipIf(!canMount)(`transcribench serve token rotate${mountReason}`, () => {
  test.each([
    ['is full', 'cat /dev/zero > "$disk/fill" 2>/dev/null', 'ENOSPC'],
    ['is read-only', 'mount -o remount,ro "$disk"', 'EROFS'],
  ])('says so where the disk %s, and the old token stays', async (_what, spoil, code) => {
    await using folder = await workplace()
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

test.skipIf(!canMount)(
  `a service on a full disk transcribes, says that it keeps no recording, and deletes Modes${mountReason}`,
  async () => {
    await using folder = await workplace()
    const [disk, engines] = [join(folder.path, 'disk'), join(folder.path, 'engines.yaml')]
    await mkdir(disk)
    const engine = { kind: 'command', id: 'said', program: 'echo', arguments: ['hello', '{audio}'] }
    await writeFile(engines, JSON.stringify({ engines: [{ ...engine, pattern: '^(hello)' }] }))
    const script = `mount -t tmpfs -o size=4m,mode=0700 tmpfs ${disk} && exec "$@"`
    const args = ['serve', '--data-dir', disk, '--engines', engines, '--record-audio', '--platform', 'linux']
    const through = ['unshare', '-rm', 'bash', '-c', script, 'bash']
    await using service = startCli([...args, '--log', 'json'], { cwd: folder.path, through })
    let log = ''
    service.process.stderr?.on('data', (text: string) => {
      log += text
    })
    await service.said(/"kind":"listening"/)
    // The disk as the service sees it.
    const seen = `/proc/${service.process.pid}/root${disk}`
    const { port, token } = JSON.parse(await readFile(join(seen, 'local-api.json'), 'utf8')) as DiscoveryFile
    const send = async (method: string, path: string, json?: unknown): Promise<Record<string, unknown>> => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      const body = json === undefined ? {} : { body: JSON.stringify(json) }
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers, ...body })
      return (await answer.json()) as Record<string, unknown>
    }
    const ids: string[] = []
    for (const name of ['One', 'Two', 'Three']) {
      const { mode } = await send('POST', '/modes', {
        name,
        model: 'said',
        customInstructions: 'x'.repeat(5_000),
      })
      ids.push((mode as Mode).id)
    }
    spawnSync('bash', ['-c', `cat /dev/zero > ${seen}/fill`])
    const asked = {
      audio_base64: base64(tone(0.5)),
      mime_type: 'audio/wav',
      engine: 'command',
      model: 'said',
    }
    expect(await send('POST', '/transcribe', asked)).toMatchObject({
      ok: true,
      text: 'hello',
      warning: 'The recording was not kept: the disk of the service is full.',
    })
    const refused = await send('POST', '/modes', { name: 'Four', customInstructions: 'x'.repeat(100_000) })
    expect(refused).toMatchObject({ ok: false, error: { message: expect.stringContaining('disk') } })
    for (const id of ids) expect(await send('DELETE', `/modes/${id}`)).toEqual({ ok: true })
    expect((await send('GET', '/modes'))['modes']).toHaveLength(1)
    await rm(join(seen, 'fill'))
    expect(await send('POST', '/transcribe', asked)).not.toHaveProperty('warning')
    expect(await send('GET', '/recordings/search')).toMatchObject({ total: 1 })
    expect(log).toContain('"kind":"notRecorded"')
    expect(log).toContain('"kind":"diskFull"')
    expect(log).not.toContain('"kind":"fault"')
  },
)

test.skipIf(!canMount)(
  `a service that finds its disk full says so, for a new data directory and for an old one${mountReason}`,
  async () => {
    await using folder = await workplace()
    const [disk, old] = [join(folder.path, 'disk'), join(folder.path, 'old')]
    await mkdir(disk)
    await (await startService({ dataDir: old, catalogue: scriptedCatalogue({ echo: {} }) })).stop()
    const script = `disk=${disk}; mount -t tmpfs -o size=4m,mode=0700 tmpfs "$disk" && cp -a ${old} "$disk" || exit 99
      cat /dev/zero > "$disk/fill" 2>/dev/null; exec "$@"`
    const through = ['unshare', '-rm', 'bash', '-c', script, 'bash']
    for (const name of ['new', 'old']) {
      const dataDir = join(disk, name)
      const ended = await runCli(['serve', '--data-dir', dataDir], { cwd: folder.path, through })
      expect(ended.code).toBe(2)
      const said = ended.stderr.replaceAll(/\s+/g, ' ')
      expect(said).toContain(`${dataDir} cannot be used: its disk is full.`)
      expect(said).toContain(`Free some space on it (df -h ${dataDir} shows how much there is)`)
      expect(said).toContain('SERVICE_DATA_DIR_UNUSABLE')
    }
  },
)

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
    await using folder = await workplace()
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

  test.each([
    ['bytes that are none', 'no database'],
    ['nothing', ''],
  ])('of a database that holds %s says that the database is damaged', async (_what, content) => {
    await using folder = await workplace()
    const [dataDir, copy] = [join(folder.path, 'data'), join(folder.path, 'copy')]
    await mkdir(dataDir)
    await writeFile(join(dataDir, 'service.sqlite'), content)
    await expect(backUp(dataDir, copy)).rejects.toMatchObject({
      code: 'SERVICE_DATA_DIR_UNUSABLE',
      message: expect.stringMatching(/^\/.*\/data\/service\.sqlite, .* is damaged: /),
    })
    expect(await readdir(folder.path)).not.toContain('copy.partial')
  })

  test('that cannot be restored leaves nothing half in the data directory', async () => {
    await using folder = await workplace()
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
    await using folder = await workplace()
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
