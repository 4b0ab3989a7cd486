import { execFile, execFileSync } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { parse } from 'csv-parse/sync'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Evaluation } from '#analysis/documents/evaluation'
import { evaluateRun } from '#analysis/evaluate-run'
import { readRun } from '#journal/run-reader'

const root = join(import.meta.dirname, '../..')
const example = join(root, 'docs/example/run')
const program = join(root, 'src/cli/main.js')

/** Python programs with a module, as Debian or a virtual environment installs it. */
function pythonWith(module: string): string | null {
  const programs = [process.env['TRANSCRIBENCH_TEST_PYTHON'] ?? 'python3', '/usr/bin/python3']
  return (
    programs.find((each) => {
      try {
        execFileSync(each, ['-c', `import ${module}`], { stdio: 'ignore' })
        return true
      } catch {
        return false
      }
    }) ?? null
  )
}
const [pandas, polars] = [pythonWith('pandas'), pythonWith('polars')]

interface Recipe {
  readonly shell: string
  readonly python: string | null
}

/** The code of a recipe as the page has it. */
async function recipe(title: string): Promise<Recipe> {
  const page = await readFile(join(root, 'docs/tables.md'), 'utf8')
  const section = page.split('\n### ').find((each) => each.startsWith(`${title}\n`))
  if (section === undefined) throw new Error(`the page has no recipe "${title}"`)
  const codeOf = (language: string): string | null =>
    new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``).exec(section)?.[1] ?? null
  return { shell: codeOf('sh') ?? '', python: codeOf('python') }
}

let folder: string
let evaluation: Evaluation
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'transcribench-recipes-'))
  const { id } = JSON.parse(await readFile(join(example, 'run.json'), 'utf8'))
  await cp(example, join(folder, 'results', id), { recursive: true })
  await mkdir(join(folder, 'bin'))
  const wrapper = `#!/bin/sh\nexec '${process.execPath}' --disable-warning=ExperimentalWarning '${program}' "$@"\n`
  await writeFile(join(folder, 'bin', 'transcribench'), wrapper, { mode: 0o755 })
  evaluation = evaluateRun(await readRun(example))
})
afterEach(async () => rm(folder, { recursive: true, force: true }))

async function cook({ shell, python }: Recipe, interpreter: string | null = null): Promise<string> {
  const env = { ...process.env, HOME: folder, PATH: `${join(folder, 'bin')}:${process.env['PATH']}` }
  const run = promisify(execFile)
  const { stdout } = await run('bash', ['-e', '-o', 'pipefail', '-c', shell], { cwd: folder, env })
  // The paths of exported files are printed too.
  const answer = stdout.split('\n').filter((line) => !line.startsWith('tables/'))
  if (python === null || interpreter === null) return answer.join('\n')
  return (await run(interpreter, ['-c', python], { cwd: folder, env })).stdout
}

const rowsOf = (csv: string): readonly Record<string, string>[] =>
  parse(csv, { columns: true, skip_empty_lines: true })

describe('each recipe of the page on tables', () => {
  test('finds the words that are most often wrong, as the error analysis counts them', async () => {
    const output = await cook(await recipe('Words that are most often wrong'))
    const substitutions = evaluation.errorAnalyses.flatMap(({ contenderId, confusions }) =>
      confusions.words.substitutions.map((confusion) => ({ contenderId, ...confusion })),
    )
    const [most] = substitutions.toSorted((a, b) => b.count - a.count)
    if (most === undefined) throw new Error('nothing was recognised wrongly')
    const { contenderId, reference, hypothesis, count } = most
    expect(count).toBeGreaterThan(1)
    expect(output.replaceAll(/ +/g, ' ')).toContain(`${contenderId} ${reference} ${hypothesis} ${count}`)
  })

  test('gives the error rate of each speaker from Parquet, as the report groups it', async () => {
    const { shell } = await recipe('Error rate by speaker, from exported Parquet')
    await cook({ shell, python: null })
    const rows = rowsOf(await readFile(join(folder, 'by-speaker.csv'), 'utf8'))
    expect(rows.map(({ contender }) => contender).sort()).toEqual(expect.arrayContaining(['moonshine-base']))
    const rates = evaluation.contenders.map(({ words }) => words.rate ?? 0)
    for (const { wer } of rows) expect(Number(wer)).toBeLessThan(1)
    if (rows.length === 2) expect(rows.map(({ wer }) => Number(wer)).sort()).toEqual(rates.toSorted())
  })

  test.skipIf(pandas === null)(
    'gives the percentiles of latency with pandas, as the report has them',
    async () => {
      const rows = rowsOf(await cook(await recipe('Latency percentiles with pandas'), pandas))
      for (const { contender, latencyMs } of evaluation.contenders) {
        const row = rows.find((each) => each['contender'] === contender.id)
        expect(Number(row?.['0.5'])).toBeCloseTo(latencyMs.p50.value ?? 0, 6)
        expect(Number(row?.['0.95'])).toBeCloseTo(latencyMs.p95.value ?? 0, 6)
      }
    },
  )

  test.skipIf(polars === null)('gives the word error rates with Polars, as the report has them', async () => {
    const rows = rowsOf(await cook(await recipe('Word error rate with Polars'), polars))
    for (const { contender, words } of evaluation.contenders) {
      const row = rows.find((each) => each['contender'] === contender.id)
      expect(Number(row?.['wer'])).toBeCloseTo(words.rate ?? 0, 9)
    }
  })

  test('counts failures with SQLite, as the run record does', async () => {
    const rows = rowsOf(await cook(await recipe('Failures with SQLite')))
    for (const { contender, counts } of evaluation.contenders) {
      const row = rows.find((each) => each['contender'] === contender.id)
      expect(Number(row?.['attempts'])).toBe(counts.planned)
      expect(Number(row?.['failed'])).toBe(counts.failed)
    }
  })
})
