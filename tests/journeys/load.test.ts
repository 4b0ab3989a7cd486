import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { AttemptLine } from '#journal/attempt-line'
import type { RecordedRun } from '#journal/run-reader'
import { countInFlight } from '#load/warm-up'
import { sumOf } from '#prelude'
import { argv } from './run-cli.ts'
import { scriptedWorkplace, serverWorkplace, workplace } from './workplace.ts'

/** Tones of 0.5, 0.6, 0.7 and 0.8 s. */
const references = { one: 'the cat sat', two: 'on the mat', three: 'and slept', four: 'until noon' }

/** A service that answers each recording after 30 ms, and a command line that points there. */
const world = () =>
  scriptedWorkplace(
    { good: { otherwise: { text: 'the cat sat', delayMs: 30 } } },
    references,
    '--contender scripted:good --warmup 1 --max-warmup 0'.split(' '),
    { record: true },
  )

/** A machine that is busy makes a run invalid (5), which is as it should be and no concern of these tests. */
const carriedOut: readonly (number | null)[] = [0, 5]

const measuredOf = ({ attempts }: RecordedRun): readonly AttemptLine[] => [
  ...attempts.filter(({ phase }) => phase === 'measure'),
]

/** Moments at which requests were due, from the first one on. */
function dueMoments(run: RecordedRun): readonly number[] {
  const dueAtMs = measuredOf(run)
    .map((attempt) => attempt.dueAtMs)
    .toSorted((a, b) => a - b)
  return dueAtMs.map((ms) => ms - (dueAtMs[0] ?? 0))
}

