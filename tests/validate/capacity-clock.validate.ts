/** Capacity by the real clock: servers whose capacity is known, budgets of minutes. */
import { readFile } from 'node:fs/promises'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { describe, expect, test } from 'vitest'
import { allowance, capacityFindingSchema, parseObjectives } from '#capacity'
import { listRuns } from '#journal'
import { workerStation } from '../capacity/simulated-servers.ts'
import { trueCapacity } from '../capacity/true-capacity.ts'
import { temporaryFolder } from '../journal/temporary-folder.ts'
import { runCli } from '../journeys/run-cli.ts'
import { writeToneCorpus } from '../journeys/tone-corpus.ts'
import { type QueuedServer, startQueuedServer } from './queued-server.ts'

const text = 'the cat sat'
const servers: readonly (QueuedServer & { readonly name: string; readonly slo: readonly string[] })[] = [
  {
    name: '2 × 0.4 s fixed',
    ...{ workers: 2, workMs: 400, spread: 0, failureShare: 0, text },
    slo: ['p95 <= 2s'],
  },
  {
    name: '4 × 0.5 s lognormal',
    ...{ workers: 4, workMs: 500, spread: 0.5, failureShare: 0, text },
    slo: ['p95 <= 2s'],
  },
  {
    name: '2 × 0.4 s lognormal, 2 % fail',
    ...{ workers: 2, workMs: 400, spread: 0.3, failureShare: 0.02, text },
    slo: ['p95 <= 2s', 'failures <= 5%'],
  },
]

function truthOf({ name, workers, workMs, spread, failureShare, slo }: (typeof servers)[number]): number {
  const [latency] = parseObjectives(slo)
  if (latency === undefined) throw new TypeError('there is an objective')
  const server = {
    name,
    makeStation: () => workerStation(workers),
    workMs: () => workMs,
    spread,
    failureShare,
  }
  return trueCapacity(server, latency, allowance(latency), { requests: 400_000, seed: 5 })
}

const mostUnspentSeconds = 15
const mostOverspentSeconds = 10
let [runs, held] = [0, 0]

// Shorter budgets first: with `-t "3 minutes"` alone there is a first look.
describe.each([3, 5, 8])('%d minutes', (minutes) => {
  test.each(servers)('give a number and use the time: $name', async (server) => {
    const truth = truthOf(server)
    await using home = await temporaryFolder()
    const ids = ['one', 'two', 'three', 'four', 'five', 'six']
    const manifest = await writeToneCorpus(
      join(home.path, 'corpus'),
      Object.fromEntries(ids.map((id) => [id, text])),
    )
    await using started = await startQueuedServer(server)
    const loadBefore = loadavg()[0] ?? 0
    const result = await runCli(
      [
        'capacity',
        ...['--target', started.target, '--corpus', manifest, '--contender', 'any:tiny'],
        ...server.slo.flatMap((each) => ['--slo', each]),
        ...['--budget', `${minutes}min`, '--seed', String(10 * minutes + server.workers), '--json'],
      ],
      { cwd: home.path },
    )
    // 5 where this machine is too busy to send in time.
    expect([0, 5], result.stderr).toContain(result.code)
    const finding = capacityFindingSchema.parse(JSON.parse(result.stdout))
    const [contender] = finding.contenders
    const { basis, estimate, low, high } = contender?.capacity ?? {}
    const isHeld =
      low != null && high != null && low.requestsPerSecond <= truth && truth <= high.requestsPerSecond
    runs += 1
    held += isHeld ? 1 : 0
    const unspentSeconds = finding.budgetSeconds - finding.spentSeconds
    const [folder = ''] = await listRuns(join(home.path, 'results'))
    const shown = await readFile(join(folder, 'capacity.md'), 'utf8')
    const sentence = shown.split('\n').find((line) => / sustain/.test(line)) ?? ''
    const load = `${loadBefore.toFixed(1)} to ${(loadavg()[0] ?? 0).toFixed(1)}`
    process.stdout.write(
      `${server.name}, ${minutes} min: truth ${truth.toFixed(2)}, ${basis} ${estimate?.requestsPerSecond.toFixed(2)} ` +
        `(${low?.requestsPerSecond.toFixed(2)} to ${high?.requestsPerSecond.toFixed(2)}) ${isHeld ? 'holds it' : 'DOES NOT HOLD IT'}, ` +
        `unspent ${unspentSeconds.toFixed(1)} s, confirmation ${contender?.confirmation?.verdict}, load ${load}, exit ${result.code}\n` +
        `  ${sentence}\n${finding.remarks.map(({ message }) => `  ${message}\n`).join('')}`,
    )
    expect(sentence).toMatch(/ (sustains|is estimated to sustain) \d/)
    expect(unspentSeconds).toBeLessThan(mostUnspentSeconds)
    expect(unspentSeconds).toBeGreaterThan(-mostOverspentSeconds)
  })
})

test('the truth is inside the interval in eight runs of nine', () => {
  expect(held).toBeGreaterThanOrEqual(Math.ceil((8 / 9) * runs))
})
