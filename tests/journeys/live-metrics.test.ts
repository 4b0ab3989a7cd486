import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { RecordedRun } from '#journal/run-reader'
import { type ReceivedMetric, startCollector } from './otlp-collector.ts'
import { argv, type CliResult, runCli } from './run-cli.ts'
import { scriptedWorkplace, workplace } from './workplace.ts'

const references = { one: 'the cat sat', two: 'on the mat', three: 'and slept' }

interface Measured {
  readonly result: CliResult
  readonly run: RecordedRun
}

async function measure(
  flags: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Measured> {
  const models = { good: { otherwise: { text: 'the cat sat', delayMs: 30 } } }
  const usual = argv`--contender scripted:good --warmup 2 --max-warmup 0`
  await using home = await scriptedWorkplace(models, references, usual)
  const result = await runCli(home.typed(...flags), {
    cwd: home.path,
    env: { OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer key-of-the-collector', ...env },
  })
  return { result, run: await home.recorded() }
}

const sumOf = (metric: ReceivedMetric | undefined): number =>
  (metric?.sum?.dataPoints ?? []).reduce((sum, { asDouble = 0, asInt = 0 }) => sum + asDouble + asInt, 0)

describe('live metrics over OTLP', () => {
  test('a collector receives what the journal records, under the names and units of the page', async () => {
    await using collector = await startCollector()
    const { result, run } = await measure(['--rounds', '30', '--otlp', `${collector.url}/`])
    expect([0, 5], result.stderr).toContain(result.code)
    expect(collector.problems).toEqual([])
    expect(collector.headers).toMatchObject({
      'content-type': 'application/json',
      authorization: 'Bearer key-of-the-collector',
    })
    expect(collector.resource).toMatchObject({
      'service.name': 'transcribench',
      'transcribench.run': run.record.id,
    })
    const attempts = run.attempts.filter(({ phase }) => phase === 'measure')
    expect(attempts.length).toBe(90)
    const latencies = attempts.map(({ sentAtMs, endedAtMs }) => (endedAtMs - sentAtMs) / 1000)
    const requests = collector.latest('transcribench.requests')
    expect(sumOf(requests)).toBe(attempts.length)
    expect(requests?.sum?.dataPoints[0]?.attributes).toEqual({ contender: 'good', outcome: 'answered' })
    const latency = collector.latest('transcribench.request.latency')?.histogram?.dataPoints[0]
    expect(latency?.count).toBe(attempts.length)
    expect(latency?.sum).toBeCloseTo(
      latencies.reduce((sum, one) => sum + one, 0),
      6,
    )
    expect(latency?.bucketCounts[0]).toBe(latencies.filter((seconds) => seconds <= 0.05).length)
    expect(collector.latest('transcribench.send.lag')?.histogram?.dataPoints[0]?.count).toBe(attempts.length)
    const errorRate = collector.latest('transcribench.error_rate')?.gauge?.dataPoints[0]
    expect(errorRate?.attributes).toEqual({ contender: 'good', metric: 'wer' })
    // One of the three utterances is right; the others have three errors each, of eight words in all.
    expect(errorRate?.asDouble).toBeCloseTo(6 / 8, 6)
    expect(collector.latest('transcribench.requests.in_flight')?.gauge?.dataPoints[0]?.asDouble ?? 0).toBe(0)
    expect(result.stdout + result.stderr).not.toContain('key-of-the-collector')
  })

  test('a collector that refuses is reported once, and the run goes on', async () => {
    await using collector = await startCollector(400)
    const { result, run } = await measure(['--rounds', '2', '--otlp', collector.url])
    expect([0, 5], result.stderr).toContain(result.code)
    expect(run.record.counts).toMatchObject({ answered: 6 })
    expect(result.stderr.match(/live metrics do not arrive at/g)).toHaveLength(1)
    expect(result.stderr).not.toMatch(/^\s+at /m)
  })

  test('a thread that throws is reported once, and the run goes on to its end', async () => {
    const hook =
      "import { isMainThread } from 'node:worker_threads'; if (!isMainThread) throw new Error('out of threads')"
    const { result, run } = await measure(['--rounds', '2', '--otlp', 'http://127.0.0.1:4318'], {
      NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(hook)}`,
    })
    expect([0, 5], result.stderr).toContain(result.code)
    expect(run.record).toMatchObject({ status: 'finished', counts: { answered: 6 } })
    expect(result.stderr.match(/live metrics do not arrive at .*: out of threads/g)).toHaveLength(1)
    expect(result.stderr).not.toMatch(/^\s+at /m)
  })

  test('an address with a password is refused before anything is sent', async () => {
    await using home = await workplace()
    const args = ['run', '--otlp', 'http://name:secret@127.0.0.1:4318']
    const { code, stderr } = await home.cli(...args)
    expect(code).toBe(2)
    expect(stderr).toContain('OTEL_EXPORTER_OTLP_HEADERS')
    expect(stderr).not.toContain('secret')
  })
})

test('the dashboard asks for metrics that a run sends, as Prometheus names them', async () => {
  const root = join(import.meta.dirname, '../..')
  const page = await readFile(join(root, 'docs/live-metrics.md'), 'utf8')
  const documented = [...page.matchAll(/^\| `(transcribench[\w.]+)`/gm)].map(([, name = '']) => name)
  const dashboard = JSON.parse(await readFile(join(root, 'docs/grafana/transcribench.json'), 'utf8'))
  const queries: string[] = dashboard.panels.flatMap(({ targets }: { targets: { expr: string }[] }) =>
    targets.map(({ expr }) => expr),
  )
  const asked = new Set(queries.flatMap((expr) => expr.match(/transcribench_\w+/g) ?? []))
  for (const name of asked) {
    const known = documented.filter((each) => name.startsWith(each.replaceAll('.', '_')))
    expect(known, name).not.toEqual([])
  }
  for (const name of documented) {
    expect(
      queries.some((expr) => expr.includes(name.replaceAll('.', '_'))),
      name,
    ).toBe(true)
  }
})
