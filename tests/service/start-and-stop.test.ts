import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, mkdir, readdir, readFile, rmdir, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { inspect, promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { discoveryFile } from '#contract/resources'
import { startService } from '#service/service'
import { caught } from '../corpus/caught.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { base64, startTestService, tone } from './running-service.ts'
import { scriptedCatalogue } from './scripted-catalogue.ts'

const projectFolder = join(import.meta.dirname, '../..')
const fromSource = ['--disable-warning=ExperimentalWarning', '--input-type=module']
const catalogue = scriptedCatalogue({ echo: {} })
const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777

describe('a started service', () => {
  test.skipIf(process.platform === 'win32')(
    'restricts what other users could read, whichever program made it, and keeps its token',
    async () => {
      await using folder = await temporaryFolder()
      const dataDir = join(folder.path, 'restored')
      const before = await startService({ dataDir, catalogue })
      await before.stop()
      for (const name of ['service.pid', 'local-api.json', 'recordings/a.wav', 'models/m.onnx']) {
        await folder.write(join('restored', name), '')
      }
      execFileSync('chmod', ['-R', 'a+rX', dataDir])
      await using started = await startTestService({ dataDir, recordAudio: true })
      expect(started.service.token).toBe(before.token)
      const sent = { audio_base64: base64(tone(0.1)), mime_type: 'audio/wav' }
      await started.transcribe({ engine: 'scripted', model: 'echo', ...sent })
      expect(await modeOf(dataDir)).toBe(0o700)
      expect(await modeOf(join(dataDir, 'recordings'))).toBe(0o700)
      const files = (await readdir(dataDir, { recursive: true, withFileTypes: true })).filter((entry) =>
        entry.isFile(),
      )
      const open: string[] = []
      for (const { parentPath, name } of files) {
        if ((await modeOf(join(parentPath, name))) !== 0o600) open.push(name)
      }
      // Models are no secret, and may be shared.
      expect(open).toEqual(['m.onnx'])
      expect(files.map(({ name }) => name)).toEqual(
        expect.arrayContaining(['token', 'service.sqlite', 'service.lock', 'service.pid', 'a.wav']),
      )
      // The sound of now as well.
      expect(files.filter(({ name }) => name.endsWith('.wav'))).toHaveLength(2)
    },
  )

  const othersMay = {
    'that all users can write to': [0o777, 'public'],
    'that a group can write to': [0o770, 'public'],
    'whose recordings others can write to': [0o777, 'public/recordings'],
    'whose token others can write to': [0o666, 'public/token'],
  } as const
  test.skipIf(process.platform === 'win32').each(Object.entries(othersMay))(
    'refuses a data directory %s, and starts on it after the command that it prints',
    async (_what, [mode, path]) => {
      await using folder = await temporaryFolder()
      const dataDir = join(folder.path, 'public')
      await mkdir(join(dataDir, 'recordings'), { recursive: true, mode: 0o700 })
      await writeFile(join(dataDir, 'token'), `${'x'.repeat(43)}\n`, { mode: 0o600 })
      await chmod(join(folder.path, path), mode)
      const refusal = await caught(startService({ dataDir, catalogue }))
      expect(refusal).toMatchObject({
        code: 'SERVICE_DATA_DIR_UNUSABLE',
        message: expect.stringContaining('other users can write to it'),
      })
      expect((await stat(join(folder.path, path))).mode & 0o7777).toBe(mode)
      const command = /chmod [^.]*?go-w \S+?(?=\.? |\.?$)/.exec(refusal.hint ?? '')?.[0] ?? 'false'
      execFileSync('sh', ['-c', command])
      await (await startService({ dataDir, catalogue })).stop()
    },
  )

  test.skipIf(process.platform === 'win32')(
    'refuses a damaged token in a folder with an apostrophe, and starts after the command that it prints',
    async () => {
      await using folder = await temporaryFolder()
      const dataDir = join(folder.path, "o'hara")
      await mkdir(dataDir, { mode: 0o700 })
      await writeFile(join(dataDir, 'token'), 'none\n', { mode: 0o600 })
      const { hint } = await caught(startService({ dataDir, catalogue }))
      execFileSync('sh', ['-c', hint?.split(', and')[0] ?? 'false'])
      await (await startService({ dataDir, catalogue })).stop()
    },
  )

  test.skipIf(process.platform === 'win32')(
    'refuses a data directory that all users share, and neither changes it nor says how',
    async () => {
      await using folder = await temporaryFolder()
      const dataDir = join(folder.path, 'public')
      await mkdir(dataDir)
      await chmod(dataDir, 0o1777)
      const refusal = await caught(startService({ dataDir, catalogue }))
      expect(refusal).toMatchObject({
        code: 'SERVICE_DATA_DIR_UNUSABLE',
        message: expect.stringContaining('all users of this machine share it'),
        hint: expect.not.stringContaining('chmod'),
      })
      expect((await stat(dataDir)).mode & 0o7777).toBe(0o1777)
      expect(await readdir(dataDir)).toEqual([])
    },
  )

  test.skipIf(process.getuid?.() !== 0)(
    'refuses a data directory, and a token in it, of another user (only root can make one)',
    async () => {
      for (const name of ['', 'recordings', 'token', 'service.sqlite']) {
        await using folder = await temporaryFolder()
        await (await startService({ dataDir: folder.path, catalogue })).stop()
        await chown(join(folder.path, name), 1, 1)
        await expect(startService({ dataDir: folder.path, catalogue })).rejects.toMatchObject({
          code: 'SERVICE_DATA_DIR_UNUSABLE',
          message: expect.stringContaining('it belongs to another user'),
        })
      }
    },
  )

  test.each([
    ['empty', ''],
    ['no database', 'x'.repeat(5_000)],
    ['damaged', `SQLite format 3\0${'\xff'.repeat(8_000)}`],
  ])('refuses a database that is %s, leaves it as it is, and says how to go on', async (_what, content) => {
    await using folder = await temporaryFolder()
    const path = join(folder.path, 'service.sqlite')
    await (await startService({ dataDir: folder.path, catalogue })).stop()
    await writeFile(path, content, 'latin1')
    const refusal = await caught(startService({ dataDir: folder.path, catalogue }))
    expect(refusal).toMatchObject({
      code: 'SERVICE_DATA_DIR_UNUSABLE',
      message: expect.stringContaining(`${path}, which holds the Modes and recordings, is damaged: `),
    })
    expect(await readFile(path, 'latin1')).toBe(content)
    const command = /\((mkdir [^)]+)\)/.exec(refusal.hint ?? '')?.[1] ?? 'false'
    if (process.platform === 'win32') return
    execFileSync('sh', ['-c', command])
    await (await startService({ dataDir: folder.path, catalogue })).stop()
    expect((await readdir(join(folder.path, 'damaged'))).includes('service.sqlite')).toBe(true)
  })

  test('does not show its token when it is printed, serialised or logged', async () => {
    await using started = await startTestService()
    const { service, logged } = started
    await started.send('GET', '/modes')
    await started.send('GET', '/modes', { headers: { authorization: 'Bearer wrong' } })
    const shown = [
      inspect(service),
      JSON.stringify(service),
      String(service),
      inspect(logged, { depth: 9 }),
    ].join()
    expect(service.token).toHaveLength(43)
    expect(shown).not.toContain(service.token)
    expect(logged.map((event) => event.kind)).toEqual(['starting', 'listening', 'answered', 'answered'])
  })

  test('leaves nothing but its own files in the data folder, and no temporary one', async () => {
    await using started = await startTestService()
    const names = (await readdir(started.folder)).sort()
    expect(names.filter((name) => !name.startsWith('service.'))).toEqual([
      'local-api.json',
      'recordings',
      'token',
    ])
  })
})

