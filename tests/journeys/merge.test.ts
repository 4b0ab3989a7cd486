import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Evaluation, evaluationSchema } from '#analysis/documents/evaluation'
import { evaluateRun } from '#analysis/evaluate-run'
import type { RunMaterial } from '#analysis/requests/resolved-run'
import { readRun } from '#journal/run-reader'
import { quantile, sortSamples } from '#statistics/quantiles'
import { measuredRun, type ScriptedRun } from '../analysis/measured-run.ts'
import { sampled } from '../analysis/sampled-run.ts'
import { type CliResult, runCli } from './run-cli.ts'
import { writeRunFolder } from './run-folder.ts'

const utterances = Array.from({ length: 20 }, (_, index) => ({
  id: `u${index}`,
  reference: `this is sentence number ${index}`,
  speaker: `s${index % 4}`,
}))

/** Hosts whose speed differs, and of which the last one errs more. */
const hosts = ['a', 'b', 'c', 'd', 'e'] as const

function hostRun(place: number, change: Partial<ScriptedRun> = {}): ReturnType<typeof measuredRun> {
  return measuredRun({
    utterances,
    contenders: ['tiny', 'base'],
    rounds: 4,
    record: { manifest: '../corpus/manifest.jsonl' },
    fate: ({ contenderId, utterance, round }) =>
      contenderId === 'tiny' && (Number(utterance.id.slice(1)) + round + place) % (place === 4 ? 3 : 5) === 0
        ? utterance.reference.replace('sentence', 'sequence')
        : utterance.reference,
    durationMs: ({ contenderId, utterance, round }) =>
      (contenderId === 'tiny' ? 100 : 200) * (1 + place / 4) + Number(utterance.id.slice(1)) * 3 + round,
    ...change,
  })
}

let folder: string
const folders: string[] = []
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'transcribench-merge-'))
  for (const [place] of hosts.entries()) {
    folders.push(
      await writeRunFolder(hostRun(place), join(folder, 'hosts'), `2026-11-2${place}T07-00-00Z-quick`),
    )
  }
})
afterAll(async () => rm(folder, { recursive: true, force: true }))

const merge = (...args: readonly string[]): Promise<CliResult> => runCli(['merge', ...args], { cwd: folder })

async function merged(results = 'results'): Promise<Evaluation> {
  const [name = ''] = await readdir(join(folder, results))
  return evaluateRun(await readRun(join(folder, results, name)))
}

describe('runs of several hosts', () => {
  beforeAll(async () => {
    const { code, stderr } = await merge(...hosts.map((host, place) => `${host}=${folders[place]}`))
    expect(code, stderr).toBe(0)
  })

  test('cannot be sent from one host, so that what can be is named', async () => {
    for (const typed of [
      ['replay', 'latest'],
      ['run', '--resume', 'latest'],
    ]) {
      const { code, stderr } = await runCli(typed, { cwd: folder })
      expect(code).toBe(2)
      const said = stderr.replaceAll(/\s+/g, ' ')
      expect(said).toContain('is merged from the runs of several hosts')
      expect(said).toContain('transcribench replay 2026-11-20T07-00-00Z-quick')
    }
  })

  test('become one run with a contender for each host, whose figures are those of the run on that host', async () => {
    const [name = ''] = await readdir(join(folder, 'results'))
    const { record } = await readRun(join(folder, 'results', name))
    expect(record.manifest).toBe('../../hosts/corpus/manifest.jsonl')
    const evaluation = await merged()
    expect(evaluation.contenders.map(({ contender }) => contender.id)).toEqual(
      hosts.flatMap((host) => [`tiny@${host}`, `base@${host}`]),
    )
    for (const [place, host] of hosts.entries()) {
      const own = evaluateRun(hostRun(place))
      for (const { contender, words, latencyMs, systemSpeed, counts } of own.contenders) {
        const found = evaluation.contenders.find((each) => each.contender.id === `${contender.id}@${host}`)
        expect(found?.words.counts).toEqual(words.counts)
        expect(found?.counts).toEqual(counts)
        expect(found?.latencyMs.p95.value).toBeCloseTo(latencyMs.p95.value ?? 0, 6)
        expect(found?.systemSpeed.value).toBeCloseTo(systemSpeed.value ?? 0, 6)
      }
    }
  })

  test('have figures over all hosts that are of the single requests', async () => {
    const { hosts: pooled = [] } = await merged()
    const tiny = pooled.find(({ contenderId }) => contenderId === 'tiny')
    const runs = hosts.map((_, place) => hostRun(place))
    const latencies = runs.flatMap(({ attempts }) =>
      attempts.flatMap((line) => (line.contenderId === 'tiny' ? line.endedAtMs - line.sentAtMs : [])),
    )
    expect(tiny?.latencyP95Ms.value).toBeCloseTo(quantile(sortSamples(latencies), 0.95) ?? 0, 6)
    const p95s = hosts.map((_, place) => evaluateRun(hostRun(place)).contenders[0]?.latencyMs.p95.value ?? 0)
    const meanOfPercentiles = p95s.reduce((sum, each) => sum + each, 0) / p95s.length
    expect(Math.abs((tiny?.latencyP95Ms.value ?? 0) - meanOfPercentiles)).toBeGreaterThan(10)
    const errors = runs.map((run) => evaluateRun(run).contenders[0]?.words.counts.substitutions ?? 0)
    expect(tiny?.words.counts.substitutions).toBe(errors.reduce((sum, each) => sum + each, 0))
    const speeds = runs.map((run) => evaluateRun(run).contenders[0]?.systemSpeed.value ?? 0)
    expect(tiny?.totalSpeed).toBeCloseTo(
      speeds.reduce((sum, each) => sum + each, 0),
      6,
    )
  })

  test('have intervals that hold what hosts differ by', async () => {
    const { hosts: pooled = [], contenders } = await merged()
    const tiny = pooled.find(({ contenderId }) => contenderId === 'tiny')
    const own = contenders.find(({ contender }) => contender.id === 'tiny@a')?.latencyMs.p50
    const { interval, value } = tiny?.latencyP50Ms ?? {}
    expect(interval?.method).toBe('bootstrap-by-host')
    expect(interval?.low).toBeLessThan(value ?? 0)
    expect(interval?.high).toBeGreaterThan(value ?? 0)
    const widthOf = (each: { low: number; high: number } | null | undefined): number =>
      (each?.high ?? 0) - (each?.low ?? 0)
    expect(widthOf(interval)).toBeGreaterThan(2 * widthOf(own?.value == null ? null : own.interval))
    expect(tiny?.speedPerHost.interval?.method).toBe('bootstrap-by-host')
  })

  test('get a verdict on speed only between contenders of one host', async () => {
    const { speeds } = await merged()
    const hostsOf = (speeds?.pairs ?? []).map(({ faster, slower }) => [
      faster.split('@')[1],
      slower.split('@')[1],
    ])
    expect(hostsOf).toHaveLength(hosts.length)
    for (const [first, second] of hostsOf) expect(first).toBe(second)
  })

  test('have a score that is read back as it was written', async () => {
    const [name = ''] = await readdir(join(folder, 'results'))
    const stored = await readFile(join(folder, 'results', name, 'evaluation.json'), 'utf8')
    expect(evaluationSchema.parse(JSON.parse(stored)).hosts).toHaveLength(2)
  })

  test('are shown with the host in every row, and all hosts together', async () => {
    const table = await runCli(['report', 'latest', '--format', 'csv', '--table', 'hosts'], { cwd: folder })
    expect(table.stdout).toContain('contender,hosts,error_rate')
    expect(table.stdout).toMatch(/^tiny,5,/m)
    const exported = await runCli(
      ['query', 'SELECT DISTINCT contender FROM attempts', 'latest', '--format', 'csv'],
      { cwd: folder },
    )
    expect(exported.stdout.trim().split('\r\n').slice(1).sort()).toEqual(
      hosts.flatMap((host) => [`tiny@${host}`, `base@${host}`]).sort(),
    )
  })
})

