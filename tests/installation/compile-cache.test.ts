import { execFile } from 'node:child_process'
import { chmod, mkdir, readdir, readFile, stat, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { startCli } from '../journeys/run-cli.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const root = join(import.meta.dirname, '../..')

/** The folders that Node reads compiled code from while a command runs. */
async function foldersReadBy(cwd: string, env: Readonly<Record<string, string>>): Promise<readonly string[]> {
  await using command = startCli(['--version'], {
    cwd,
    env: { NODE_COMPILE_CACHE: '', NODE_DEBUG_NATIVE: 'COMPILE_CACHE', ...env },
  })
  const { code, stderr } = await command.ended
  expect(code).toBe(0)
  const paths = [...stderr.matchAll(/reading cache from (\S+)/g)].map(([, path = '']) => path)
  return [...new Set(paths.map((path) => path.replace(/\/v\d[^/]*\/[^/]+$/, '')))]
}

describe.skipIf(process.platform === 'win32')('compiled code', () => {
  test('is kept in a folder that only its user can write to', async () => {
    await using folder = await temporaryFolder()
    const cache = join(folder.path, '.cache/transcribench/compile-cache')
    expect(await foldersReadBy(folder.path, {})).toEqual([cache])
    expect((await stat(cache)).mode & 0o777).toBe(0o700)
    expect(await readdir(cache)).toHaveLength(1)
  })

  test('that another user prepared in the shared temporary folder is neither read nor added to', async () => {
    await using folder = await temporaryFolder()
    const planted = join(folder.path, 'tmp/node-compile-cache')
    await mkdir(planted, { recursive: true })
    const env = { TMPDIR: join(folder.path, 'tmp'), HOME: join(folder.path, 'home') }
    expect(await foldersReadBy(folder.path, env)).toEqual([
      join(folder.path, 'home/.cache/transcribench/compile-cache'),
    ])
    expect(await readdir(planted)).toEqual([])
  })

  test.each([
    ['that others can write to', (path: string) => mkdir(path).then(() => chmod(path, 0o777))],
    ['that leads elsewhere', (path: string) => symlink('/', path)],
  ])('is not read from a cache folder %s', async (_, plant) => {
    await using folder = await temporaryFolder()
    const parent = join(folder.path, '.cache/transcribench')
    await mkdir(parent, { recursive: true })
    await plant(join(parent, 'compile-cache'))
    expect(await foldersReadBy(folder.path, {})).toEqual([])
  })

  test('is not kept where there is no place for it, and the command works all the same', async () => {
    await using folder = await temporaryFolder()
    expect(await foldersReadBy(folder.path, { HOME: '/dev/null' })).toEqual([])
    expect(await foldersReadBy(folder.path, { HOME: '/proc' })).toEqual([])
  })
})

test('no file of the program has a name in a shared folder that others can predict', async () => {
  const { stdout } = await promisify(execFile)('git', ['ls-files', 'src', 'scripts', 'tests'], { cwd: root })
  const found: string[] = []
  for (const path of stdout.split('\n').filter((name) => /\.(?:ts|tsx|js)$/.test(name))) {
    const text = await readFile(join(root, path), 'utf8')
    // Tests name such paths in what they send; what they make there is joined to the folder.
    const places = path.startsWith('tests/')
      ? /^.*join\(\s*tmpdir\(\).*$/gm
      : /^.*(?:tmpdir\(\)|['"`]\/(?:tmp|var\/tmp|dev\/shm)\b).*$/gm
    for (const [line] of text.matchAll(places)) {
      if (!/mkdtemp(?:Sync)?\(/.test(line)) found.push(`${path}: ${line.trim()}`)
    }
  }
  // The name in it is random, and the file is opened only if nothing is there.
  expect(found).toEqual(['src/cli/wer-files.ts: const folder = tmpdir()'])
})
