import { describe, expect, test } from 'vitest'
import type { Evaluation } from '#analysis/documents/evaluation'
import { evaluateRun } from '#analysis/evaluate-run'
import {
  codesIn,
  dropped,
  evaluatedRun,
  findingIn,
  heardNothing,
  measuredRun,
  only,
  type SpokenUtterance,
  spokenUtterances,
  timedOut,
  unsoundPaths,
} from './measured-run.ts'

const four: readonly SpokenUtterance[] = [
  { id: 'u1', reference: 'The cat sat down.' },
  { id: 'u2', reference: 'One two three' },
  { id: 'u3', reference: '' },
  { id: 'u4', reference: 'Go home' },
]

/** u1: one substitution; u2: one deletion; u3: two insertions into silence; u4: right. */
const answers: Readonly<Record<string, string>> = {
  u1: 'the cat sad down',
  u2: 'one three',
  u3: 'thank you',
  u4: 'go home',
}

const onlyContender = ({ contenders }: Evaluation) => only(contenders)

test('one text that answers several references is counted against each of them', () => {
  const answered = measuredRun({ utterances: four, rounds: 2, fate: () => 'go home' })
  const words = evaluateRun(answered).utterances.map((row) => [row.utteranceId, row.words])
  const none = { hits: 0, substitutions: 0, deletions: 0, insertions: 0 }
  expect(new Map(words as [string, unknown][])).toEqual(
    new Map([
      ['u1', { ...none, substitutions: 2, deletions: 2 }],
      ['u2', { ...none, substitutions: 2, deletions: 1 }],
      ['u3', { ...none, insertions: 2 }],
      ['u4', { ...none, hits: 2 }],
    ]),
  )
  expect(words).toHaveLength(8)
})

test('an utterance that is answered otherwise in another round is counted round by round', () => {
  const says = ['one two three', 'one two', 'one two three', 'one']
  const run = measuredRun({
    utterances: four.slice(1, 2),
    rounds: says.length,
    fate: ({ round }) => says[round - 1] ?? null,
  })
  const rows = evaluateRun(run).utterances.map(({ hypothesis, words }) => [hypothesis, words?.deletions])
  expect(rows).toEqual([
    ['one two three', 0],
    ['one two', 1],
    ['one two three', 0],
    ['one', 2],
  ])
})

