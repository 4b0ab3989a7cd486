import { describe, expect, test } from 'vitest'
import { evaluateRun } from '#analysis/evaluate-run'
import type { RunMaterial } from '#analysis/requests/resolved-run'
import type { RequestFailure } from '#contract/failures'
import type { AttemptLine } from '#journal/attempt-line'
import { codesIn, evaluatedRun, findingIn, measuredRun, timedOut } from './measured-run.ts'

const utterances = ['a', 'b', 'c', 'd'].map((id) => ({ id, reference: 'one two' }))

const key: RequestFailure = {
  kind: 'refused',
  code: 'MISSING_API_KEY',
  message: 'OpenAI refuses the key (HTTP 401): Incorrect API key provided.',
  hint: 'Check OPENAI_API_KEY.',
  httpStatus: 200,
}
const limited = {
  kind: 'refused',
  code: 'RATE_LIMITED',
  message: 'Too many.',
  hint: null,
  httpStatus: 429,
} as const satisfies RequestFailure

describe('requests that failed', () => {
  test('are one finding with their code, the words of the server and its advice', () => {
    const run = measuredRun({
      utterances,
      rounds: 3,
      fate: ({ utterance }) => (utterance.id === 'a' ? key : utterance.id === 'b' ? limited : 'one two'),
    })
    const [contender] = evaluateRun(run).contenders
    expect(contender?.failures).toEqual([
      {
        label: 'MISSING_API_KEY',
        count: 3,
        reasons: [{ message: key.message, hint: 'Check OPENAI_API_KEY.', count: 3 }],
      },
      { label: 'RATE_LIMITED', count: 3, reasons: [{ message: 'Too many.', hint: null, count: 3 }] },
    ])
    expect(findingIn(run, 'REQUESTS_FAILED')).toMatchObject({
      message:
        '6 of 12 requests to tiny failed (counted, not scored): 3 × MISSING_API_KEY: OpenAI refuses the key (HTTP 401): ' +
        'Incorrect API key provided; 3 × RATE_LIMITED: Too many',
      advice: 'Check OPENAI_API_KEY; which ones: column failure of utterances.csv',
    })
  })

  test('that all differ in their words are counted in full and quoted in part', () => {
    const run = measuredRun({
      utterances,
      rounds: 2,
      fate: ({ utterance, round }) => ({
        ...limited,
        code: 'TIMEOUT',
        message: `request ${utterance.id}${round}`,
      }),
    })
    const [group] = evaluateRun(run).contenders[0]?.failures ?? []
    expect(group).toMatchObject({ label: 'TIMEOUT', count: 8 })
    expect(group?.reasons).toHaveLength(3)
    expect(findingIn(run, 'REQUESTS_FAILED')?.message).toContain('5 × others')
  })

  test('are counted in a long run of one utterance, however many they are', () => {
    const run = measuredRun({
      utterances: utterances.slice(0, 1),
      rounds: 150_000,
      fate: ({ round }) => (round === 1 ? 'one two' : limited),
    })
    const { contenders, validity } = evaluateRun(run)
    expect(contenders[0]?.counts).toMatchObject({ answered: 1, failed: 149_999 })
    expect(validity).toBe('invalid')
  })

  test('carry their words in the rows of the utterances, and never an answer that may be a transcript', () => {
    const spoken: RequestFailure = {
      kind: 'malformed',
      httpStatus: 200,
      excerpt: '{"transcript":"my secret plan"}',
    }
    const run = measuredRun({ utterances, fate: ({ utterance }) => (utterance.id === 'a' ? spoken : key) })
    const evaluation = evaluateRun(run)
    expect(
      evaluation.utterances.map(({ failure, failureMessage, failureHint }) => [
        failure,
        failureMessage,
        failureHint,
      ]),
    ).toEqual([
      ['malformed', 'an answer that is not of this API (HTTP 200)', null],
      ...Array.from({ length: 3 }, () => ['MISSING_API_KEY', key.message, 'Check OPENAI_API_KEY.']),
    ])
    expect(JSON.stringify(evaluation)).not.toContain('secret')
  })
})

