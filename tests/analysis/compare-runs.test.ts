import { describe, expect, test } from 'vitest'
import { type CompareOptions, compareSides } from '#analysis/comparison/compare-runs'
import type { Comparison } from '#analysis/documents/comparison'
import type { RunMaterial } from '#analysis/requests/resolved-run'
import {
  codesIn,
  compared as comparedSides,
  findingIn,
  measuredRun,
  only,
  type SpokenUtterance,
  timedOut,
  unsoundPaths,
} from './measured-run.ts'

const reference = 'a b c d e f g h i j'
const twelve: readonly SpokenUtterance[] = Array.from({ length: 12 }, (_, index) => ({
  id: `u${String(index + 1).padStart(2, '0')}`,
  reference,
}))

/** A text with so many words of the reference replaced. */
const wrong = (count: number): string =>
  reference
    .split(' ')
    .map((word, index) => (index < count ? 'x' : word))
    .join(' ')

/** A run in which utterance number n has as many errors as the n-th number says. */
function runWith(
  errors: readonly number[],
  more: Partial<Parameters<typeof measuredRun>[0]> = {},
): RunMaterial {
  const utterances = more.utterances ?? twelve
  return measuredRun({
    fate: ({ utterance }) => wrong(errors[utterances.indexOf(utterance)] ?? 0),
    ...more,
    utterances,
  })
}

const compared = (base: RunMaterial, run: RunMaterial, options?: CompareOptions): Comparison =>
  comparedSides([base], [run], options)

function refusal(base: RunMaterial, run: RunMaterial, options: CompareOptions = {}) {
  const outcome = compareSides([base], [run], options)
  if (outcome.ok) throw new Error('expected a refusal')
  return outcome.failure
}

const onlyPair = ({ contenders }: Comparison) => only(contenders)

const wer = (comparison: Comparison) => onlyPair(comparison).rates.find(({ metric }) => metric === 'wer')
const each = (errors: number): readonly number[] => twelve.map(() => errors)

describe('two runs with identical texts', () => {
  const comparison = compared(runWith([1, 2, 3]), runWith([1, 2, 3]))

  test('differ by nothing, with certainty, and are equivalent', () => {
    expect(wer(comparison)).toMatchObject({
      difference: 0,
      interval: { low: 0, high: 0 },
      verdict: 'equivalent',
      base: { rate: 6 / 120, errors: 6, referenceLength: 120 },
    })
    expect(onlyPair(comparison)).toMatchObject({
      pairedUtteranceCount: 12,
      identicalTextCount: 12,
      betterCount: 0,
      worseCount: 0,
      sameCount: 12,
      changed: [],
    })
  })

  test('have speeds that are described and not judged', () => {
    const { speed } = onlyPair(comparison)
    expect(speed.map(({ metric }) => metric)).toEqual([
      'latency',
      'latency.p50',
      'latency.p95',
      'latency.fixed',
      'latency.slope',
      'rtfx',
    ])
    expect(speed.every(({ verdict }) => verdict === null)).toBe(true)
    expect(speed.filter(({ reason }) => reason === null).map(({ note }) => note)).toEqual(
      new Array(3).fill('descriptive only'),
    )
    expect(speed[0]).toMatchObject({ base: expect.closeTo(100, 9), relativeChange: 0, reason: null })
    expect(speed[1]).toMatchObject({ base: expect.closeTo(100, 9), relativeChange: 0, interval: null })
    expect(speed[2]).toMatchObject({ base: null, reason: 'base needs 60 more answered requests' })
    expect(codesIn(comparison)).toEqual(['ONE_RUN_A_SIDE'])
  })

  test('weigh each utterance once, also when a round of one of them failed', () => {
    const twice = runWith([5, 0, 0], { rounds: 2 })
    const oneLess = runWith([5, 0, 0], {
      rounds: 2,
      fate: ({ utterance, round }) =>
        utterance.id === 'u01' && round === 2 ? timedOut : wrong(utterance.id === 'u01' ? 5 : 0),
    })
    expect(wer(compared(twice, oneLess))).toMatchObject({ difference: 0, verdict: 'equivalent' })
  })
})

