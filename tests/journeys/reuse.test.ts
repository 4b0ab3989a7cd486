import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runFormatVersion } from '#journal/run-record'
import { startOpenAiDouble } from '../client/openai-server.ts'
import { type DocumentedProvider, startDocumentedProvider } from './documented-provider.ts'
import { argv, runCli } from './run-cli.ts'
import { writeToneCorpus } from './tone-corpus.ts'
import { workplace } from './workplace.ts'

const key = 'sk-very-secret-0123456789'
const text = 'the cat sat'
const texts = { one: text, two: text, three: text }

const envOf = ({ baseUrl }: DocumentedProvider) => ({
  DEEPGRAM_API_KEY: key,
  DEEPGRAM_BASE_URL: baseUrl,
})

/** Transcriptions that the provider was asked for since the last call. */
function countAsked(provider: DocumentedProvider): () => number {
  let before = 0
  return () => {
    const all = provider.seen.filter(({ model }) => model !== null).length
    const count = all - before
    before = all
    return count
  }
}

test('a second run reuses what was answered, and sends what is new, changed or asked of another model', async () => {
  await using home = await workplace()
  await using provider = await startDocumentedProvider({ protocol: 'deepgram', key, text })
  const asked = countAsked(provider)
  const corpus = join(home.path, 'corpus')
  const manifest = await writeToneCorpus(corpus, texts)
  const price = { usdPerMinute: 0.6, priceSource: 'https://provider.example', priceDate: '2026-11-23' }
  const configFor = async (...models: readonly (string | object)[]): Promise<string> => {
    const contenders = models.map((model) => ({
      target: 'deepgram',
      ...price,
      ...(typeof model === 'string' ? { model } : model),
    }))
    const path = join(home.path, `${JSON.stringify(models).replaceAll(/\W+/g, '-')}.json`)
    await writeFile(
      path,
      JSON.stringify({ corpus: manifest, rounds: 2, warmupRequests: 1, maxWarmupRequests: 0, contenders }),
    )
    return path
  }
  const answers = await configFor('answers')
  const options = { cwd: home.path, env: envOf(provider) }
  const first = await runCli(['run', answers, '--reuse'], options)
  expect(first.code, first.stderr).toBe(0)
  // Nothing was there to be reused: 6 requests and one to warm up.
  expect(asked()).toBe(7)
  const { record: firstRecord } = await home.evaluated()

  // Known before anything is sent: nothing is, so that it costs nothing and no cap is in the way.
  const plan = await runCli(['run', answers, '--reuse', '--max-billed-minutes', '0', '--dry-run'], options)
  expect(plan.code, plan.stderr).toBe(0)
  expect(plan.stdout).toMatch(/reuse +6 of 6 answers from 1 earlier run/)
  expect(plan.stdout).not.toMatch(/cost|USD/)
  const keyless = await home.cli('run', answers, '--reuse', '--dry-run')
  expect(keyless.stdout.replaceAll(/\s+/g, ' ')).toContain(
    'earlier answers of answers are looked for when its target is there: its cost may be less',
  )
  expect(asked()).toBe(0)

  const second = await runCli(['run', answers, '--reuse', '--max-billed-minutes', '0'], options)
  expect(second.code, second.stderr).toBe(0)
  expect(asked()).toBe(0)
  expect(second.stderr).toMatch(
    /reuse +6 of 6 answers from 1 earlier run, the oldest of \d{4}-\d\d-\d\d: for accuracy alone/,
  )
  // Nothing is sent, so that nothing is billed and no pace is kept.
  expect(second.stderr).not.toMatch(/cost|unknown price/)
  const reused = await home.evaluated()
  expect(reused.record).toMatchObject({ formatVersion: runFormatVersion, status: 'finished' })
  expect(reused.attempts).toHaveLength(0)
  const [figures] = reused.evaluation.contenders
  expect(figures).toMatchObject({
    counts: { planned: 6, answered: 6, notSent: 0 },
    reused: { count: 6, runs: [firstRecord.id] },
    words: { rate: 0, referenceLength: 18 },
    latencyMs: { sampleCount: 0, p50: { value: null } },
    systemSpeed: { value: null },
    cost: { usd: 0, audioSeconds: 0 },
  })
  expect(reused.evaluation.findings.map(({ code }) => code)).toContain('ANSWERS_REUSED')
  expect(second.stdout).toContain('answers (reused)')
  await runCli(['export', 'latest', '--format', 'leaderboard', '-o', 'out'], options)
  const [manifestName = ''] = await readdir(join(home.path, 'out'))
  const exported = (await readFile(join(home.path, 'out', manifestName), 'utf8')).trimEnd().split('\n')
  expect(exported.map((line) => JSON.parse(line))).toMatchObject(
    Object.values(texts).map(() => ({ pred_text: text, time: null })),
  )
  const details = await runCli(['report', 'latest', '--details'], options)
  expect(details.code, details.stderr).toBe(0)
  expect(details.stdout.match(/answers \(reused\)/g)?.length ?? 0).toBeGreaterThan(3)
  const markdown = await runCli(['report', 'latest', '--format', 'md'], options)
  expect(markdown.stdout).toContain('| answers, reused |')

  // A recording of another length has another hash: its two rounds are sent, and one to warm up.
  await writeToneCorpus(corpus, { other: text, ...texts })
  await writeFile(
    manifest,
    ['one', 'two', 'three']
      .map((id) => `${JSON.stringify({ id, audio: `audio/${id}.wav`, text })}\n`)
      .join(''),
  )
  const partlyPlanned = await runCli(['run', answers, '--reuse', '--dry-run', '--json'], options)
  expect(JSON.parse(partlyPlanned.stdout)).toMatchObject({
    requestCount: 6,
    reused: { count: 4, measuredCount: 6 },
    costs: [{ contenderId: 'answers', usd: expect.closeTo(0.02, 2) }],
  })
  const changed = await runCli(['run', answers, '--reuse'], options)
  expect(changed.code, changed.stderr).toBe(0)
  // Shifted by one: what was `two` is `one` now, and what was `three` is `two`; `three` is new.
  expect(changed.stderr).toMatch(/reuse +4 of 6 answers/)
  expect(asked()).toBe(3)
  const partly = (await home.evaluated()).evaluation.contenders[0]
  expect(partly).toMatchObject({ counts: { answered: 6 }, reused: { count: 4 } })
  expect(partly?.serviceMs.sampleCount).toBe(2)
  expect(partly?.cost?.audioSeconds).toBeLessThan(3)

  /** What a plan of the config would send, and reuse. */
  const planned = async (config: string) =>
    JSON.parse((await runCli(['run', config, '--reuse', '--dry-run', '--json'], options)).stdout)
  const sameModel = { model: 'answers' }
  expect(await planned(await configFor('slow', 'answers'))).toMatchObject({
    reused: { count: 6, measuredCount: 12 },
    costs: [{ contenderId: 'slow' }],
  })
  for (const other of [{ language: 'de' }, { options: { smart_format: false } }])
    expect(await planned(await configFor({ ...sameModel, ...other }))).toMatchObject({ reused: null })
  expect(await planned(await configFor({ ...sameModel, requestsPerMinute: 600 }))).toMatchObject({
    reused: { count: 6, measuredCount: 6 },
  })
  const otherModel = await runCli(['run', await configFor('slow'), '--reuse'], options)
  expect(otherModel.code, otherModel.stderr).toBe(0)
  expect(asked()).toBe(7)
  const tooOld = await runCli(['run', answers, '--reuse', '1ms'], options)
  expect(tooOld.code, tooOld.stderr).toBe(0)
  expect(asked()).toBe(7)
  const without = await runCli(['run', answers], options)
  expect(without.code, without.stderr).toBe(0)
  expect(asked()).toBe(7)
})