describe('a contender that was given up', () => {
  const givenUp = {
    id: 'bad',
    phase: 'warmup',
    reason: 'in its warm-up: MISSING_API_KEY: no key',
    hint: 'Set it.',
  } as const
  const ending = { code: 'TARGET_FAILING', message: 'bad was given up', hint: 'resume' }
  const record = { status: 'failed', ending, givenUp: [givenUp] } as const

  test('leaves the figures of the others valid, and is named', () => {
    const contenders = ['bad', 'good']
    const evaluation = evaluatedRun({
      utterances,
      contenders,
      rounds: 20,
      record,
      fate: ({ contenderId }) => (contenderId === 'good' ? 'one two' : null),
    })
    expect(evaluation.validity).toBe('valid')
    expect(evaluation.findings).toContainEqual({
      code: 'CONTENDER_GIVEN_UP',
      severity: 'warning',
      message: 'bad was given up in its warm-up: MISSING_API_KEY: no key',
      advice: 'Set it.',
    })
    expect(evaluation.run.givenUp).toEqual([givenUp])
  })

  test.each([
    ['nothing', 0],
    ['a part', 15],
  ])('makes the run invalid where there is no other, after it has answered %s', (_, answeredRounds) => {
    const run = measuredRun({
      utterances,
      contenders: ['bad'],
      rounds: 20,
      record,
      fate: ({ round }) => (round <= answeredRounds ? 'one two' : null),
    })
    const evaluation = evaluateRun(run)
    expect(evaluation.validity).toBe('invalid')
    expect(codesIn(evaluation)).toContain('RUN_FAILED')
  })
})

describe('a rate limit', () => {
  /** The second request is refused once, and sent again after a pause of 5 s that the others wait for. */
  function pausedRun(failure: RequestFailure = { ...limited, retryAfterSeconds: 5 }): RunMaterial {
    const run = measuredRun({ utterances, rounds: 1, fate: () => 'one two' })
    const later = (line: AttemptLine, byMs: number): AttemptLine => ({
      ...line,
      dueAtMs: line.dueAtMs + byMs,
      sentAtMs: line.sentAtMs + byMs,
      firstByteAtMs: line.endedAtMs + byMs,
      endedAtMs: line.endedAtMs + byMs,
    })
    const attempts = run.attempts.flatMap((line): AttemptLine[] => {
      if (line.index === 0) return [line]
      if (line.index > 1) return [later(line, 5100)]
      const refusal: AttemptLine = {
        ...line,
        outcome: { ok: false, failure },
      }
      return [refusal, { ...later(line, 5100), attempt: 2, pacedMs: 5000 }]
    })
    return { ...run, attempts }
  }

  test('that was waited out is in no latency and no speed, and is counted', () => {
    const evaluation = evaluateRun(pausedRun())
    const [contender] = evaluation.contenders
    expect(contender?.counts).toMatchObject({ answered: 4, failed: 0 })
    expect(evaluation.utterances.map(({ latencyMs }) => latencyMs)).toEqual([100, 100, 100, 100])
    expect(contender?.rateLimit).toEqual({ refusedCount: 1, waitedSeconds: 5 })
    expect(contender?.sentAgain).toEqual({ requestCount: 0, answeredCount: 0 })
    // Two windows: up to the refusal, and from the end of the pause.
    expect(contender?.systemSpeed).toMatchObject({ value: 20, blockCount: 2 })
    expect(findingIn(pausedRun(), 'RATE_LIMIT_WAITED')?.message).toBe(
      'tiny refused 1 request for its rate limit and got it again after waits of 5.0 s in all: in no latency and no speed',
    )
  })

  test('of requests per minute that holds a retry back is no pause: latency counts from the first attempt', () => {
    const { contenders, utterances: rows } = evaluateRun(pausedRun(timedOut))
    expect(rows.map(({ latencyMs }) => latencyMs)).toEqual([100, 5200, 100, 100])
    expect(contenders[0]?.sentAgain).toEqual({ requestCount: 1, answeredCount: 1 })
    expect(contenders[0]?.rateLimit.refusedCount).toBe(0)
  })

  test('that counts as failures says how to wait under a closed load, and that an open one asks for too much', () => {
    const fate = ({ utterance }: { utterance: { id: string } }) =>
      utterance.id === 'a' ? limited : 'one two'
    const closed = measuredRun({ utterances, fate })
    expect(findingIn(closed, 'RATE_LIMIT_HIT')?.advice).toContain('--rate-limit wait')
    const open = {
      ...closed,
      record: {
        ...closed.record,
        load: { kind: 'poisson', rate: { requestsPerSecond: 1 }, forSeconds: null } as const,
      },
    }
    expect(findingIn(open, 'RATE_LIMIT_HIT')?.message).toContain('the load is more than it allows')
  })
})