describe('a run that was resumed an hour later', () => {
  const halfMs = 8000
  const pausedMs = 3_600_000

  /** The second half was measured by another process, whose counter begins anew. */
  function resumedRun(): RunMaterial {
    const run = hostRun(0, { record: { resumedAt: ['2026-11-20T08:00:00.000Z'] } })
    const markOf = (atMs: number): { segment?: number } => (atMs < halfMs ? {} : { segment: 1 })
    const samples = sampled(24, (atSeconds) => {
      const atMs = atSeconds * 1000
      const isLater = atMs >= halfMs
      return {
        ...markOf(atMs),
        wallAtMs: atMs + (isLater ? pausedMs : 0),
        ownCpuSeconds: atSeconds / 4 - (isLater ? halfMs / 4000 : 0),
      }
    })
    return {
      ...run,
      attempts: run.attempts.map((line) => ({ ...line, ...markOf(line.sentAtMs) })),
      telemetry: samples,
    }
  }

  test('keeps its segments when it is merged, so that no figure crosses the pause', async () => {
    const own = resumedRun()
    const other = hostRun(1)
    const watched = {
      ...other,
      telemetry: sampled(24, (at) => ({ wallAtMs: at * 1000, ownCpuSeconds: at / 4 })),
    }
    const paths = [
      await writeRunFolder(own, join(folder, 'resumed'), '2026-11-20T07-00-00Z-quick'),
      await writeRunFolder(watched, join(folder, 'resumed'), '2026-11-21T07-00-00Z-quick'),
    ]
    const results = join('resumed', 'merged')
    const { code, stderr } = await merge(`a=${paths[0]}`, `b=${paths[1]}`, '--results', results)
    expect(code, stderr).toBe(0)
    const { instrument, findings } = await merged(results)
    expect(instrument).toMatchObject({ clockStepMaxMs: 0, ownProcessors: 0.25 })
    expect(findings.map(({ code: found }) => found)).not.toContain('CLOCK_STEPPED')
    const [name = ''] = await readdir(join(folder, results))
    const { attempts, telemetry } = await readRun(join(folder, results, name))
    for (const lines of [attempts, telemetry]) {
      expect([...new Set(lines.map(({ segment }) => segment))]).toEqual([0, 1, 2])
    }
  })
})

describe('runs that are not one measurement', () => {
  test('are refused with everything that differs', async () => {
    const other = hostRun(0, {
      rounds: 2,
      contenders: ['tiny'],
      record: { rounds: 2, scoringProfile: 'verbatim' },
    })
    const unlike = await writeRunFolder(other, join(folder, 'hosts'), '2026-11-27T07-00-00Z-other')
    const before = await readdir(join(folder, 'results'))
    const { code, stderr } = await merge(`a=${folders[0]}`, `b=${unlike}`, `c=${folders[0]}`)
    expect(code).toBe(2)
    for (const what of ['normalisation:', 'rounds:', 'contenders:', 'is named more than once']) {
      expect(stderr).toContain(what)
    }
    expect(await readdir(join(folder, 'results'))).toEqual(before)
  })

  test('of one host alone are refused', async () => {
    const { code, stderr } = await merge(`a=${folders[0]}`, `a=${folders[1]}`)
    expect(code).toBe(2)
    expect(stderr).toContain('two or more')
  })
})
