import { readFile, writeFile } from 'node:fs/promises'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { Evaluation } from '#analysis/documents/evaluation'
import type { AttemptLine } from '#journal/attempt-line'
import { listRuns } from '#journal/find-run'
import { readRun } from '#journal/run-reader'
import type { TelemetryLine } from '#journal/telemetry-line'
import { clopperPearsonInterval } from '#statistics/intervals'
import { quantile, sortSamples } from '#statistics/quantiles'
import { type RunningCli, startCli } from '../journeys/run-cli.ts'
import { writeToneCorpus } from '../journeys/tone-corpus.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import type { LoggedRequest } from './logging-program.ts'
import { startHogs, startProgram } from './program.ts'

/** What a config says of each load; a recorded day is in its folder. */
const shapes: Readonly<Record<string, { readonly load: object; readonly rounds?: number }>> = {
  'one in flight': { load: { concurrency: 1 }, rounds: 5 },
  'four in flight': { load: { concurrency: 4 }, rounds: 6 },
  'sixteen in flight': { load: { concurrency: 16 }, rounds: 12 },
  'a Poisson rate': { load: { rate: '12/s', duration: '9s' } },
  'an even rate, whose last pass over the corpus is cut': {
    load: { kind: 'constant', rate: '11/s', duration: '9s' },
  },
  'an even rate in two rounds': { load: { kind: 'constant', rate: '12/s', duration: '4.5s' }, rounds: 2 },
  'a rate in bursts': { load: { rate: '12/s', duration: '9s', burstiness: 0.5 } },
  'a rate of speech': { load: { rate: '14x', duration: '9s' } },
  'a rate without an end': { load: { rate: '12/s' }, rounds: 5 },
  'a ramp up': { load: { from: '2/s', to: '20/s', duration: '9s' } },
  'a ramp down, even': { load: { from: '20/s', to: '0/s', duration: '9s', intervals: 'even' } },
  'steps of several lengths': { load: { steps: ['18/s for 4s', '3/s for 5s', '15/s for 3s'] } },
  'steps with a rest': { load: { steps: ['15/s for 3s', '0/s for 3s', '15/s for 3s'] } },
  'a ladder': {
    load: { steps: ['3/s for 3s', '6/s for 3s', '12/s for 3s', '18/s for 3s'], intervals: 'even' },
  },
  'a recorded day': { load: { trace: 'day.csv', speed: 2 } },
  users: { load: { users: 6, pause: '300ms' }, rounds: 5 },
}

/** A request with what the server wrote down of it; times in milliseconds of the journal. */
interface Pair {
  readonly attempt: AttemptLine
  readonly cameAtMs: number
  readonly answeredAtMs: number
  readonly workMs: number
  readonly cpuMs: number
}

/** Zero of the journal on the wall clock, of which a sample has whole milliseconds. */
function journalZeroMs(telemetry: readonly TelemetryLine[]): number {
  const zeros = telemetry.flatMap(({ atMs, wallAtMs }) => (wallAtMs == null ? [] : [wallAtMs + 0.5 - atMs]))
  return quantile(sortSamples(zeros), 0.5) ?? Number.NaN
}

/** The requests of each utterance came in the order in which they were sent. */
function pairUp(attempts: readonly AttemptLine[], log: readonly LoggedRequest[], zeroMs: number): Pair[] {
  const came = Map.groupBy(
    log.toSorted((a, b) => a.cameAtMs - b.cameAtMs),
    ({ utteranceId }) => utteranceId,
  )
  return attempts
    .toSorted((a, b) => a.sentAtMs - b.sentAtMs)
    .map((attempt) => {
      const own = came.get(attempt.utteranceId)?.shift()
      if (own === undefined) throw new Error(`the server was not sent ${attempt.utteranceId} so often`)
      const { cameAtMs, answeredAtMs, workMs, cpuMs } = own
      return { attempt, cameAtMs: cameAtMs - zeroMs, answeredAtMs: answeredAtMs - zeroMs, workMs, cpuMs }
    })
}

