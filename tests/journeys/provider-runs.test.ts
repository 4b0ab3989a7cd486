import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Evaluation } from '#analysis/documents/evaluation'
import { listRuns } from '#journal/find-run'
import { readRun } from '#journal/run-reader'
import { documentedAnswer, documentedRefusals } from '../service/provider-answers.ts'
import { type Canned, type ProviderServer, type Recorded, startProvider } from '../service/provider-server.ts'
import { type CliResult, runCli, startCli } from './run-cli.ts'
import { writeToneCorpus } from './tone-corpus.ts'
import { readEvaluation, workplace } from './workplace.ts'

const secret = 'sk-very-secret-0123456789'
const text = 'Hello there.'
// Longer than the time-out, so that a latency that includes the wait is never taken for a slow answer.
const [timeoutSeconds, retryAfterSeconds] = [5, 6]
const behaviours = ['answers', 'late', 'unauthorized', 'limited', 'broken', 'cut', 'silent'] as const
type Behaviour = (typeof behaviours)[number]

/** The provider that a test measures: a model of every behaviour, which the path or the form names. */
function startCloud(): Promise<ProviderServer> {
  const counts = new Map<string, number>()
  return startProvider((request) => {
    if (request.path.endsWith('/models')) return { body: { data: behaviours.map((id) => ({ id })) } }
    const behaviour = (request.fields['model']?.[0] ?? request.query.get('model')) as Behaviour
    const count = counts.get(behaviour) ?? 0
    counts.set(behaviour, count + 1)
    return answerOf(request, behaviour, count)
  })
}

function answerOf(request: Recorded, behaviour: Behaviour, count: number): Canned {
  const protocol = request.path.endsWith('/listen') ? 'deepgram' : 'openai'
  const refusals = documentedRefusals[protocol](secret)
  const body = documentedAnswer(protocol, request)
  const isOdd = count % 2 === 1
  switch (behaviour) {
    case 'answers':
      return { body }
    case 'late':
      return { body, delayMs: 200 }
    case 'unauthorized':
      return { status: 401, body: refusals[401] }
    case 'limited':
      return count % 4 === 3
        ? { status: 429, headers: { 'retry-after': String(retryAfterSeconds) }, body: refusals[429] }
        : { body }
    case 'broken':
      return isOdd ? { status: 500, body: refusals[500] } : { body }
    case 'cut':
      return { body, isCut: isOdd }
    case 'silent':
      return {}
  }
}

interface Measured {
  readonly result: CliResult
  readonly evaluation: Evaluation
  figures(contenderId: string): Evaluation['contenders'][number]
  /** Everything that the run wrote. */
  readonly written: string
}

async function measured(home: string, args: readonly string[]): Promise<Measured> {
  const manifest = await writeToneCorpus(join(home, 'corpus'), { one: text, two: text, three: text })
  const common = ['--corpus', manifest, '--rounds', '2', '--warmup', '2', '--timeout', `${timeoutSeconds}s`]
  const result = await runCli(['run', ...args, ...common], { cwd: home, env: { CLOUD_KEY: secret } })
  if (![0, 5].includes(result.code ?? 1)) throw new Error(result.stderr)
  const [folder = ''] = await listRuns(join(home, 'results'))
  const evaluation = await readEvaluation(folder)
  const files = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')))
  return {
    result,
    evaluation,
    figures(contenderId) {
      const found = evaluation.contenders.find(({ contender }) => contender.id === contenderId)
      if (found === undefined) throw new TypeError(`no ${contenderId} in the evaluation`)
      return found
    },
    written: files.join('\n'),
  }
}

/** What every provider has to come to, however it is reached. */
function expectEveryBehaviour({ result, evaluation, figures, written }: Measured): void {
  expect(result.code, result.stderr).toBe(5)
  for (const id of ['answers', 'late', 'limited']) {
    expect(figures(id).counts, id).toMatchObject({ planned: 6, answered: 6, failed: 0 })
  }
  expect(figures('limited').rateLimit.refusedCount).toBeGreaterThan(0)
  expect(figures('limited').rateLimit.waitedSeconds).toBeGreaterThan(0.9 * retryAfterSeconds)
  for (const { contenderId, latencyMs } of evaluation.utterances) {
    if (contenderId === 'limited') expect(latencyMs).toBeLessThan(1000 * timeoutSeconds)
    if (contenderId === 'late') expect(latencyMs).toBeGreaterThan(190)
  }
  for (const id of ['broken', 'cut']) expect(figures(id).counts, id).toMatchObject({ answered: 3, failed: 3 })
  expect(evaluation.run.givenUp.map(({ id, phase }) => [id, phase])).toEqual([
    ['unauthorized', 'warmup'],
    ['silent', 'warmup'],
  ])
  expect(evaluation.validity).not.toBe('invalid')
  // The server's own words are on the screen, in the tables and on the page.
  expect(result.stdout).toMatch(/unauthorized was given up in its warm-up:\s+MISSING_API_KEY: .*credentials/s)
  expect(result.stdout).toContain('Internal error')
  expect(result.stderr).toContain('unauthorized is given up in its warm-up')
  expect(written.match(/Internal error/g)?.length).toBeGreaterThan(4)
  expect(result.stdout + result.stderr + written).not.toContain(secret)
}