test('a dry run finds the answers of a server whose address has a query, as the run does', async () => {
  await using home = await workplace()
  await using server = await startOpenAiDouble({ textOf: () => text })
  const corpus = await writeToneCorpus(join(home.path, 'corpus'), texts)
  const config = join(home.path, 'priced.json')
  const contenders = [{ target: `${server.target}?api-version=1`, model: 'tiny', usdPerMinute: 0.6 }]
  await writeFile(config, JSON.stringify({ corpus, rounds: 1, contenders }))
  const first = await home.cli('run', config)
  expect(first.code, first.stderr).toBe(0)
  const plan = await home.cli('run', config, '--reuse', '--dry-run')
  expect(plan.stdout).toMatch(/reuse +3 of 3 answers from 1 earlier run/)
  expect(plan.stdout).not.toMatch(/cost|USD/)
})

test('an answer that a merged run holds as well is reused once, so that rounds do not share it', async () => {
  await using home = await workplace()
  await using server = await startOpenAiDouble({ textOf: () => text })
  const corpus = await writeToneCorpus(join(home.path, 'corpus'), texts)
  const config = join(home.path, 'priced.json')
  const contenders = [{ target: server.target, model: 'tiny', usdPerMinute: 0.6 }]
  await writeFile(config, JSON.stringify({ corpus, rounds: 1, contenders }))
  for (const name of ['one', 'two']) expect((await home.cli('run', config, '--name', name)).code).toBe(0)
  const merged = await home.cli('merge', 'a=one', 'b=two')
  expect(merged.code, merged.stderr).toBe(0)
  const plan = await home.cli('run', config, '--rounds', '3', '--reuse', '--dry-run')
  expect(plan.stdout).toMatch(/reuse +6 of 9 answers from 2 earlier runs/)
})

