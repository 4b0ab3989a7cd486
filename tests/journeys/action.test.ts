import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { measuredRun } from '../analysis/measured-run.ts'
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts'
import { writeRunFolder } from './run-folder.ts'
import { startScriptedService } from './scripted-service.ts'
import { writeToneCorpus } from './tone-corpus.ts'

const entry = join(import.meta.dirname, '../../scripts/ci/action.ts')
const utterances = Array.from({ length: 12 }, (_, index) => ({
  id: `u${index}`,
  reference: 'one two three four',
}))

let home: TemporaryFolder
let folder: string
const results = (): string => join(folder, 'results')

/** A comment of an earlier call. */
const comparison = {
  id: 101,
  body: '<!-- transcribench comparison -->\n\n### ✅ transcribench: Equivalent: WER.',
}

/** A pull request with comments, as far as the Action asks for them. */
interface FakePullRequest extends Disposable {
  /** Inputs of the Action that describe it. */
  readonly env: Readonly<Record<string, string>>
  readonly comments: { id: number; body: string }[]
  readonly tokens: Set<string>
  status: number
}

async function fakePullRequest(): Promise<FakePullRequest> {
  const comments = Array.from({ length: 100 }, (_, id) => ({ id: id + 1, body: `somebody says ${id}` }))
  const tokens = new Set<string>()
  const server = createServer((request, response) => {
    tokens.add(request.headers.authorization ?? '')
    const url = new URL(request.url ?? '', 'http://localhost')
    let text = ''
    request.setEncoding('utf8').on('data', (part: string) => {
      text += part
    })
    request.on('end', () => {
      if (fake.status !== 200) response.writeHead(fake.status).end('{}')
      else if (request.method === 'GET') {
        const page = Number(url.searchParams.get('page'))
        response.end(JSON.stringify(comments.slice((page - 1) * 100, page * 100)))
      } else {
        const { body } = JSON.parse(text) as { body: string }
        const own = comments.find(({ id }) => url.pathname.endsWith(`/comments/${id}`))
        if (request.method === 'PATCH' && own !== undefined) own.body = body
        else comments.push({ id: comments.length + 1, body })
        response.end('{}')
      }
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const fake: FakePullRequest = {
    env: {
      TRANSCRIBENCH_COMMENT: 'true',
      TRANSCRIBENCH_PULL_REQUEST: '7',
      GITHUB_API_URL: `http://127.0.0.1:${port}`,
      GITHUB_REPOSITORY: 'owner/project',
      GITHUB_TOKEN: 'secret-token',
    },
    comments,
    tokens,
    status: 200,
    [Symbol.dispose]: () => server.close(),
  }
  return fake
}

async function act(env: Readonly<Record<string, string>>): Promise<{ code: number | null; text: string }> {
  const child = spawn(process.execPath, [entry], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder, RUNNER_TEMP: folder, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (part: string) => {
      text += part
    })
  }
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, text }
}

beforeAll(async () => {
  home = await temporaryFolder()
  folder = home.path
  const run = (text: string) => measuredRun({ utterances, fate: () => text })
  const base = await writeRunFolder(run('one two three four'), results(), '2026-11-20T07-00-00Z-base')
  await writeRunFolder(run('one two three'), results(), '2026-11-21T07-00-00Z-new')
  const baselines = { formatVersion: 1, baselines: { main: [base.split('/').at(-1)] } }
  await writeFile(join(results(), 'baselines.json'), JSON.stringify(baselines))
})

afterAll(() => home[Symbol.asyncDispose]())

describe('the GitHub Action', () => {
  test('fails where a threshold does, comments once, and updates its comment the second time', async () => {
    using fake = await fakePullRequest()
    const [summary, output] = [join(folder, 'summary.md'), join(folder, 'output')]
    const env = {
      ...fake.env,
      TRANSCRIBENCH_BASE: 'main',
      TRANSCRIBENCH_THRESHOLDS: 'wer.regression <= 0.5pp\n\nfailures <= 1%\n',
      TRANSCRIBENCH_JUNIT: join(folder, 'junit.xml'),
      GITHUB_STEP_SUMMARY: summary,
      GITHUB_OUTPUT: output,
    }
    const first = await act(env)
    const second = await act(env)
    expect([first.code, second.code]).toEqual([3, 3])
    expect(first.text).toContain('comment created')
    expect(second.text).toContain('comment updated')
    expect(first.text + second.text).not.toContain('secret-token')
    expect(fake.comments).toHaveLength(101)
    expect(fake.comments.at(-1)?.body).toContain('❌ transcribench: 1 threshold failed; worse: WER')
    expect([...fake.tokens]).toEqual(['Bearer secret-token'])
    expect(await readFile(summary, 'utf8')).toContain('wer.regression <= 0.5pp')
    expect(await readFile(output, 'utf8')).toBe('exit-code=3\nexit-code=3\n')
    expect(await readFile(join(folder, 'junit.xml'), 'utf8')).toContain('failures="1"')
  })

  test('has a comment for each leg of a matrix, each replaced by its own leg alone', async () => {
    using fake = await fakePullRequest()
    const leg = async (matrix: string): Promise<string> => {
      const { text } = await act({ ...fake.env, TRANSCRIBENCH_MATRIX: matrix, GITHUB_JOB: 'speed' })
      return /comment (\w+)/.exec(text)?.[1] ?? text
    }
    const [tiny, base] = ['tiny', 'base'].map((name) => JSON.stringify({ model: { name }, arch: 'arm64' }))
    const said = [await leg(tiny ?? ''), await leg(base ?? ''), await leg(tiny ?? '')]
    expect(said).toEqual(['created', 'created', 'updated'])
    const marks = fake.comments.slice(100).map(({ body }) => body.split('\n', 1)[0])
    expect(marks).toHaveLength(2)
    for (const mark of marks) expect(mark).toMatch(/^<!-- transcribench comparison speed [0-9a-f]{12} -->$/)
  })

  test('keeps the exit code where a comment may not be written', async () => {
    using fake = await fakePullRequest()
    fake.status = 403
    const { code, text } = await act({ ...fake.env, TRANSCRIBENCH_FAIL_IF_WORSE: 'true' })
    expect(code).toBe(3)
    expect(text).toContain('::warning::no comment was written: GitHub answered 403')
  })

  test('measures configs in turn where it is given some, in a comment next to that of the comparison', async () => {
    const text = 'one two three four'
    const service = await startScriptedService(join(folder, 'service'), { quick: { otherwise: { text } } })
    const corpus = await writeToneCorpus(join(folder, 'service', 'recordings'), { one: text, two: text })
    const config = [`target: ${service.discoveryPath}`, `corpus: ${corpus}`, 'warmupRequests: 1', 'rounds: 1']
    const contender = ['contenders:', '  - engine: scripted', '    model: quick']
    for (const name of ['before', 'after'])
      await writeFile(join(folder, `${name}.yaml`), [`name: ${name}`, ...config, ...contender, ''].join('\n'))
    using fake = await fakePullRequest()
    fake.comments.push(comparison)
    const env = {
      ...fake.env,
      TRANSCRIBENCH_EXPERIMENT: 'before.yaml\nafter.yaml\n',
      TRANSCRIBENCH_BUDGET: '1s',
      TRANSCRIBENCH_THRESHOLDS: 'failures <= 1%',
      GITHUB_JOB: 'compare',
      TRANSCRIBENCH_COMMENT_KEY: 'gpu --> x',
    }
    const { code, text: said } = await act(env)
    expect(code, said).toBe(0)
    expect(said).toContain('comment created')
    const written = fake.comments.at(-1)?.body
    expect(written).toMatch(/^<!-- transcribench experiment gpu - x compare [0-9a-f]{12} -->\n\n### /)
    expect(written).toMatch(
      /- after against before: speed not judged: .*; equivalent: WER, CER \(on these 2 utterances only\)/,
    )
    expect(written).toContain('### ❓')
    expect(written).toContain('Stopped: budget')
    expect(fake.comments.at(-2)?.body).toContain('transcribench comparison')

    await service[Symbol.asyncDispose]()
    const second = await act(env)
    expect(second.code, second.text).toBe(4)
    expect(second.text).toContain('comment updated')
    expect(fake.comments.at(-1)?.body).toMatch(
      /^<!-- transcribench experiment gpu - x compare [0-9a-f]{12} -->\n\n### ⛔ transcribench: /,
    )
  })

  test('says why runs cannot be compared', async () => {
    using fake = await fakePullRequest()
    fake.comments.push(comparison)
    const summary = join(folder, 'reasons.md')
    const env = { ...fake.env, TRANSCRIBENCH_BASE: 'nowhere', GITHUB_STEP_SUMMARY: summary }
    const { code, text } = await act(env)
    expect(code).toBe(2)
    expect(text).toContain('RUN_NOT_FOUND')
    expect(text).toContain('comment updated')
    expect(fake.comments.at(-1)?.body).toMatch(
      /^<!-- transcribench comparison -->\n\n### ⛔ transcribench: .*nowhere/,
    )
    expect(await readFile(summary, 'utf8')).toContain('RUN_NOT_FOUND')
  })
})