// They wait most of the time, and so at the same time.
test.concurrent('a run against a server of the OpenAI protocol measures what answers and says why the rest does not', async () => {
  await using home = await workplace()
  await using cloud = await startCloud()
  const contenders = behaviours.flatMap((id) => ['--contender', `cloud:${id}`])
  const target = ['--target', `openai:${cloud.baseUrl}/v1`, '--key-from', 'CLOUD_KEY', '--rate-limit', 'wait']
  const run = await measured(home.path, [...target, ...contenders])
  expectEveryBehaviour(run)
  expect(run.figures('broken').failures).toMatchObject([
    { label: 'HTTP_500', count: 3, reasons: [{ message: 'Internal error.', count: 3 }] },
  ])
  expect(run.figures('cut').failures).toMatchObject([{ label: 'answerCut', count: 3 }])
})

// What each protocol says of a behaviour is tested of the service: a run hears its codes, whatever the protocol.
test.concurrent('a run against a served engine waits its rate limit out by default and says why the rest does not answer', async () => {
  await using home = await workplace()
  await using cloud = await startCloud()
  const entry = { provider: 'cloud', keyVariable: 'CLOUD_KEY', models: behaviours }
  const engine = { kind: 'deepgram', baseUrl: cloud.baseUrl, ...entry }
  const engines = await home.write('engines.json', JSON.stringify({ engines: [engine] }))
  const data = join(home.path, 'data')
  const flags = ['--engines', engines, '--data-dir', data, '--models-dir', join(home.path, 'models')]
  const serving = startCli(['serve', ...flags], { cwd: home.path, env: { CLOUD_KEY: secret } })
  await serving.said(/Ctrl-C stops it/)
  const contenders = behaviours.flatMap((id) => ['--contender', `cloud:${id}`])
  const run = await measured(home.path, ['--target', join(data, 'local-api.json'), ...contenders])
  serving.process.kill('SIGTERM')
  expect((await serving.ended).stderr).not.toContain(secret)
  expectEveryBehaviour(run)
  for (const id of ['broken', 'cut']) {
    expect(run.figures(id).failures).toMatchObject([{ label: 'TRANSCRIPTION_FAILED', count: 3 }])
  }
})

test('a server on this machine that limits its rate fails by default, in one line with its cause', async () => {
  await using home = await workplace()
  await using cloud = await startCloud()
  const target = ['--target', `openai:${cloud.baseUrl}/v1`, '--contender', 'cloud:limited']
  const { result, figures, evaluation } = await measured(home.path, target)
  expect(figures('limited').counts).toMatchObject({ answered: 4, failed: 2 })
  expect(figures('limited').rateLimit).toEqual({ refusedCount: 0, waitedSeconds: 0 })
  const findings = evaluation.findings.filter(({ code }) => code === 'REQUESTS_FAILED')
  expect(findings.map(({ message }) => message)).toEqual([
    '2 of 6 requests to limited failed (counted, not scored): 2 × RATE_LIMITED: Too many requests: rate limit reached for requests',
  ])
  expect(result.stderr.match(/Too many requests/g)).toHaveLength(1)
  const [folder = ''] = await home.runs()
  expect((await readRun(folder)).attempts.filter(({ pacedMs }) => pacedMs !== undefined)).toHaveLength(0)
})

test('a dry run says what billed contenders would cost, and from when a machine of your own is cheaper', async () => {
  await using home = await workplace()
  const manifest = await writeToneCorpus(join(home.path, 'corpus'), { one: text, two: text })
  const contenders = ['--contender', 'moonshine:moonshine-tiny', '--contender', 'openai:whisper-1']
  const dry = (...flags: string[]) =>
    home.cli('run', '--dry-run', '--corpus', manifest, '--rounds', '50', ...contenders, ...flags)
  const shown = await dry()
  expect(shown.code, shown.stderr).toBe(0)
  expect(shown.stdout).toMatch(/cost +whisper-1: 0\.9 minutes of audio, about 0\.01 USD/)
  expect(shown.stdout.replaceAll(/\s+/g, ' ')).toMatch(/cheaper from \d\.\d hours of audio a day/)
  expect(shown.stdout).not.toContain('moonshine-tiny:')
  const asJson = JSON.parse((await dry('--json')).stdout)
  expect(asJson.costs).toMatchObject([{ contenderId: 'whisper-1', usd: expect.closeTo(0.01, 2) }])
  const capped = await dry('--max-billed-minutes', '0.5')
  expect(capped.code).toBe(2)
  expect(capped.stderr).toMatch(/whisper-1 +0\.9 minutes, about 0\.01 USD/)
})