describe('a stopped service', () => {
  test('leaves a discovery file alone that another service has written since', async () => {
    await using started = await startTestService()
    const other = JSON.stringify({ port: 1234, token: 'x', pid: 1 })
    await writeFile(started.service.discoveryPath, other)
    await started.service.stop()
    expect(await readFile(started.service.discoveryPath, 'utf8')).toBe(other)
  })

  test('lets a process end that has nothing else to do', async () => {
    await using folder = await temporaryFolder()
    const program = `
      import { startService } from '#service/service'
      const service = await startService({ dataDir: ${JSON.stringify(folder.path)} })
      await service.stop()
      process.stdout.write('stopped')`
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [...fromSource, '-e', program], {
      cwd: projectFolder,
    })
    expect({ stdout, stderr }).toEqual({ stdout: 'stopped', stderr: '' })
  })
})

test('a killed service leaves a folder that the next one can use, with every Mode that it answered', async () => {
  await using folder = await temporaryFolder()
  const program = `
    import { startService } from '#service/service'
    await startService({ dataDir: ${JSON.stringify(folder.path)} })
    process.stdout.write('listening')`
  const child = spawn(process.execPath, [...fromSource, '-e', program], { cwd: projectFolder })
  await once(child.stdout, 'data')
  const discoveryPath = join(folder.path, 'local-api.json')
  const { port, token } = discoveryFile.parse(JSON.parse(await readFile(discoveryPath, 'utf8')))
  const authorization = `Bearer ${token}`
  const body = JSON.stringify({ name: 'Kept' })
  await fetch(`http://127.0.0.1:${port}/modes`, { method: 'POST', headers: { authorization }, body })
  child.kill('SIGKILL')
  await once(child, 'exit')
  await using again = await startService({ dataDir: folder.path, catalogue })
  expect(again.token).toBe(token)
  const modes = await fetch(`${again.baseUrl}/modes`, { headers: { authorization } })
  expect(await modes.json()).toMatchObject({ ok: true, modes: [{ name: 'Dictation' }, { name: 'Kept' }] })
  expect(discoveryFile.parse(JSON.parse(await readFile(discoveryPath, 'utf8'))).pid).toBe(process.pid)
})