describe('rates', () => {
  const evaluation = evaluatedRun({
    utterances: four,
    fate: ({ utterance }) => answers[utterance.id] ?? null,
  })
  const contender = onlyContender(evaluation)

  test('are ratios of sums, with every count next to them', () => {
    // Words: 4 + 3 + 0 + 2 = 9 in the references; one wrong, one missing, two too many.
    expect(contender.words).toMatchObject({
      rate: 4 / 9,
      counts: { hits: 7, substitutions: 1, deletions: 1, insertions: 2 },
      referenceLength: 9,
      hypothesisLength: 10,
    })
  })

  test('count insertions into an empty reference in the sum, and give it no rate', () => {
    const silence = evaluation.utterances.find(({ utteranceId }) => utteranceId === 'u3')
    expect(silence).toMatchObject({ status: 'scored', wordErrorRate: null, words: { insertions: 2 } })
  })

  test('have the mean over utterances next to them, over those that have a rate', () => {
    expect(contender.meanUtteranceWordErrorRate).toBeCloseTo((1 / 4 + 1 / 3 + 0) / 3, 12)
    expect(contender.sentenceErrorRate).toBe(3 / 4)
  })

  test('have an interval by utterance where speakers are not known, and the same one every time', () => {
    expect(contender.words.interval?.method).toBe('bootstrap-by-utterance')
    expect(contender.speakerCount).toBeNull()
    const again = evaluatedRun({ utterances: four, fate: ({ utterance }) => answers[utterance.id] ?? null })
    expect(again).toEqual(evaluation)
  })

  test('have an interval by speaker where every speaker is known and there are ten', () => {
    const spoken = spokenUtterances(30, 'a b c d', (index) => ({ speaker: `s${index % 10}` }))
    // Every other speaker is understood badly in all that they say.
    const evaluation = evaluatedRun({
      utterances: spoken,
      fate: ({ utterance }) => (Number(utterance.id.slice(1)) % 2 === 0 ? 'a b c d' : 'a b x x'),
    })
    const { words, speakerCount } = onlyContender(evaluation)
    expect(words.interval?.method).toBe('bootstrap-by-speaker')
    expect(speakerCount).toBe(10)
    expect(codesIn(evaluation)).toContain('FEW_SPEAKERS')
    const faultless = evaluatedRun({ utterances: spoken, fate: () => 'a b c d' })
    expect(codesIn(faultless)).not.toContain('FEW_SPEAKERS')
  })

  test('have the wider interval, by speaker or by utterance, where fewer than ten speakers are known', () => {
    const methodFor = (ofAnn: string, ofBen: string) => {
      const spoken = spokenUtterances(12, 'a b c d', (index) => ({
        speaker: index % 2 === 0 ? 'ann' : 'ben',
      }))
      const evaluation = evaluatedRun({
        utterances: spoken,
        fate: ({ utterance }) => {
          const index = spoken.findIndex(({ id }) => id === utterance.id)
          if (index >= 6) return 'a b c d'
          return index % 2 === 0 ? ofAnn : ofBen
        },
      })
      return onlyContender(evaluation).words.interval
    }
    // Both speakers have the same rate: resampling the two gives an interval without width.
    const alike = methodFor('a b x x', 'a b x x')
    expect(alike?.method).toBe('bootstrap-by-utterance')
    expect((alike?.high ?? 0) - (alike?.low ?? 0)).toBeGreaterThan(0.1)
    expect(methodFor('x x x x y y y y', 'a b c d')?.method).toBe('bootstrap-by-speaker')
  })

  test.each([
    [9, 'bootstrap-by-utterance', null],
    [10, undefined, 'all that could be resampled has the same rate'],
  ])('resample %i speakers of equal rates: %s', (count, method, reason) => {
    const spoken = spokenUtterances(2 * count, 'a b', (index) => ({ speaker: `s${index % count}` }))
    const evaluation = evaluatedRun({
      utterances: spoken,
      fate: ({ utterance }) => (Number(utterance.id.slice(1)) < count ? 'a b' : 'a x'),
    })
    expect(onlyContender(evaluation).words.interval?.method).toBe(method)
    expect(onlyContender(evaluation).words.noIntervalReason).toBe(reason)
  })

  test('have no interval, and say why, where nothing was wrong and where there is one utterance', () => {
    const reasonFor = (count: number, answer: string): unknown => {
      const spoken = spokenUtterances(count, 'a b')
      const { words } = onlyContender(evaluatedRun({ utterances: spoken, fate: () => answer }))
      expect(words.interval).toBeNull()
      return words.noIntervalReason
    }
    const single = evaluatedRun({ utterances: four.slice(0, 1), fate: () => 'the cat' })
    expect(findingIn(single, 'FEW_UTTERANCES')?.message).toBe('1 utterance can resolve no difference')
    expect(reasonFor(10, 'a b')).toMatch(/^no error occurred/)
    expect(reasonFor(1, 'a x')).toMatch(/^there are fewer than two utterances/)
  })

  test('do not get a narrower interval because the same utterances were sent three times', () => {
    const interval = (rounds: number) =>
      onlyContender(
        evaluatedRun({ utterances: four, rounds, fate: ({ utterance }) => answers[utterance.id] ?? null }),
      ).words.interval
    expect(interval(3)).toEqual(interval(1))
  })
})