describe('the verdict', () => {
  test('is better or worse where the whole interval lies beyond the margin', () => {
    expect(wer(compared(runWith(each(2)), runWith(each(1))))).toMatchObject({
      difference: expect.closeTo(-0.1, 12),
      verdict: 'better',
      differingCount: 12,
    })
    expect(wer(compared(runWith(each(1)), runWith(each(2))))?.verdict).toBe('worse')
  })

  test('is unresolved where the interval crosses the margin', () => {
    const mixed = compared(runWith([0, 0, 0, 0, 2, 2, 2, 3]), runWith([2, 2, 2, 3, 0, 0, 0, 0]))
    expect(wer(mixed)).toMatchObject({ difference: expect.closeTo(0, 12), verdict: 'unresolved' })
  })

  test('is unresolved, either way, where the interval excludes zero and not the margin', () => {
    const [less, more] = [runWith([]), runWith([1, 1, 1, 1, 1, 1, 1, 1])]
    const worse = wer(compared(less, more, { margins: { wer: 0.05 } }))
    expect(worse?.interval?.low).toBeGreaterThan(0)
    expect(worse).toMatchObject({ verdict: 'unresolved', differingCount: 8 })
    expect(wer(compared(more, less, { margins: { wer: 0.05 } }))?.verdict).toBe('unresolved')
  })

  test('is unresolved where so few utterances differ that chance explains it', () => {
    // Five of five one way happens one time in sixteen; the interval alone would be sure of itself.
    const five = compared(runWith([9, 9, 9, 9, 9]), runWith([0, 0, 0, 0, 0]))
    expect(wer(five)?.interval?.high).toBeLessThan(-0.002)
    expect(wer(five)).toMatchObject({ verdict: 'unresolved', differingCount: 5 })
    // Seven and not six: the rate of words and the rate of characters share the confidence.
    expect(wer(compared(runWith([9, 9, 9, 9, 9, 9, 9]), runWith([])))?.verdict).toBe('better')
  })

  test('is equivalent within a margin that the caller widens', () => {
    const comparison = compared(runWith(each(1)), runWith(each(2)), { margins: { wer: 0.15 } })
    expect(wer(comparison)).toMatchObject({ margin: 0.15, verdict: 'equivalent' })
  })
})

describe('utterances', () => {
  test('that changed are counted, and the most changed come first with their words aligned', () => {
    const comparison = compared(runWith([0, 3, 1]), runWith([4, 0, 0]))
    const contender = onlyPair(comparison)
    expect(contender).toMatchObject({ betterCount: 2, worseCount: 1, sameCount: 9 })
    expect(
      contender.changed.map(({ utteranceId, errorDifference }) => [utteranceId, errorDifference]),
    ).toEqual([
      ['u01', 4],
      ['u02', -3],
      ['u03', -1],
    ])
    expect(contender.changed[0]?.runWords.slice(0, 5).map(({ kind }) => kind)).toEqual([
      'substitution',
      'substitution',
      'substitution',
      'substitution',
      'hit',
    ])
  })

  test('that got worse are shown, also where twenty others gained more', () => {
    const many = Array.from({ length: 40 }, (_, index) => ({
      id: `m${String(index).padStart(2, '0')}`,
      reference,
    }))
    const at = (worse: number, better: number) => many.map((_, index) => (index < 3 ? worse : better))
    const contender = onlyPair(
      compared(runWith(at(0, 5), { utterances: many }), runWith(at(1, 0), { utterances: many })),
    )
    expect(contender).toMatchObject({ worseCount: 3, betterCount: 37 })
    expect(contender.changed).toHaveLength(20)
    expect(contender.changed.filter(({ errorDifference }) => errorDifference > 0)).toHaveLength(3)
  })

  test('without a partner are named with the reason', () => {
    const base = runWith([], { utterances: twelve.slice(0, 11) })
    const run = runWith([], {
      utterances: twelve.slice(1),
      fate: ({ utterance }) =>
        ({ u02: timedOut, u03: null })[utterance.id] ?? (utterance.id === 'u03' ? null : reference),
    })
    const contender = onlyPair(compared(base, run))
    expect(contender.pairedUtteranceCount).toBe(8)
    expect(contender.unpaired).toEqual([
      { utteranceId: 'u01', reason: 'only in base' },
      { utteranceId: 'u12', reason: 'only in run' },
      { utteranceId: 'u02', reason: 'failed (timedOut) in run' },
      { utteranceId: 'u03', reason: 'not sent in run' },
    ])
    expect(contender.failures).toMatchObject({ base: 0, run: 1 })
  })
})

