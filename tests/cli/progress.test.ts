import { PassThrough } from 'node:stream'
import { describe, expect, test, vi } from 'vitest'
import type { VerifiedUtterance } from '#corpus/utterance'
import type { AttemptLine } from '#journal/attempt-line'
import { closedSchedule } from '#load/loads/closed'
import { type CorrectedReferences, errorsSoFar } from '#run/errors-so-far'
import { findProfile } from '#scoring/profiles/index'
import type { CommandContext } from '../../src/cli/command-context.ts'
import { importLine, readingLine } from '../../src/cli/progress-lines.ts'
import { expectedTime, meterProgress } from '../../src/cli/run-progress.ts'
import { measuredRun } from '../analysis/measured-run.ts'

const run = measuredRun({
  utterances: [
    { id: 'a', reference: 'one two three four' },
    { id: 'b', reference: 'five six' },
  ],
  contenders: ['tiny', 'base'],
  fate: ({ contenderId, utterance }) =>
    contenderId === 'tiny' && utterance.id === 'a' ? 'one two three' : utterance.reference,
})
const utterances: readonly VerifiedUtterance[] = run.utterances.map(
  ({ audio, reference, ...utterance }, index) => ({
    ...utterance,
    audioPath: `/corpus/${audio}`,
    text: reference,
    alternatives: [],
    hasChoices: false,
    isDraft: false,
    keywords: [],
    entities: [],
    times: [],
    derived: null,
    sizeBytes: 1,
    mimeType: 'audio/wav',
    line: index + 1,
  }),
)
const errorsUnder = (kind: 'closed' | 'poisson', corrected: CorrectedReferences = new Map()) =>
  errorsSoFar({ kind }, utterances, corrected, findProfile('basic'))
const counts = { planned: 4, answered: 1, failed: 0, dropped: 0, notSent: 3 }

describe('while a run goes on', () => {
  const progressAfter = (
    kind: 'closed' | 'poisson',
    lines: readonly AttemptLine[] = run.attempts,
    requests = run.requests,
  ) => {
    const meter = meterProgress(requests, errorsUnder(kind))
    const [latest] = lines.map((line) => meter.add(line, { counts, inFlight: 1, pausedCount: 0 })).slice(-1)
    if (latest === undefined) throw new TypeError('nothing was added')
    return latest
  }

  test('errors are counted for each contender under a closed load', () => {
    expect(
      progressAfter('closed')
        .soFar()
        .map(({ contenderId, errorRate }) => [contenderId, errorRate]),
    ).toEqual([
      ['tiny', 1 / 6],
      ['base', 0],
    ])
  })

  test('errors are counted against the references that a listener corrected, as in the score', () => {
    const errors = errorsUnder('closed', new Map([['a', 'one two three']]))
    for (const line of run.attempts) errors.add(line)
    expect([errors.rateOf('tiny'), errors.rateOf('base')]).toEqual([0, 1 / 5])
  })

  test('nothing is scored under a load that has moments to keep', () => {
    expect(
      progressAfter('poisson')
        .soFar()
        .map(({ errorRate }) => errorRate),
    ).toEqual([null, null])
  })

  test('the speed of a contender is that of a block from its beginning, though its first request is still in flight', () => {
    const [first, second] = run.attempts as readonly [AttemptLine, AttemptLine]
    const warmUp = { ...first, phase: 'warmup', block: -1, dueAtMs: 0, sentAtMs: 0, endedAtMs: 1000 } as const
    // The request that was due at 1 s has not come back.
    const early = { ...second, contenderId: 'tiny', dueAtMs: 10_800, sentAtMs: 10_800, endedAtMs: 11_000 }
    const [tiny] = progressAfter('poisson', [warmUp, early]).soFar()
    expect(tiny?.speed).toBeCloseTo(early.audioSeconds / 10, 6)
  })

  test('a contender that has not answered has no figures', () => {
    expect(progressAfter('closed', run.attempts.slice(0, 1)).soFar()[1]).toEqual({
      contenderId: 'base',
      speed: null,
      errorRate: null,
      level: 'words',
    })
  })

  test('a pace between two blocks is in no speed', () => {
    const paced = measuredRun({
      utterances: [{ id: 'a', reference: 'one', seconds: 2 }],
      rounds: 3,
      durationMs: () => 500,
      fate: () => 'one',
    })
    // Each block holds one request, which is held back for ten seconds before it is sent.
    const lines = paced.attempts.map((line, block) => {
      const sentAtMs = block * 10_500
      return {
        ...line,
        block,
        dueAtMs: sentAtMs,
        sentAtMs,
        endedAtMs: sentAtMs + 500,
        ...(block === 0 ? {} : { pacedMs: 10_000 }),
      }
    })
    const [latest] = progressAfter('closed', lines, paced.requests).soFar()
    expect(latest?.speed).toBeCloseTo(4, 12)
  })

  test('the time that it took is that of measuring', () => {
    expect(progressAfter('closed').elapsedSeconds).toBeCloseTo(0.4, 12)
  })
})

