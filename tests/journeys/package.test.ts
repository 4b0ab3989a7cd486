import { execFileSync, spawnSync } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { listRuns } from '#journal/find-run'
import { argv } from './run-cli.ts'
import { startScriptedService } from './scripted-service.ts'
import { writeToneCorpus } from './tone-corpus.ts'
import { workplace } from './workplace.ts'

const root = join(import.meta.dirname, '../..')
const tool = (name: string): string => join(root, 'node_modules/.bin', name)

/** The machine's own Node, where it is older than the package needs. */
const oldNode =
  ['/usr/bin/node', '/usr/local/bin/node']
    .map((path) => ({
      path,
      version: spawnSync(path, ['--version'], { encoding: 'utf8' }).stdout?.trim().slice(1) ?? '',
    }))
    .find(({ version }) => version !== '' && Number(version.split('.')[0]) < 22) ?? null

test('the packed package, installed elsewhere, runs as a command and as a library with types', async () => {
  await using home = await workplace()
  const run = (file: string, args: readonly string[], cwd: string): string =>
    execFileSync(file, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  const [packed] = JSON.parse(
    run('npm', ['pack', '--json', '--silent', '--pack-destination', home.path], root),
  )
  const tarball = join(home.path, packed.filename)
  // What publint still warns about is `imports` in dist/package.json. Node reads it there, as the installation below shows.
  run(tool('publint'), [tarball, '--level', 'error'], root)
  run(tool('attw'), [tarball, '--profile', 'esm-only'], root)
  const elsewhere = join(home.path, 'elsewhere')
  await mkdir(elsewhere)
  await writeFile(
    join(elsewhere, 'package.json'),
    JSON.stringify({ name: 'elsewhere', type: 'module', private: true }),
  )
  run('npm', ['install', '--silent', '--no-audit', '--no-fund', '--prefer-offline', tarball], elsewhere)

  const installed = 'node_modules/.bin/transcribench'
  expect(run(installed, ['--help'], elsewhere)).toContain('How accurate and how fast')
  const missing = (file: string, ...args: readonly string[]) =>
    spawnSync(file, [...args, 'report', 'none'], { cwd: elsewhere, encoding: 'utf8' }).stderr
  expect(missing('npx', 'transcribench')).toContain('npx transcribench explain RUN_NOT_FOUND')
  expect(missing(installed)).toContain(`./${installed} explain`)
  expect(run(installed, ['explain', 'RUN_NOT_FOUND'], elsewhere)).toContain('exit code')
  if (oldNode !== null) {
    const program = join(elsewhere, 'node_modules/transcribench/dist/cli/main.js')
    const { status, stderr } = spawnSync(oldNode.path, [program, 'serve'], { encoding: 'utf8' })
    expect(stderr).toContain(`transcribench needs Node 22.19 or newer; this is Node ${oldNode.version}`)
    expect(stderr).toContain(`npx --package=node@24 -- node ${program}`)
    expect(stderr).not.toContain('SyntaxError')
    expect(status).toBe(2)
  }
  await using service = await startScriptedService(join(home.path, 'service'), {
    good: { otherwise: { text: 'a' } },
  })
  const manifest = await writeToneCorpus(join(home.path, 'corpus'), { one: 'a' })
  const target = ['--target', service.discoveryPath, '--corpus', manifest, '--contender', 'scripted:good']
  expect(run(installed, ['run', ...target, '--rounds', '1'], elsewhere)).toContain('good')
  expect(await listRuns(join(elsewhere, 'results'))).toHaveLength(1)

  await writeFile(
    join(elsewhere, 'use.ts'),
    `import { type Evaluation, measure, resolveConfig } from 'transcribench'
     import { errorRate, findProfile, scorePair } from 'transcribench/scoring'
     import { endpoints } from 'transcribench/contract'
     const flags = { target: ${JSON.stringify(service.discoveryPath)}, corpus: ${JSON.stringify(manifest)}, contender: ['scripted:good'], rounds: '1' }
     const { config } = resolveConfig({ file: null, flags, env: {} })
     const { evaluation }: { evaluation: Evaluation } = await measure({ config })
     const { words } = scorePair({ reference: 'a b', hypothesis: 'a c' }, findProfile('basic'))
     const german = scorePair({ reference: '3,50 €', hypothesis: '3,50 Euro' }, findProfile('german'))
     console.log(JSON.stringify([errorRate(german.words), evaluation.contenders[0]?.words.rate, errorRate(words), endpoints.health.path]))`,
  )
  expect(
    JSON.parse(run(process.execPath, ['--disable-warning=ExperimentalWarning', 'use.ts'], elsewhere)),
  ).toEqual([0, 0, 0.5, '/health'])
  run(
    tool('tsc'),
    argv`--noEmit --strict --module nodenext --target es2023 --types node --typeRoots
      ${join(root, 'node_modules/@types')} --skipLibCheck use.ts`,
    elsewhere,
  )

  const shipped = packed.files.map((file: { path: string }) => file.path)
  expect(shipped).toEqual(
    expect.arrayContaining(['corpora/quick/manifest.jsonl', 'configs/quick.yaml', 'dist/cli/main.js']),
  )
  expect(shipped.filter((path: string) => /\.wav$|^src\/|^tests\//.test(path))).toEqual([])
  const description = JSON.parse(
    await readFile(join(elsewhere, 'node_modules/transcribench/package.json'), 'utf8'),
  )
  expect(Object.keys(description.exports)).toContain('./service')
})