test('a run that a spent quota stopped goes on after payment, and keeps what it had reused', async () => {
  await using home = await workplace()
  const manifest = await writeToneCorpus(join(home.path, 'corpus'), { one: text, two: text })
  const typed = argv`run --corpus ${manifest} --rounds 2 --warmup 1 --contender deepgram#quota`
  await using spent = await startDocumentedProvider({ protocol: 'deepgram', key, text })
  const stopped = await runCli(typed, { cwd: home.path, env: envOf(spent) })
  expect(stopped.code, stopped.stderr).toBe(5)
  const before = await home.evaluated()
  expect(before.evaluation.contenders[0]?.counts).toMatchObject({ answered: 2, failed: 1, notSent: 1 })

  // What was paid for is kept by the next run; the quota stops that one at once.
  const second = await runCli([...typed, '--reuse'], { cwd: home.path, env: envOf(spent) })
  expect(second.code, second.stderr).toBe(5)
  const kept = await home.evaluated()
  expect(kept.folder).not.toBe(before.folder)
  expect(kept.reused).toHaveLength(2)
  expect(kept.evaluation.contenders[0]?.counts).toMatchObject({ planned: 4, answered: 2 })

  // With money on the account the provider counts from the beginning.
  await using paid = await startDocumentedProvider({ protocol: 'deepgram', key, text })
  const asked = countAsked(paid)
  const resumed = await runCli(['run', '--resume', 'latest'], { cwd: home.path, env: envOf(paid) })
  expect(resumed.code, resumed.stderr).toBe(0)
  expect(asked()).toBe(3)
  const after = await home.evaluated()
  expect(after.folder).toBe(kept.folder)
  expect(after.evaluation.contenders[0]).toMatchObject({ reused: { count: 2, runs: [before.record.id] } })
  expect(after.record.status).toBe('finished')
  expect(after.evaluation.contenders[0]?.counts).toMatchObject({ planned: 4, answered: 4, failed: 0 })

  // An answer is as old as the segment in which it came, however long ago the run began.
  // Both runs are dated back, because those of one second are in the order of their starts.
  for (const [days, { folder, record }] of [[11, before] as const, [10, after] as const]) {
    const startedAt = new Date(Date.now() - days * 86_400_000).toISOString()
    await writeFile(join(folder, 'run.json'), JSON.stringify({ ...record, startedAt }))
  }
  const plan = await runCli([...typed, '--reuse', '7d', '--dry-run'], { cwd: home.path, env: envOf(paid) })
  expect(plan.stdout, plan.stderr).toMatch(/reuse +4 of 4 answers from 2 earlier runs/)
})