describe('contenders', () => {
  const base = runWith([], { contenders: ['tiny', 'base'] })

  test('with the same id are paired, and the others named', () => {
    const comparison = compared(base, runWith([], { contenders: ['base', 'large'] }))
    expect(comparison.contenders.map((pair) => [pair.baseContenderId, pair.runContenderId])).toEqual([
      ['base', 'base'],
    ])
    expect(comparison.unpairedContenders).toEqual([
      { side: 'base', id: 'tiny' },
      { side: 'run', id: 'large' },
    ])
  })

  test('are paired whatever they are called where each run has one', () => {
    const contender = onlyPair(compared(runWith([]), runWith([], { contenders: ['tiny-v2'] })))
    expect(contender).toMatchObject({ baseContenderId: 'tiny', runContenderId: 'tiny-v2' })
  })

  test('are paired as asked', () => {
    const pairs = [{ base: 'tiny', run: 'base' }]
    expect(compared(base, base, { contenders: pairs }).contenders).toHaveLength(1)
    const refused = refusal(base, base, { contenders: [{ base: 'tiny', run: 'huge' }] })
    expect(refused.problems).toEqual([
      { where: 'huge', what: 'is not a contender of the run, which has tiny, base' },
    ])
  })

  test('of which none is shared make the runs incomparable', () => {
    const refused = refusal(base, runWith([], { contenders: ['large', 'huge'] }))
    expect(refused.code).toBe('NOT_COMPARABLE')
    expect(refused.problems[0]?.what).toBe(
      'no contender is in both runs: the base has tiny, base; the run has large, huge',
    )
  })
})

describe('runs are refused', () => {
  const changed = twelve.map((utterance, index) =>
    index < 2 ? { ...utterance, sha256: `${index}`.padEnd(64, 'f') } : utterance,
  )
  const corrected = changed.map((utterance, index) =>
    index === 5 ? { ...utterance, reference: `${reference} k` } : utterance,
  )

  test('with all reasons: other audio under the same id, how many and which, and other references', () => {
    const refused = refusal(runWith([]), runWith([], { utterances: corrected }))
    expect(refused.exit).toBe('badInput')
    expect(refused.problems.map(({ where, what }) => [where, what])).toEqual([
      [null, '2 of 12 utterances have different audio under the same id'],
      ['u01', 'audio u010… → 0fff…'],
      ['u02', 'audio u020… → 1fff…'],
      [null, '1 of 12 utterances have different references under the same id'],
      ['u06', `reference "${reference}" → "${reference} k"`],
    ])
    expect(refused.hint).toContain('--only-matching')
  })

  test('unless only what matches is asked for, and then the rest is counted as left out', () => {
    const comparison = compared(runWith([]), runWith([], { utterances: corrected }), { onlyMatching: true })
    expect(onlyPair(comparison).pairedUtteranceCount).toBe(9)
    expect(onlyPair(comparison).unpaired.map(({ reason }) => reason)).toEqual([
      'different audio',
      'different audio',
      'different reference',
    ])
    expect(codesIn(comparison)).toContain('UTTERANCES_LEFT_OUT')
  })

  test('when nothing is shared', () => {
    const others = twelve.map((utterance) => ({ ...utterance, id: `other-${utterance.id}` }))
    const refused = refusal(runWith([]), runWith([], { utterances: others }))
    expect(refused.problems[0]?.what).toBe('no utterance is in both runs: 12 in the base, 12 in the run')
  })

  test('when nothing was answered on both sides', () => {
    const refused = refusal(runWith([]), runWith([], { fate: () => timedOut }))
    expect(refused.problems[0]?.what).toBe(
      'no utterance was answered in both runs: 12 failed (timedOut) in run',
    )
  })

  test('when one of several contenders answered nothing, with the command for the others', () => {
    const contenders = ['tiny', 'base', 'any#m?a=1']
    const silent = runWith([], {
      contenders,
      fate: ({ contenderId }) => (contenderId === 'tiny' ? timedOut : 'a b'),
    })
    const refused = refusal(runWith([], { contenders }), silent)
    expect(refused.problems.map(({ where }) => where)).toEqual(['tiny'])
    expect(refused.hint).toContain("--contender base=base --contender 'any#m?a=1'='any#m?a=1'")
  })

  test('are compared where a reference differs only in what the profile evens out', () => {
    const louder = twelve.map((utterance) => ({ ...utterance, reference: `${reference.toUpperCase()}.` }))
    expect(wer(compared(runWith([]), runWith([], { utterances: louder })))?.difference).toBe(0)
  })
})