describe('a service that cannot start', () => {
  test('says who holds its data folder', async () => {
    await using started = await startTestService()
    const error = await caught(startService({ dataDir: started.folder, catalogue }))
    expect(error.code).toBe('SERVICE_DATA_DIR_HELD')
    expect(error.message).toContain(String(process.pid))
    expect(error.message).toContain(started.folder)
    expect((await started.send('GET', '/modes')).status).toBe(200)
  })

  test('because it cannot write its process id does not hold its data folder', async () => {
    await using folder = await temporaryFolder()
    const pidPath = join(folder.path, 'service.pid')
    await mkdir(pidPath)
    const error = await caught(startService({ dataDir: folder.path, catalogue }))
    expect(error.code).toBe('SERVICE_DATA_DIR_UNUSABLE')
    await rmdir(pidPath)
    await using _started = await startService({ dataDir: folder.path, catalogue })
  })

  test('names every option that is wrong', async () => {
    await using folder = await temporaryFolder()
    await writeFile(join(folder.path, 'a-file'), '')
    const error = await caught(
      startService({
        dataDir: folder.path,
        port: 70_000,
        concurrency: 0,
        threads: 1.5,
        modelsDir: join(folder.path, 'a-file'),
        maxQueue: -1,
        requestTimeoutSeconds: 0,
        enginesFile: join(folder.path, 'nowhere'),
        allowDirs: [join(folder.path, 'nowhere'), join(folder.path, 'a-file')],
      }),
    )
    expect(error.code).toBe('SERVICE_OPTIONS_INVALID')
    expect(error.problems.map((problem) => problem.where)).toEqual([
      'port',
      'concurrency',
      'threads',
      'maxQueue',
      'requestTimeoutSeconds',
      'allowDirs',
      'allowDirs',
      'modelsDir',
      'enginesFile',
    ])
  })

  test('says so when its port is taken, and lets go of its folder', async () => {
    await using folder = await temporaryFolder()
    const occupier = createServer()
    const port = await new Promise<number>((resolve) => {
      occupier.listen(0, '127.0.0.1', () => resolve((occupier.address() as { port: number }).port))
    })
    const error = await caught(startService({ dataDir: folder.path, catalogue, port }))
    expect(error.code).toBe('SERVICE_PORT_TAKEN')
    expect(error.message).toContain(String(port))
    await new Promise((resolve) => occupier.close(resolve))
    await using second = await startService({ dataDir: folder.path, catalogue, port })
    expect(second.port).toBe(port)
  })

  test.each([
    ['a file where the folder should be', async (path: string) => writeFile(path, '')],
    [
      'a token that is none',
      async (path: string) => {
        await mkdir(path)
        await writeFile(join(path, 'token'), 'short')
      },
    ],
  ])('explains %s', async (_what, prepare) => {
    await using folder = await temporaryFolder()
    const dataDir = join(folder.path, 'data')
    await prepare(dataDir)
    const error = await caught(startService({ dataDir, catalogue }))
    expect(error.code).toBe('SERVICE_DATA_DIR_UNUSABLE')
    expect(error.message).toContain(dataDir)
  })

  test.runIf(process.platform === 'linux')('explains a place where no folder can be', async () => {
    const error = await caught(startService({ dataDir: '/proc/none/data', catalogue }))
    expect(error.code).toBe('SERVICE_DATA_DIR_UNUSABLE')
    expect(error.message).toContain('/proc/none')
  })
})