describe('a run under load', () => {
  test('of a rate sends at the planned moments, and counts latency from them', async () => {
    await using here = await world()
    const run = await here.run('--rate', '30/s', '--duration', '1s')
    expect(run.stdout.replaceAll(/\s+/g, ' ')).toContain('Poisson arrivals, 30 requests/s')
    const recorded = await here.recorded()
    expect(recorded.record.load).toMatchObject({ kind: 'poisson', forSeconds: 1 })
    const planned = recorded.requests.flatMap(({ send }) => (send?.kind === 'due' ? [send.dueAtMs] : []))
    expect(planned.length).toBeGreaterThan(10)
    expect(recorded.record.counts).toMatchObject({ planned: planned.length, answered: planned.length })
    for (const [index, moment] of dueMoments(recorded).entries()) {
      expect(moment).toBeCloseTo((planned[index] ?? 0) - (planned[0] ?? 0), 1)
    }
  })

  test('of steps sends the whole schedule, beginning the corpus again, and every report says what was sent', async () => {
    await using here = await world()
    const config = join(here.path, 'steps.yaml')
    const steps = ['40/s for 500ms', '4/s for 1s', '30/s for 500ms']
    await writeFile(config, JSON.stringify({ load: { steps, intervals: 'even' } }))
    const run = await here.run(config)
    expect(carriedOut, run.stderr).toContain(run.code)
    const { evaluation } = await here.evaluated()
    const phases = evaluation.contenders[0]?.loadPhases ?? []
    expect(phases.map(({ offered }) => offered)).toEqual([
      { requestCount: 20, seconds: 0.5, requestsPerSecond: 40 },
      { requestCount: 4, seconds: 1, requestsPerSecond: 4 },
      { requestCount: 15, seconds: 0.5, requestsPerSecond: 30 },
    ])
    expect(sumOf(phases, ({ sent }) => sent.requestCount)).toBe(39)
    // The service keeps what it was sent, the warm-up included.
    const history = await here.service.connection.searchRecordings({ limit: 200 })
    expect(history.ok ? history.value.recordings.length : history.failure).toBe(40)
    const markdown = await here.cli('report', 'latest', '--format', 'md')
    const junit = await here.cli('report', 'latest', '--format', 'junit')
    for (const text of [run.stdout, markdown.stdout, junit.stdout]) {
      expect(text).toContain('The load, as offered and as sent')
      expect(text).toContain('4/s for 1 s')
    }
  })

  test('of a trace repeats its moments, with the recordings nearest in length', async () => {
    await using here = await world()
    const trace = join(here.path, 'day.csv')
    const lines = ['ended_at,audio_seconds', '10,0.8', '14,0.5', '12,0.6']
    await writeFile(trace, lines.join('\n'))
    const run = await here.run('--trace', trace, '--speed', '20')
    expect(carriedOut, run.stderr).toContain(run.code)
    const recorded = await here.recorded()
    expect(dueMoments(recorded).map(Math.round)).toEqual([0, 100, 200])
    const sent = recorded.requests.filter(({ phase }) => phase === 'measure')
    expect(sent.map(({ utteranceId }) => utteranceId)).toEqual(['four', 'two', 'one'])

    await writeFile(trace, 'ended_at,audio_seconds\nnoon,0.5\n')
    const refused = await here.run('--trace', trace)
    expect(refused).toMatchObject({ code: 2 })
    expect(refused.stderr).toContain('day.csv:2')
  })

  test('of recordings repeats what the target was once sent', async () => {
    await using here = await world()
    const empty = await here.run('--trace', 'recordings')
    expect(empty).toMatchObject({ code: 2 })
    expect(empty.stderr).toContain('no recordings')
    for (const id of ['three', 'one']) {
      const path = join(here.path, 'service', 'recordings', 'audio', `${id}.wav`)
      const sent = await here.service.connection.transcribe({
        audio: { transport: 'path', path },
        options: { engine: 'scripted', model: 'good' },
        timeoutMs: 10_000,
      })
      expect(sent.outcome.ok).toBe(true)
    }
    const history = await here.service.connection.searchRecordings({})
    const dates = history.ok ? history.value.recordings.map(({ date }) => Date.parse(date)) : []
    const apartMs = Math.abs((dates[0] ?? 0) - (dates[1] ?? 0))
    const run = await here.run('--trace', 'recordings')
    expect(carriedOut, run.stderr).toContain(run.code)
    const recorded = await here.recorded()
    expect(recorded.record.load).toMatchObject({
      kind: 'trace',
      entries: [{ audioSeconds: 0.7 }, { audioSeconds: 0.5 }],
    })
    expect(dueMoments(recorded)[1]).toBeCloseTo(apartMs, 1)
  })

  test('of concurrent users never sends before the audio could have been spoken', async () => {
    await using here = await world()
    const run = await here.run('--users', '2', '--pause', '50ms', '--rounds', '1')
    expect(carriedOut, run.stderr).toContain(run.code)
    const recorded = await here.recorded()
    const sends = new Map(recorded.requests.map(({ index, send }) => [index, send]))
    for (const speaker of [0, 1]) {
      let hasTextAtMs = 0
      const own = measuredOf(recorded).filter(({ index }) => {
        const send = sends.get(index)
        return send?.kind === 'spoken' && send.speaker === speaker
      })
      expect(own).not.toEqual([])
      for (const { dueAtMs, endedAtMs, sentAtMs, audioSeconds } of own) {
        expect(dueAtMs).toBeGreaterThan(hasTextAtMs + 1000 * audioSeconds)
        expect(sentAtMs).toBeGreaterThanOrEqual(dueAtMs)
        hasTextAtMs = endedAtMs
      }
    }
  })

  test.for([
    ['--users', '2'],
    ['--rate', '4x'],
    ['--trace', 'day.csv'],
  ])('that is made of speech is refused for texts, which have no length: %j', async (flags) => {
    await using home = await workplace()
    const texts = join(home.path, 'texts.jsonl')
    await writeFile(texts, JSON.stringify({ id: 'one', text: 'um on monday', reference: 'On Monday.' }))
    await home.write('day.csv', 'ended_at,audio_seconds\n10,0.8\n')
    const workload = ['--workload', 'post-process', '--corpus', texts, '--contender', 'custom:editor']
    const refused = await home.cli('run', ...workload, ...flags, '--dry-run')
    expect(refused).toMatchObject({ code: 2 })
    expect(refused.stderr).toContain('WORKLOAD_UNFIT')
    expect(refused.stderr).toContain('--rate 2/s')
  })
})