test('conditions that differ are reported, because speeds then compare them too', () => {
  const run = runWith([], { concurrency: 4 })
  const comparison = compared(runWith([]), run)
  expect(comparison.conditions.find(({ key }) => key === 'load')).toEqual({
    key: 'load',
    base: 'closed, 1 in flight',
    run: 'closed, 4 in flight',
  })
  expect(codesIn(comparison)).toContain('CONDITIONS_DIFFER')
})

test('one load of contenders with different numbers of requests in flight is no difference', () => {
  const { record, ...lines } = runWith([], { contenders: ['tiny', 'base'] })
  const contenders = record.contenders.map((one, index) => ({ ...one, concurrency: index === 0 ? 1 : 4 }))
  const run = { ...lines, record: { ...record, contenders } }
  const comparison = compared(run, run)
  expect(comparison.conditions.find(({ key }) => key === 'load')?.run).toBe('closed, 1 or 4 in flight')
  expect(codesIn(comparison)).not.toContain('CONDITIONS_DIFFER')
})

test('another server is a difference, with both addresses and without their secrets', () => {
  const at = (kind: 'openai' | 'embedded', baseUrl: string) =>
    runWith([], { record: { target: { kind, baseUrl, health: null, models: [] } } })
  const server = (port: number) => at('openai', `http://127.0.0.1:${port}/v1/?key=s3cret`)
  const comparison = compared(server(8000), server(8001))
  expect(comparison.conditions.find(({ key }) => key === 'target')).toEqual({
    key: 'target',
    base: 'openai http://127.0.0.1:8000/v1',
    run: 'openai http://127.0.0.1:8001/v1',
  })
  const found = findingIn(comparison, 'CONDITIONS_DIFFER')
  expect(found?.message).toContain('target openai http://127.0.0.1:8000/v1 → openai http://127.0.0.1:8001/v1')
  expect(JSON.stringify(comparison)).not.toContain('s3cret')
  // The built-in service has another port each time, which is no difference.
  const embedded = compared(at('embedded', 'http://127.0.0.1:1'), at('embedded', 'http://127.0.0.1:2'))
  expect(codesIn(embedded)).not.toContain('CONDITIONS_DIFFER')
})

test('a side that is not valid by itself is named with its reasons', () => {
  const base = runWith([], { fate: ({ utterance }) => (utterance.id === 'u01' ? reference : timedOut) })
  const found = compared(base, runWith([])).findings.find(({ code }) => code === 'SIDE_NOT_VALID')
  expect(found?.message).toBe('the base is not valid by itself: only 1 of 12 requests to tiny were answered')
})

test('a comparison is a sound document', () => {
  expect(unsoundPaths(compared(runWith([1, 2]), runWith([2], { rounds: 3 })))).toEqual([])
})

describe('corrected references', () => {
  const corrections = {
    source: 'corrections.jsonl',
    fingerprint: 'f',
    lines: [
      { utteranceId: 'u01', before: reference, after: wrong(2) },
      { utteranceId: 'u02', before: 'another text', after: 'x' },
    ],
  }

  test('are put in the place of those of both sides, and said to be', () => {
    const [base, run] = [runWith([2, ...each(1).slice(1)]), runWith([2, ...each(0).slice(1)])]
    expect(wer(compared(base, run))).toMatchObject({ base: { errors: 13 }, run: { errors: 2 } })
    const comparison = compared(base, run, { corrections })
    expect(wer(comparison)).toMatchObject({ base: { errors: 11 }, run: { errors: 0 } })
    expect(codesIn(comparison)).toEqual(expect.arrayContaining(['REFERENCES_CORRECTED', 'CORRECTIONS_STALE']))
  })

  test('make runs comparable of which one was made with the corrected manifest', () => {
    const mended = runWith([2, ...each(0).slice(1)], {
      utterances: twelve.map((one) => (one.id === 'u01' ? { ...one, reference: wrong(2) } : one)),
    })
    expect(refusal(runWith(each(0)), mended).code).toBe('NOT_COMPARABLE')
    expect(wer(compared(runWith(each(0)), mended, { corrections }))?.base.errors).toBe(2)
  })
})
