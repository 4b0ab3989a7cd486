import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runFormatVersion } from '#journal/run-record'
import { runFiles } from '#journal/run-writer'
import { runCli } from './run-cli.ts'
import { writeToneCorpus } from './tone-corpus.ts'
import { workplace } from './workplace.ts'

test('a matrix of 2 × 3 × 2 is one run with one report, a table and a chart by each dimension', async () => {
  await using home = await workplace()
  const manifest = await writeToneCorpus(join(home.path, 'corpus'), { one: 'the cat', two: 'the cat sat' })
  const says = (id: string, text: string) => ({
    kind: 'command',
    id,
    program: 'sh',
    arguments: ['-c', `sleep 0.02; echo ${text}`],
  })
  const engines = [says('right', 'the cat'), says('wrong', 'the hat')]
  await home.write('engines.json', JSON.stringify({ engines }))
  const config = {
    corpus: manifest,
    engines: 'engines.json',
    rounds: 8,
    warmupRequests: 1,
    matrix: { model: ['command:right', 'command:wrong'], threads: [1, 2, 3], concurrency: [1, 2] },
  }
  await home.write('matrix.json', JSON.stringify(config))
  const options = { cwd: home.path }
  const plan = await runCli(['run', 'matrix.json', '--dry-run'], options)
  expect(plan.stdout).toMatch(
    /plan +12 contenders × 2 utterances × 8 rounds = 192 requests, after at least 12 to warm up/,
  )
  expect(plan.stdout).toMatch(/expect +11 s at 10 times real time, .* hold\s+1 min 46 s of\s+audio/s)

  const run = await runCli(['run', 'matrix.json'], options)
  expect(run.code, run.stderr).toBe(0)
  const { folder, record, attempts, evaluation } = await home.evaluated()
  expect(record).toMatchObject({ formatVersion: runFormatVersion, status: 'finished' })
  expect(record.targets?.map(({ id }) => id)).toEqual([
    'embedded, 1 thread',
    'embedded, 2 threads',
    'embedded, 3 threads',
  ])
  expect(record.contenders[3]).toMatchObject({ id: 'right t2 c2', threads: 2, concurrency: 2 })
  expect(evaluation.load.description).toBe('closed, 1 or 2 in flight')
  for (const { contender, counts } of evaluation.contenders) {
    expect(counts, contender.id).toMatchObject({ planned: 16, answered: 16 })
    const own = attempts.filter(
      ({ contenderId, phase }) => contenderId === contender.id && phase === 'measure',
    )
    const most = Math.max(
      ...own.map(
        ({ sentAtMs }) =>
          own.filter((other) => other.sentAtMs <= sentAtMs && other.endedAtMs > sentAtMs).length,
      ),
    )
    expect(most, contender.id).toBe(contender.concurrency)
  }
  for (const pair of evaluation.speeds?.pairs ?? []) {
    // Two contenders that differ in two dimensions are no comparison.
    const [faster = [], slower = []] = [pair.faster, pair.slower].map((id) => id.split(' '))
    expect(
      faster.filter((part, place) => part !== slower[place]),
      `${pair.faster}, ${pair.slower}`,
    ).toHaveLength(1)
  }
  const table = async (name: string) => (await runCli(['report', 'latest', '--table', name], options)).stdout
  const byThreads = await table('by-threads')
  expect(byThreads).toMatch(/with +threads +WER/)
  expect(byThreads).toMatch(/right, 1 in flight +1 +20\.0%/)
  expect((await table('by-model')).match(/wrong +\d/g)).toHaveLength(6)
  expect(await table('by-concurrency')).toContain('right, 3 threads')
  const page = await readFile(join(folder, runFiles.page), 'utf8')
  expect(page).toContain('By requests in flight')
})