test('a threshold that the corpus is too small for is reported before anything is sent', async () => {
  await using here = await world()
  const plan = await here.run('--dry-run', '--threshold', 'wer <= 5%')
  expect(plan.code).toBe(0)
  const words = (plan.stdout + plan.stderr).replaceAll(/\s+/g, ' ')
  expect(words).toMatch(
    /"wer <= 5%" needs about 1[56]0 utterances to distinguish 7\.5% from the limit; this corpus has 4/,
  )
  const run = await here.run('--rounds', '1', '--threshold', 'wer <= 5%')
  expect(run.stderr.replaceAll(/\s+/g, ' ')).toMatch(/needs about 1[56]0 utterances .* measuring|done /)
})

test('a plan shows a low rate and close moments by their digits, and never as zero', async () => {
  await using here = await world()
  const slow = await here.run('--dry-run', ...argv`--rate 0.001/s --duration 3000s`)
  expect(slow.stdout.replaceAll(/\s+/g, ' ')).toMatch(/which offer 0\.00[1-9]\d* requests\/s/)
  const fast = await here.run('--dry-run', ...argv`--rate 10000/s --duration 1s`)
  expect(fast.stdout).toMatch(/planned moments \(s\): 0\.000\d\d, /)
})

/** A cold start of seven answers, and the same steady speed; the slow answers have another text. */
test('a contender whose first answers are slow is warmed up until they are over, and is compared by its steady speed', async () => {
  const steady = { otherwise: { text: 'the cat sat', delayMs: 40 } }
  const cold = { ...steady, inOrder: Array.from({ length: 7 }, () => ({ text: 'slow', delayMs: 400 })) }
  const usual = argv`--contender scripted:cold --contender scripted:steady --rounds 10`
  await using home = await scriptedWorkplace({ cold, steady }, references, usual)
  const run = await home.run()
  expect(carriedOut, run.stderr).toContain(run.code)
  const recorded = await home.evaluated()
  const isSlow = ({ outcome }: AttemptLine): boolean => outcome.ok && outcome.answer.text === 'slow'
  expect(measuredOf(recorded).filter(isSlow)).toEqual([])
  const warmUp = [...recorded.attempts].filter(({ phase }) => phase === 'warmup')
  expect(warmUp.filter(isSlow)).toHaveLength(7)
  const counts = recorded.evaluation.contenders.map(({ warmUp: own }) => own?.requestCount ?? 0)
  expect(counts.every((count) => count >= 12 && count <= 30)).toBe(true)
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(warmUp.length)
  const [, shown] = /cold +warmed up by \d+ requests; first request ([\d.]+) s/.exec(run.stderr) ?? []
  const { sentAtMs = 0, endedAtMs = 0 } = warmUp.find(({ contenderId }) => contenderId === 'cold') ?? {}
  expect(Number(shown)).toBeCloseTo((endedAtMs - sentAtMs) / 1000, 1)
  const details = await home.cli('report', 'latest', '--details')
  expect(details.stdout.replaceAll(/\s+/g, ' ')).toContain(`cold was warmed up by ${counts[0]} requests:`)
  const asPlanned = await home.run('--max-warmup', '0')
  expect(asPlanned.stderr).toContain('warmed up by 2 requests')
})

/** Four workers that take turns, of which each is slow in its first five answers. */
const coldWorkers = { count: 4, slowCount: 5 }

test('a server of four cold workers is warm before an open load is measured', async () => {
  const slowCount = coldWorkers.count * coldWorkers.slowCount
  let served = 0
  const tiny = (): number => {
    served += 1
    return served <= slowCount ? 150 : 30
  }
  const script = { delaysMs: { tiny }, textOf: () => 'the cat sat' }
  await using home = await serverWorkplace(script, references, ['--contender', 'any:tiny'])
  const run = await home.run('--rate', '30/s', '--duration', '2s')
  expect(carriedOut, run.stderr).toContain(run.code)
  const { attempts } = await home.recorded()
  const warmUp = attempts.filter(({ phase }) => phase === 'warmup')
  expect(warmUp.length, run.stderr).toBeGreaterThan(slowCount)
  expect(countInFlight(warmUp)).toBeGreaterThan(2)
  expect(run.stderr).toContain(`warmed up by ${warmUp.length} requests`)
})