describe('after the warm-up, the time that measuring will take', () => {
  const long = measuredRun({
    utterances: [
      { id: 'a', reference: 'a', seconds: 2 },
      { id: 'b', reference: 'b', seconds: 10 },
    ],
    rounds: 5,
    // A fixed cost of 0.3 s, and 0.1 s for each second of speech.
    durationMs: ({ utterance }) => 300 + 100 * (utterance.seconds ?? 0),
    fate: () => 'a',
  })
  const audioSeconds = new Map(long.utterances.map(({ id, durationSeconds }) => [id, durationSeconds]))
  const [first, second] = long.attempts
  const spanAfter = (line: AttemptLine | undefined, concurrency = 1, notSent = 10, together = 1) =>
    expectedTime(
      {
        requests: long.requests,
        contenders: [],
        load: { kind: 'closed', concurrency },
        schedule: closedSchedule(concurrency),
      },
      audioSeconds,
      line === undefined
        ? new Map()
        : new Map([
            ['tiny', { lines: Array(together).fill(line), counts: { ...counts, planned: 10, notSent } }],
          ]),
    )
  /** 5 × 0.5 s and 5 × 1.3 s. */
  const seconds = 9

  test('lies in a span whose ends are one request like another and one second like another', () => {
    expect(spanAfter(first)).toEqual({ low: expect.closeTo(5), high: expect.closeTo(15) })
    expect(spanAfter(second)).toEqual({ low: expect.closeTo(7.8), high: expect.closeTo(13) })
    for (const span of [spanAfter(first), spanAfter(second)]) {
      expect(span?.low).toBeLessThan(seconds)
      expect(span?.high).toBeGreaterThan(seconds)
    }
  })

  test('may be as much shorter as requests are in flight, and is that of the rest where a run is resumed', () => {
    expect(spanAfter(first, 4)).toEqual({ low: expect.closeTo(1.25), high: expect.closeTo(15) })
    expect(spanAfter(first, 1, 5)).toEqual({ low: expect.closeTo(2.5), high: expect.closeTo(7.5) })
  })

  test('is a narrower span where the warm-up had as many requests in flight', () => {
    expect(spanAfter(first, 4, 10, 4)).toEqual({ low: expect.closeTo(1.25), high: expect.closeTo(3.75) })
  })

  test('is not reported where nothing was answered', () => {
    expect(spanAfter(undefined)).toBeNull()
  })
})

test('an import shows a time that is left only when a recording of the part is done', () => {
  const stderr = new PassThrough()
  const context = { isWatched: true, isQuiet: false, stderr } as unknown as CommandContext
  const shown = (recordingsDone: number): string => {
    importLine(context).show({
      part: 'train',
      recordingsDone,
      recordingCount: 100,
      utteranceCount: 0,
      audioSeconds: 0,
    })
    return String(stderr.read())
  }
  expect(shown(40)).toContain('train: recording 40 of 100')
  expect(shown(40)).not.toContain('left')
})

test.each([true, false])(
  'reading that takes long is shown, and quick reading is not: on a terminal %s',
  (isWatched) => {
    using now = vi.spyOn(performance, 'now').mockReturnValue(0)
    const stderr = new PassThrough()
    const say = (text: string): unknown => stderr.write(`${text}\n`)
    const line = readingLine({ isWatched, isQuiet: false, stderr, say } as unknown as CommandContext)
    const shown = (): string => String(stderr.read() ?? '')
    const progress = { bytesRead: 1, bytesTotal: 4, pairCount: 1200 }
    line.show(progress)
    expect(shown()).toBe('')
    now.mockReturnValue(5000)
    line.show(progress)
    expect(shown()).toContain('scored 1,200 pairs, 25% of the input')
    line.show({ ...progress, pairCount: 1300 })
    expect(shown()).toBe('')
    line.done()
    expect(shown() === '').toBe(!isWatched)
  },
)