describe('failures', () => {
  const run = measuredRun({
    utterances: four,
    fate: ({ utterance }) =>
      ({ u1: timedOut, u2: heardNothing, u3: heardNothing, u4: 'go home' })[utterance.id] ?? null,
  })
  const evaluation = evaluateRun(run)
  const contender = onlyContender(evaluation)

  test('are counted and not scored', () => {
    expect(contender.counts).toEqual({ planned: 4, answered: 3, failed: 1, dropped: 0, notSent: 0 })
    expect(contender.failures).toMatchObject([{ label: 'timedOut', count: 1 }])
    expect(contender.failureRate).toBe(1 / 4)
    expect(contender.coverage).toBe(3 / 4)
  })

  test('that say "no speech" are an empty transcript: all deletions on speech, right on silence', () => {
    expect(contender.noSpeechCount).toBe(2)
    expect(contender.words.counts).toEqual({ hits: 2, substitutions: 0, deletions: 3, insertions: 0 })
    expect(codesIn(evaluation)).toContain('NO_SPEECH_ANSWERS')
  })

  test('stay failures where no answer is taken to mean silence', () => {
    const strict = onlyContender(evaluateRun(run, { noSpeech: [] }))
    expect(strict.counts).toMatchObject({ answered: 1, failed: 3 })
    expect(strict.failures[0]).toMatchObject({ label: 'TRANSCRIPTION_FAILED', count: 2 })
  })

  test.each([
    ['a code alone, whatever it says', [{ code: 'TRANSCRIPTION_FAILED' }], 2],
    [
      'words of its message, whatever their letters',
      [{ code: 'TRANSCRIPTION_FAILED', message: 'NO SPEECH' }],
      2,
    ],
    ['words in its middle', [{ code: 'TRANSCRIPTION_FAILED', message: 'detected in' }], 2],
    ['half a word', [{ code: 'TRANSCRIPTION_FAILED', message: 'no spee' }], 0],
    ['another code', [{ code: 'AUDIO_DECODE_FAILED' }], 0],
    ['one of several', [{ code: 'SILENT' }, { code: 'TRANSCRIPTION_FAILED' }], 2],
    ['a request without an answer', [{ code: 'timedOut' }], 0],
  ])('are answers without words where that is declared: %s', (_, noSpeech, count) => {
    const declared = evaluateRun(run, { noSpeech })
    expect(onlyContender(declared).noSpeechCount).toBe(count)
    expect(declared.scoring.noSpeech).toEqual(noSpeech)
    expect(declared.scoring.fingerprint).not.toBe(evaluation.scoring.fingerprint)
  })

  test('without a code of the API can be declared by their status and their text', () => {
    const failure = { kind: 'malformed', httpStatus: 422, excerpt: '{"detail": "silence"}' } as const
    const plain = measuredRun({ utterances: four, fate: () => failure })
    const heard = (code: string, message: string): number =>
      onlyContender(evaluateRun(plain, { noSpeech: [{ code, message }] })).noSpeechCount
    expect([heard('HTTP_422', 'silence'), heard('HTTP_422', 'speech'), heard('HTTP_500', 'silence')]).toEqual(
      [4, 0, 0],
    )
  })

  test("follow the run's config by default", () => {
    const asked = { ...run, record: { ...run.record, noSpeech: [] } }
    expect(onlyContender(evaluateRun(asked)).noSpeechCount).toBe(0)
    expect(evaluation.scoring.noSpeech).toEqual([{ code: 'TRANSCRIPTION_FAILED', message: 'no speech' }])
  })

  test('count as empty transcripts in the rate over everything that was asked', () => {
    expect(contender.words.rate).toBe(3 / 5)
    expect(contender.wordsWithFailuresAsEmpty.counts).toMatchObject({ hits: 2, deletions: 7 })
    expect(contender.wordsWithFailuresAsEmpty.rate).toBe(7 / 9)
  })

  test('differ from what was never sent or was dropped, which is in no rate', () => {
    const fates = ['The cat sat down', null, '', dropped] as const
    const partial = onlyContender(
      evaluatedRun({ utterances: four, fate: ({ utterance }) => fates[four.indexOf(utterance)] ?? null }),
    )
    expect(partial.counts).toMatchObject({ answered: 2, notSent: 1, dropped: 1 })
    expect(partial.wordsWithFailuresAsEmpty.counts).toEqual(partial.words.counts)
  })

  test('have no latency', () => {
    expect(contender.latencyMs.sampleCount).toBe(3)
    expect(evaluation.utterances[0]).toMatchObject({ status: 'failed', latencyMs: null, hypothesis: null })
  })
})