/** Whether a client kept its times, by the rule of `transcribench explain GENERATOR_LATE`. */
function keepsTimes(lagsMs: readonly number[], limitMs: number): boolean {
  const late = lagsMs.filter((lag) => lag > limitMs).length
  const atLeast = clopperPearsonInterval(late, lagsMs.length, 0.9)?.low ?? 0
  return atLeast <= 0.01 && sum(lagsMs) <= (lagsMs.length * limitMs) / 2
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

function quantileOf(values: readonly number[], probability: number): number {
  return quantile(sortSamples(values), probability) ?? Number.NaN
}

type Phases = NonNullable<Evaluation['contenders'][number]['loadPhases']>

/** Of each phase what is offered, what was sent, what the log has, and how many were on their way when one phase became another. */
function phaseCounts(phases: Phases, pairs: readonly Pair[], dueMs: ReadonlyMap<number, number>) {
  // Only loads of one block have several phases.
  const zeroMs = Math.min(
    ...pairs.map(({ attempt }) => attempt.dueAtMs - (dueMs.get(attempt.index) ?? attempt.dueAtMs)),
  )
  let untilMs = zeroMs
  return phases.map(({ description, offered, sent }, place) => {
    const fromMs = place === 0 ? Number.NEGATIVE_INFINITY : untilMs
    untilMs += 1000 * (offered.seconds ?? 0)
    const edges = [...(place === 0 ? [] : [fromMs]), ...(place === phases.length - 1 ? [] : [untilMs])]
    const endMs = place === phases.length - 1 ? Number.POSITIVE_INFINITY : untilMs
    const came = pairs.filter(({ cameAtMs }) => cameAtMs >= fromMs && cameAtMs < endMs).length
    const onEdge = pairs.filter(({ attempt, cameAtMs }) =>
      edges.some((edge) => attempt.sentAtMs - 2 <= edge && edge <= cameAtMs + 2),
    ).length
    return { description, offered: offered.requestCount, sent: sent.requestCount, came, onEdge }
  })
}

const hogs = startHogs()
afterAll(() => hogs[Symbol.asyncDispose]())

/** Stops a program for a quarter of every second, so that its requests leave late. */
function stopNowAndThen({ process: child }: RunningCli): Disposable {
  const timer = setInterval(() => {
    child.kill('SIGSTOP')
    setTimeout(() => child.kill('SIGCONT'), 250)
  }, 1000)
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

const closed = ['one in flight', 'four in flight', 'sixteen in flight']

describe.each(['quiet', 'busy', 'stopped'] as const)(
  'where a program is %s: another one, or the measuring one',
  (machine) => {
    // A closed load has no times that it could miss.
    test.each(Object.keys(shapes).filter((name) => machine !== 'stopped' || !closed.includes(name)))(
      '%s is offered, sent, timed and judged as the log of the server has it',
      async (name) => {
        await using home = await temporaryFolder()
        await using server = await startProgram<string>('logging-program')
        hogs.turn(machine === 'busy' ? 'on' : 'off')
        const ids = Array.from({ length: 20 }, (_, index) => [`u${index}`, 'the cat sat'] as const)
        const corpus = await writeToneCorpus(join(home.path, 'corpus'), Object.fromEntries(ids), 0.1)
        const day = Array.from({ length: 120 }, (_, index) => `${index * 0.15 + (index % 7) * 0.01},0.8`)
        await writeFile(join(home.path, 'day.csv'), ['ended_at,audio_seconds', ...day].join('\n'))
        const config = { target: server.said, corpus, contenders: [{ engine: 'any', model: 'm' }] }
        const { load, rounds = 1 } = shapes[name] ?? { load: {} }
        await writeFile(join(home.path, 'load.yaml'), JSON.stringify({ ...config, load, rounds }))
        await using run = startCli(['run', 'load.yaml'], { cwd: home.path })
        using _stops = machine === 'stopped' ? stopNowAndThen(run) : null
        const { code, stderr } = await run.ended
        hogs.turn('off')
        expect([0, 5], stderr).toContain(code)
        const [folder = ''] = await listRuns(join(home.path, 'results'))
        const evaluation: Evaluation = JSON.parse(await readFile(join(folder, 'evaluation.json'), 'utf8'))
        const recorded = await readRun(folder)
        const log = await server.ask<readonly LoggedRequest[]>('log')

        // Everything that was recorded came, and nothing else.
        const measured = recorded.requests.filter(({ phase }) => phase === 'measure')
        expect(log.length).toBe(recorded.attempts.length)
        const all = pairUp(recorded.attempts, log, journalZeroMs(recorded.telemetry))
        const pairs = all.filter(({ attempt }) => attempt.phase === 'measure')
        expect(pairs.length).toBe(measured.length)
        const onWayMs = pairs.map(({ attempt, cameAtMs }) => cameAtMs - attempt.sentAtMs)
        // Nothing comes before it left, but for the millisecond of the clock that joins both.
        expect(Math.min(...onWayMs)).toBeGreaterThan(-2)

        const dueMs = new Map(
          measured.flatMap(({ index, send }) => (send?.kind === 'due' ? [[index, send.dueAtMs]] : [])),
        )

        const [contender] = evaluation.contenders
        const phases = contender?.loadPhases ?? []
        expect(sum(phases.map(({ offered }) => offered.requestCount))).toBe(measured.length)
        expect(sum(phases.map(({ sent }) => sent.requestCount))).toBe(pairs.length)
        const rows = phaseCounts(phases, pairs, dueMs)
        for (const { description, sent, came, onEdge } of rows)
          expect(Math.abs(came - sent), description).toBeLessThanOrEqual(onEdge)

        // Whether the client kept its times, and whether the work had a processor.
        const isOpen = evaluation.load.latencyCountsFrom === 'due'
        const lagsMs = isOpen ? pairs.map(({ attempt, cameAtMs }) => cameAtMs - attempt.dueAtMs) : []
        const limitMs = Math.max(20, 0.1 * (contender?.latencyMs.p50.value ?? 0))
        const codes = evaluation.findings.map(({ code: found }) => found)
        const reasons = evaluation.findings.flatMap(({ code: found, severity }) =>
          severity === 'invalid' ? [found] : [],
        )
        const waiting = sum(pairs.map(({ workMs }) => workMs)) / sum(pairs.map(({ cpuMs }) => cpuMs))
        const latest = quantileOf(onWayMs, 0.99)
        const isKept = keepsTimes(lagsMs, limitMs)
        const isMissed = !keepsTimes(lagsMs, limitMs + latest)
        process.stdout.write(
          `${machine}, ${name}: ${evaluation.validity} ${reasons.join(' ')}${codes.includes('HOST_BUSY') ? ' HOST_BUSY' : ''}; ` +
            `log: ${isKept ? 'kept' : isMissed ? 'missed' : 'at the edge'}, lag p99 ${quantileOf(isOpen ? lagsMs : [0], 0.99).toFixed(1)} ms, ` +
            `work took ${waiting.toFixed(2)} of its processor time; foreign ${evaluation.instrument.foreignProcessors?.toFixed(2)}, ` +
            `load ${loadavg()[0]?.toFixed(1)}; on the way p99 ${latest.toFixed(1)} ms; ` +
            `${rows.map(({ description, offered, sent, came }) => `${description}: ${offered}/${sent}/${came}`).join(' | ')} (offered/sent/log)\n`,
        )
        // A client that kept its times is never called invalid, and one that missed them always, for this one reason.
        if (isKept) expect(reasons).toEqual([])
        if (isMissed) expect(reasons).toEqual(['GENERATOR_LATE'])
        expect(evaluation.validity).toBe(reasons.length > 0 ? 'invalid' : 'valid')
        if (machine === 'stopped') expect(isMissed).toBe(true)
        else expect(codes.includes('HOST_BUSY'), 'HOST_BUSY').toBe(machine === 'busy')

        const steady = new Set(
          evaluation.utterances.flatMap(({ requestIndex, window }) =>
            window === 'steady' ? [requestIndex] : [],
          ),
        )
        const truthMs = pairs.flatMap(({ attempt, cameAtMs, answeredAtMs }) =>
          steady.has(attempt.index) ? [answeredAtMs - (isOpen ? attempt.dueAtMs : cameAtMs)] : [],
        )
        const percentiles = (['p50', 'p90', 'p95'] as const).flatMap((key) => {
          const figure = contender?.latencyMs[key]
          if (figure?.value == null || figure.interval == null) return []
          const truth = quantileOf(truthMs, Number(key.slice(1)) / 100)
          return [{ key, truth, value: figure.value, ...figure.interval }]
        })
        process.stdout.write(
          `    ${percentiles.map(({ key, value, low, high, truth }) => `${key} ${value.toFixed(1)} (${low.toFixed(1)} to ${high.toFixed(1)}), log ${truth.toFixed(1)}`).join('; ')}\n`,
        )
        expect(percentiles.map(({ key }) => key)).toEqual(['p50', 'p90', 'p95'])
        if (evaluation.validity === 'valid')
          for (const { key, low, high, truth } of percentiles) {
            expect(truth, key).toBeGreaterThanOrEqual(low - 2)
            expect(truth, key).toBeLessThanOrEqual(high + 2)
          }
      },
      240_000,
    )
  },
)
