import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Evaluation } from '#analysis/documents/evaluation'
import { listRuns, readRun } from '#journal/run-reader'
import { temporaryFolder } from '../journal/temporary-folder.ts'
import { startCli } from '../journeys/run-cli.ts'
import { writeToneCorpus } from '../journeys/tone-corpus.ts'

/** A server of the OpenAI API that answers after 40 ms and writes down when each request came. */
async function startLoggingServer(): Promise<
  AsyncDisposable & { readonly target: string; readonly log: number[] }
> {
  const log: number[] = []
  const server = createServer(async (request, response) => {
    if (request.method === 'POST') log.push(performance.now())
    for await (const _ of request);
    await sleep(request.method === 'POST' ? 40 : 0)
    response.setHeader('content-type', 'application/json')
    response.end(
      JSON.stringify(request.method === 'POST' ? { text: 'the cat sat' } : { data: [{ id: 'm' }] }),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    target: `openai:http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    log,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** What a config says of each load; a recorded day is in its folder. */
const shapes: Readonly<Record<string, object>> = {
  'one in flight': { concurrency: 1 },
  'four in flight': { concurrency: 4 },
  'a Poisson rate': { rate: '10/s', duration: '9s' },
  'an even rate': { kind: 'constant', rate: '10/s', duration: '9s' },
  'a rate in bursts': { rate: '10/s', duration: '9s', burstiness: 0.5 },
  'a rate in speech': { rate: '6x', duration: '9s' },
  'a rate without an end': { rate: '12/s' },
  'a ramp up': { from: '2/s', to: '20/s', duration: '8s' },
  'a ramp down, even': { from: '20/s', to: '0/s', duration: '8s', intervals: 'even' },
  'steps of an issue': { steps: ['18/s for 4s', '3/s for 5s', '15/s for 3s'] },
  'steps with a rest': { steps: ['15/s for 3s', '0/s for 3s', '15/s for 3s'] },
  'a ladder': { steps: ['2/s for 2s', '4/s for 2s', '8/s for 2s', '16/s for 2s'], intervals: 'even' },
  'a recorded day': { trace: 'day.csv', speed: 2 },
  users: { users: 6, pause: '300ms' },
}

/** A request may come so much later than it left, and so fall into the next phase. */
const onTheWayMs = 40

test.each(Object.keys(shapes))(
  '%s is offered and sent as the log of the server has it',
  async (name) => {
    await using home = await temporaryFolder()
    await using server = await startLoggingServer()
    const ids = Array.from({ length: 20 }, (_, index) => [`u${index}`, 'the cat sat'] as const)
    const corpus = await writeToneCorpus(join(home.path, 'corpus'), Object.fromEntries(ids), 0.1)
    const day = Array.from({ length: 60 }, (_, index) => `${index * 0.2 + (index % 7) * 0.01},0.8`)
    await writeFile(join(home.path, 'day.csv'), ['ended_at,audio_seconds', ...day].join('\n'))
    const config = {
      target: server.target,
      corpus,
      contenders: [{ engine: 'any', model: 'm' }],
      warmupRequests: 1,
    }
    await writeFile(
      join(home.path, 'load.yaml'),
      JSON.stringify({ ...config, load: shapes[name], ...(name === 'users' ? { rounds: 2 } : {}) }),
    )
    await using run = startCli(['run', 'load.yaml'], { cwd: home.path })
    const { code, stderr } = await run.ended
    expect([0, 5], stderr).toContain(code)
    const [folder = ''] = await listRuns(join(home.path, 'results'))
    const evaluation: Evaluation = JSON.parse(await readFile(join(folder, 'evaluation.json'), 'utf8'))
    const phases = evaluation.contenders[0]?.loadPhases ?? []
    const recorded = await readRun(folder)
    const measured = [...recorded.requests.filter(({ phase }) => phase === 'measure')]
    const came = server.log.slice(server.log.length - measured.length)
    // All that came but the warm-up, and all that was planned.
    expect(server.log.length).toBe(measured.length + 1)
    expect(phases.reduce((sum, { offered }) => sum + offered.requestCount, 0)).toBe(measured.length)
    expect(phases.reduce((sum, { sent }) => sum + sent.requestCount, 0)).toBe(came.length)
    const dueMs = measured.flatMap(({ send }) => (send?.kind === 'due' ? [send.dueAtMs] : []))
    const zeroMs = (came[0] ?? 0) - (dueMs[0] ?? 0)
    let fromMs = 0
    const rows = phases.map(({ description, offered, sent }, place) => {
      const untilMs = fromMs + 1000 * (offered.seconds ?? Number.POSITIVE_INFINITY)
      const isLast = place === phases.length - 1
      const inside = came.filter((ms) => ms - zeroMs >= fromMs && (isLast || ms - zeroMs < untilMs)).length
      const near = came.filter((ms) =>
        [fromMs, untilMs].some((edge) => Math.abs(ms - zeroMs - edge) < onTheWayMs),
      ).length
      fromMs = untilMs
      expect(Math.abs(inside - sent.requestCount), description).toBeLessThanOrEqual(near)
      return [description, offered.requestCount, sent.requestCount, inside]
    })
    // What a report says of the time it took: as the server saw it, within the way.
    const [only] = phases
    if (phases.length === 1 && only?.sent.seconds != null && only.offered.seconds === null) {
      const spanMs = (came.at(-1) ?? 0) - (came[0] ?? 0)
      expect(Math.abs(1000 * only.sent.seconds - spanMs)).toBeLessThan(500)
    }
    const lagsMs = dueMs.map((due, place) => (came[place] ?? 0) - zeroMs - due).sort((a, b) => a - b)
    const lagP99Ms = lagsMs[Math.ceil(0.99 * lagsMs.length) - 1] ?? 0
    const isLate = evaluation.findings.some(({ code: found }) => found === 'GENERATOR_LATE')
    // In the log a request is later than it left, by the way and by what this process does besides.
    if (isLate && dueMs.length > 0) expect(lagsMs.at(-1)).toBeGreaterThan(20)
    if (lagP99Ms > 60) expect(isLate).toBe(true)
    process.stdout.write(
      `${name}: ${evaluation.validity}${isLate ? ', late' : ''}, lag p99 ${lagP99Ms.toFixed(1)} ms; ` +
        `${rows.map(([what, ...counts]) => `${what}: ${counts.join('/')}`).join(' | ')} (offered/sent/log)\n`,
    )
  },
  120_000,
)