describe('what was planned', () => {
  test('is answered, failed, dropped or not sent, and each is reported', () => {
    const fates = { u1: 'the cat sat down', u2: timedOut, u3: dropped, u4: null }
    const evaluation = evaluatedRun({
      utterances: four,
      record: { status: 'interrupted' },
      fate: ({ utterance }) => fates[utterance.id as keyof typeof fates],
    })
    expect(onlyContender(evaluation).counts).toEqual({
      planned: 4,
      answered: 1,
      failed: 1,
      dropped: 1,
      notSent: 1,
    })
    expect(evaluation.utterances.map(({ status }) => status)).toEqual([
      'scored',
      'failed',
      'dropped',
      'notSent',
    ])
    expect(codesIn(evaluation)).toEqual(
      expect.arrayContaining(['RUN_INTERRUPTED', 'REQUESTS_FAILED', 'REQUESTS_NOT_SENT']),
    )
  })

  test('is judged by its last attempt', () => {
    const run = measuredRun({ utterances: four.slice(0, 1), fate: () => timedOut })
    const first = only(run.attempts)
    const good = only(measuredRun({ utterances: four.slice(0, 1), fate: () => 'the cat sat down' }).attempts)
    const evaluation = evaluateRun({ ...run, attempts: [{ ...good, attempt: 2 }, first] })
    expect(onlyContender(evaluation).counts).toMatchObject({ answered: 1, failed: 0 })
    expect(codesIn(evaluation)).toContain('REQUESTS_RETRIED')
  })

  test('has the latency of the whole and that of its first attempt, for each contender and each request', () => {
    const utterances = spokenUtterances(12, 'go home')
    const run = measuredRun({ utterances, fate: () => 'go home' })
    // Every request failed after 100 ms, waited for 900, and was answered within 100 more.
    const attempts = run.attempts.flatMap((line) => {
      const again = { ...line, attempt: 2, sentAtMs: line.sentAtMs + 1000, endedAtMs: line.endedAtMs + 1000 }
      return [{ ...line, outcome: { ok: false as const, failure: timedOut } }, again]
    })
    const evaluation = evaluateRun({ ...run, attempts })
    expect(onlyContender(evaluation)).toMatchObject({
      sentAgain: { requestCount: 12, answeredCount: 12 },
      latencyMs: { sampleCount: 12, p50: { value: 1100 } },
      firstAttemptMs: { sampleCount: 12, p50: { value: 100 } },
      serviceMs: { p50: { value: 100 } },
    })
    expect(evaluation.utterances[0]).toMatchObject({ latencyMs: 1100, firstAttemptMs: 100, attemptCount: 2 })
  })

  test('makes the run invalid where attempts are not in the plan', () => {
    const run = measuredRun({ utterances: four, fate: () => 'go home' })
    const evaluation = evaluateRun({ ...run, requests: run.requests.slice(0, 3) })
    expect(codesIn(evaluation)).toContain('JOURNAL_OUTSIDE_PLAN')
    expect(evaluation.validity).toBe('invalid')
  })

  test('counts answers of earlier runs only where it has their request', () => {
    const run = measuredRun({ utterances: four, fate: () => 'go home' })
    const reused = run.attempts.map(({ index, contenderId, utteranceId, outcome }) => ({
      ...{ index, contenderId, utteranceId, outcome, run: 'before', runIndex: index },
      answeredAt: '2026-11-20T07:31:02.000Z',
    }))
    const strays = reused.slice(1).map((line) => ({ ...line, utteranceId: 'u1' }))
    const evaluation = evaluateRun({ ...run, attempts: [], reused: [...reused.slice(0, 1), ...strays] })
    expect(onlyContender(evaluation)).toMatchObject({ counts: { answered: 1 }, reused: { count: 1 } })
  })

  test('must be there: a request for an unknown utterance is refused with its place', () => {
    const run = measuredRun({ utterances: four, fate: () => 'go home' })
    expect(() => evaluateRun({ ...run, utterances: run.utterances.slice(1) })).toThrow(
      expect.objectContaining({ code: 'RUN_INCONSISTENT', exit: 'badInput' }),
    )
  })
})

describe('validity', () => {
  const many = spokenUtterances(10, 'a b c d')
  const withAnswers = (count: number) =>
    evaluatedRun({
      utterances: many,
      fate: ({ utterance }) =>
        many.indexOf(utterance as (typeof many)[number]) < count ? 'a b c d' : timedOut,
    })

  test('is kept with half of the requests answered, and lost below', () => {
    expect(withAnswers(5).validity).toBe('short')
    expect(withAnswers(4).validity).toBe('invalid')
    expect(codesIn(withAnswers(4))).toContain('COVERAGE_LOW')
    expect(codesIn(withAnswers(0))).toContain('NOTHING_SCORED')
  })

  test('is not lost by an interruption: what was not sent is in no rate, and in no share of failures', () => {
    const evaluation = evaluatedRun({
      utterances: many,
      record: { status: 'interrupted' },
      fate: ({ utterance }) => (many.indexOf(utterance as (typeof many)[number]) < 2 ? 'a b c' : null),
    })
    const [contender] = evaluation.contenders
    expect(evaluation.validity).toBe('short')
    expect(codesIn(evaluation)).not.toContain('COVERAGE_LOW')
    expect(contender?.counts).toMatchObject({ answered: 2, notSent: 8 })
    expect(contender?.wordsWithFailuresAsEmpty.rate).toBe(contender?.words.rate)
    expect(contender?.failureRate).toBe(0)
  })

  test('is lost with the target, and says why and what to do', () => {
    const ending = { code: 'TARGET_LOST', message: 'the server is gone', hint: 'start it again' }
    const evaluation = evaluatedRun({
      utterances: many,
      record: { status: 'failed', ending },
      fate: () => 'a b c d',
    })
    expect(evaluation.validity).toBe('invalid')
    expect(evaluation.findings[0]).toEqual({
      code: 'RUN_FAILED',
      severity: 'invalid',
      message: 'the run failed: the server is gone (TARGET_LOST)',
      advice: 'start it again',
    })
  })

  test('is kept by a run that was killed, with a warning', () => {
    const evaluation = evaluatedRun({
      utterances: many,
      record: { status: 'started' },
      fate: () => 'a b c d',
    })
    expect(evaluation.validity).toBe('short')
    expect(codesIn(evaluation)).toContain('RUN_UNFINISHED')
  })
})

