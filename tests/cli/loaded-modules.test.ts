import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { runCli } from '../journeys/run-cli.ts'
import { writeToneCorpus } from '../journeys/tone-corpus.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const counter = pathToFileURL(join(import.meta.dirname, 'count-loaded-modules.js')).href
const recordedRun = join(import.meta.dirname, '../../docs/example/run')

interface Loading {
  readonly code: number | null
  readonly moduleCount: number
  readonly languages: readonly string[]
}

/** Runs a command and counts the files that it loads as modules: the cost of its start, without a clock. */
async function load(folder: string, ...args: string[]): Promise<Loading> {
  const file = join(folder, 'loaded')
  const env = { NODE_OPTIONS: `--import=${counter}`, LOADED_MODULES_FILE: file }
  const { code } = await runCli(args, { cwd: folder, env })
  const { loadedCount: moduleCount, languages } = JSON.parse(await readFile(file, 'utf8'))
  return { code, moduleCount, languages }
}

describe('the modules that a command loads', () => {
  test.each([
    { most: 45, of: 'the help of the program', args: ['--help'] },
    { most: 150, of: 'a list of baselines, which reads one file of JSON', args: ['baseline', 'list'] },
    { most: 150, of: 'the help of queries, which loads nothing that scores', args: ['query', '--help'] },
    {
      most: 350,
      of: 'the help of corpora, which loads nothing that evaluates runs',
      args: ['corpus', '--help'],
    },
    {
      most: 440,
      of: 'the help of the service, which loads nothing that reads a corpus',
      args: ['serve', '--help'],
    },
    { most: 440, of: 'an explanation, which loads nothing that measures', args: ['explain', 'wer'] },
  ])('stay below $most for $of', async ({ most, args }) => {
    await using home = await temporaryFolder()
    const { code, moduleCount } = await load(home.path, ...args)
    expect(code).toBe(0)
    expect(moduleCount).toBeGreaterThan(20)
    expect(moduleCount).toBeLessThan(most)
  })

  test.each(['lines.txt', 'text'])(
    'stay below 95 for two files %s, which need neither the rules of languages nor schemas',
    async (name) => {
      await using home = await temporaryFolder()
      const path = join(home.path, name)
      await writeFile(path, 'the cat sat\n')
      const { code, moduleCount } = await load(home.path, 'wer', path, path)
      expect(code).toBe(0)
      expect(moduleCount).toBeGreaterThan(20)
      expect(moduleCount).toBeLessThan(95)
    },
  )

  test('are the same for every language, of which the file is read alone', async () => {
    await using home = await temporaryFolder()
    const path = join(home.path, 'text')
    await writeFile(path, 'am 3. Mai\n')
    const english = await load(home.path, 'wer', path, path, '--language', 'en')
    expect(english).toMatchObject({ code: 0, languages: [] })
    expect(await load(home.path, 'wer', path, path, '--language', 'de')).toMatchObject({
      code: 0,
      languages: ['german'],
    })
  })

  test.each([['wer'], ['basic'], []])(
    'are those of no language for the explanation of %s',
    async (...names) => {
      await using home = await temporaryFolder()
      expect(await load(home.path, 'explain', ...names)).toMatchObject({ code: 0, languages: [] })
    },
  )

  test('stay below 470 for a comparison of two runs that have no score yet', async () => {
    await using home = await temporaryFolder()
    const [base, run] = [join(home.path, 'base'), join(home.path, 'run')]
    await cp(recordedRun, base, { recursive: true })
    await cp(recordedRun, run, { recursive: true })
    const { code, moduleCount } = await load(home.path, 'compare', base, run)
    expect(code).toBe(0)
    expect(moduleCount).toBeGreaterThan(20)
    expect(moduleCount).toBeLessThan(470)
  })

  test('stay below 420 for the plan of a run', async () => {
    await using home = await temporaryFolder()
    const manifest = await writeToneCorpus(home.path, { one: 'the cat sat' })
    const { code, moduleCount } = await load(home.path, 'run', '--corpus', manifest, '--dry-run')
    expect(code).toBe(0)
    expect(moduleCount).toBeGreaterThan(20)
    expect(moduleCount).toBeLessThan(420)
  })
})