describe('findings', () => {
  test('name the utterances with more errors than words', () => {
    const evaluation = evaluatedRun({
      utterances: four,
      fate: ({ utterance }) => (utterance.id === 'u4' ? 'no no no no no' : utterance.reference),
    })
    const found = findingIn(evaluation, 'UTTERANCE_OVER_100')
    expect(found?.message).toBe('tiny has more errors than words in 1 utterance: u4')
  })

  test('name the references that the profile empties, but not those that are empty', () => {
    const utterances = [...four, { id: 'dots', reference: '…' }, { id: 'a dash', reference: '–' }]
    const evaluation = evaluatedRun({ utterances, fate: () => 'go home' })
    const found = findingIn(evaluation, 'REFERENCE_EMPTIED')
    expect(found?.message).toContain('2 utterances: dots, a dash')
    expect(found?.advice).toContain("--exclude dots,'a dash'")
  })

  test.each([
    ['engine', { engine: 'other' }, 'other:tiny'],
    ['model', { model: 'large' }, 'moonshine:large'],
  ])('report answers of another %s than that of the contender', (_what, changed, name) => {
    const run = measuredRun({ utterances: four, fate: () => 'a' })
    const [first, ...rest] = run.attempts
    if (first === undefined || !first.outcome.ok) throw new Error('expected an answer')
    const other = {
      ...first,
      outcome: { ok: true, answer: { ...first.outcome.answer, ...changed } },
    } as const
    const evaluation = evaluateRun({ ...run, attempts: [other, ...rest] })
    expect(evaluation.validity).toBe('invalid')
    expect(evaluation.findings[0]?.message).toBe(
      `1 of 4 answers to tiny came from ${name}, not from moonshine:tiny`,
    )
    expect(codesIn(evaluateRun(run))).not.toContain('OTHER_MODEL')
  })

  test('say what difference a corpus can resolve, by the rule of three where nothing was wrong', () => {
    const utterances = spokenUtterances(10, 'a b c d e f')
    const run = measuredRun({ utterances, fate: () => 'a b c d e f' })
    const evaluation = evaluateRun(run)
    // 3 errors among 60 words.
    expect(findingIn(evaluation, 'FEW_UTTERANCES')?.message).toBe(
      '10 utterances can resolve a difference of about 5 percentage points, not less',
    )
    // Other speech answers no question about one's own. An interval narrows with the square root of the number of utterances.
    const { corpus } = run.record
    const own = evaluateRun({ ...run, record: { ...run.record, corpus: { ...corpus, name: 'mine' } } })
    expect(findingIn(own, 'FEW_UTTERANCES')?.advice).toBe(
      'add recordings of the same kind to mine: about 250 resolve 1 point',
    )
  })

  test('do not take the repeats of a round for more words to resolve by', () => {
    const utterances = spokenUtterances(10, 'a b c d e f')
    const evaluation = evaluatedRun({ utterances, rounds: 5, fate: () => 'a b c d e f' })
    expect(findingIn(evaluation, 'FEW_UTTERANCES')?.message).toContain('about 5 percentage points')
  })
})

test('an evaluation of a run without a single attempt is a sound document', () => {
  const evaluation = evaluatedRun({ utterances: four, contenders: ['tiny', 'base'], fate: () => null })
  expect(unsoundPaths(evaluation)).toEqual([])
  expect(evaluation.validity).toBe('invalid')
  expect(evaluation.difference).toBeNull()
})
