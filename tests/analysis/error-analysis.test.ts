import { describe, expect, test } from 'vitest'
import type { ContenderAnalysis } from '#analysis/documents/error-analysis'
import type { Evaluation } from '#analysis/documents/evaluation'
import { evaluateRun } from '#analysis/evaluate-run'
import { correctReferences } from '#analysis/requests/transcript-scorer'
import { summaryCsv, summaryDocument } from '#reports/run/summary-document'
import {
  evaluatedRun,
  type Fate,
  heardNothing,
  measuredRun,
  only,
  type SpokenUtterance,
  spokenUtterances,
  type TimedFate,
  timedOut,
} from './measured-run.ts'

/** What one contender answers, by utterance; several texts for several rounds. */
type Answers = Readonly<Record<string, string | TimedFate | readonly (string | null)[]>>

function evaluated(
  utterances: readonly SpokenUtterance[],
  answers: Answers,
  options: Parameters<typeof evaluateRun>[1] & { readonly rounds?: number } = {},
): Evaluation {
  const { rounds = 1, ...rest } = options
  return evaluatedRun(
    {
      utterances,
      rounds,
      fate: ({ utterance, round }) => {
        const given = answers[utterance.id] ?? ''
        return Array.isArray(given) ? (given[round - 1] ?? timedOut) : (given as Fate)
      },
    },
    rest,
  )
}

/** Words to look for, as a file of rules names them. */
function vocabulary(...words: readonly string[]) {
  return { rules: [{ name: 'test', rules: { vocabulary: words } }] }
}

function analysisOf(...args: Parameters<typeof evaluated>): ContenderAnalysis {
  return only(evaluated(...args).errorAnalyses)
}

const cats: readonly SpokenUtterance[] = [
  { id: 'u1', reference: 'The big cat sat.', speaker: 'ann', seconds: 3 },
  { id: 'u2', reference: 'One two cat.', speaker: 'ben', seconds: 1 },
  { id: 'u3', reference: 'A big dog sat.', speaker: 'ann', seconds: 3 },
]
const catAnswers = { u1: 'The cat sad now.', u2: 'Uno dos cat.', u3: 'A dog sad.' }

describe('confusions', () => {
  test('are counted over all rounds, with the utterances they occurred in', () => {
    const { confusions } = analysisOf(
      cats,
      { ...catAnswers, u2: ['Uno dos cat.', 'One two cat.'] },
      { rounds: 2 },
    )
    const { words, phrases } = confusions
    expect(words.substitutions).toContainEqual({
      reference: 'one',
      hypothesis: 'uno',
      count: 1,
      utteranceIds: ['u2'],
    })
    expect(phrases.substitutions).toContainEqual(
      expect.objectContaining({ reference: 'one two', hypothesis: 'uno dos' }),
    )
  })

  test('of equal answers count as often as they were given', () => {
    const { words } = analysisOf(cats, catAnswers, { rounds: 3, profile: 'basic' }).confusions
    const [top] = words.substitutions
    expect(top).toMatchObject({ hypothesis: 'sad', count: 6, utteranceIds: ['u1', 'u3'] })
    expect(words.substitutions.map(({ reference }) => reference)).toEqual(['sat', 'one', 'two'])
    expect(words.deletions).toMatchObject([{ reference: 'big', hypothesis: null, count: 6 }])
    expect(words.insertions).toMatchObject([{ reference: null, hypothesis: 'now', count: 3 }])
    expect(words.distinct).toEqual({ substitutions: 3, deletions: 1, insertions: 1 })
  })
})

describe('breakdowns', () => {
  test('pool what was asked and answered by speaker and by length', () => {
    const analysis = analysisOf(cats, { ...catAnswers, u2: [null] })
    const bySpeaker = analysis.breakdowns.find(({ by }) => by === 'speaker')
    expect(
      bySpeaker?.groups.map(({ name, askedCount, scoredCount, words, isSmall }) => [
        name,
        askedCount,
        scoredCount,
        words.rate,
        isSmall,
      ]),
    ).toEqual([
      ['ann', 2, 2, 5 / 8, true],
      ['ben', 1, 0, null, true],
    ])
    const byDuration = analysis.breakdowns.find(({ by }) => by === 'duration')
    expect(byDuration?.groups.map(({ name }) => name)).toEqual(['0-2 s', '2-5 s'])
  })

  test('have one group where all utterances are of it, and are left out where the corpus has no such field', () => {
    const same = cats.map((utterance) => ({ ...utterance, seconds: 3, speaker: 'ann' }))
    const { breakdowns } = analysisOf(same, catAnswers)
    expect(breakdowns.map(({ by, groups }) => [by, groups.map(({ name }) => name)])).toEqual([
      ['speaker', ['ann']],
      ['language', ['en']],
      ['duration', ['2-5 s']],
    ])
  })

  test('list the hundred largest groups and say how many there are', () => {
    const many = spokenUtterances(150, 'a b', (index) => ({ speaker: `s${index}` }))
    const [bySpeaker] = analysisOf(many, {}).breakdowns
    expect(bySpeaker).toMatchObject({ by: 'speaker', groupCount: 150 })
    expect(bySpeaker?.groups).toHaveLength(100)
  })
})

describe('keywords', () => {
  const spoken = [
    { id: 'u1', reference: 'restart the staging cluster with kubectl' },
    { id: 'u2', reference: 'the staging cluster is down' },
    { id: 'u3', reference: 'kubectl is installed' },
  ]
  const answers = {
    u1: 'restart the staging cluster with cube control',
    u2: 'the stage in cluster is down',
    u3: 'kubectl is installed on the staging cluster',
  }

  test('are found, missed and made up as phrases, with recall, precision and their product', () => {
    const { keywords } = analysisOf(spoken, answers, vocabulary('staging cluster', 'Kubectl', 'never said'))
    expect(keywords?.keywords).toEqual([
      { keyword: 'staging cluster', found: 1, missed: 1, invented: 1 },
      { keyword: 'Kubectl', found: 1, missed: 1, invented: 0 },
    ])
    expect(keywords?.recall).toMatchObject({ rate: 2 / 4, numerator: 2, denominator: 4 })
    expect(keywords?.precision).toMatchObject({ rate: 2 / 3 })
    expect(keywords?.f1).toBeCloseTo(4 / 7, 12)
    expect(keywords?.keywordCount).toBe(3)
    const evaluation = evaluated(spoken, answers, vocabulary('staging cluster', 'Kubectl', 'never said'))
    const [contender] = summaryDocument(evaluation).contenders
    expect(contender?.metrics['keyword.recall']).toMatchObject({ value: 2 / 4, unit: 'rate' })
    expect(contender?.metrics['keyword.precision']).toMatchObject({ value: 2 / 3 })
    expect(summaryCsv(evaluation)).toMatch(/keyword_recall_rate.*keyword_precision_rate/)
  })

  test('of an utterance count as said in it alone, and as made up wherever no reference has them', () => {
    const own: readonly SpokenUtterance[] = [
      { id: 'u1', reference: 'call Anna now', keywords: ['Anna', 'ANNA'] },
      { id: 'u2', reference: 'Anna is here', keywords: [] },
      { id: 'u3', reference: 'nobody is here', keywords: ['nobody'] },
    ]
    const heard = { u1: 'call Hannah now', u2: 'Anna is here', u3: 'Anna nobody is here' }
    const { keywords } = analysisOf(own, heard)
    expect(keywords?.keywords).toEqual([
      { keyword: 'Anna', found: 0, missed: 1, invented: 1 },
      { keyword: 'nobody', found: 1, missed: 0, invented: 0 },
    ])
    expect(keywords?.recall).toMatchObject({ numerator: 1, denominator: 2 })
    expect(keywords?.precision).toMatchObject({ numerator: 1, denominator: 2 })
    expect(keywords?.keywordCount).toBe(2)
    expect(analysisOf(own, heard, vocabulary('anna')).keywords?.keywords[0]).toEqual({
      keyword: 'anna',
      found: 1,
      missed: 1,
      invented: 1,
    })
  })

  test('are found in the spelling of each language', () => {
    const german: readonly SpokenUtterance[] = [
      { id: 'u1', language: 'de', reference: 'Ich habe zwanzig Hunde gesehen', keywords: ['zwanzig Hunde'] },
      { id: 'u2', language: 'de', reference: 'das Photo ist schön' },
      { id: 'u3', language: 'en', reference: 'twenty dogs are in the photo' },
    ]
    const heard = Object.fromEntries(german.map(({ id, reference }) => [id, reference]))
    const options = { ...vocabulary('Photo', 'twenty dogs'), profile: 'by-language' }
    const { keywords } = analysisOf(german, heard, options)
    expect(keywords?.recall).toMatchObject({ numerator: 4, denominator: 4 })
    expect(keywords?.precision).toMatchObject({ numerator: 4, denominator: 4 })
  })

  test('are absent without a vocabulary', () => {
    expect(analysisOf(spoken, answers).keywords).toBeNull()
  })
})

describe('entities', () => {
  const spoken: readonly SpokenUtterance[] = [
    {
      id: 'u1',
      reference: 'Take 20 milligrams of ibuprofen, Mrs. Lee.',
      entities: [
        { type: 'drug', text: 'ibuprofen' },
        { type: 'number', text: '20' },
        { type: 'name', text: 'Lee' },
      ],
    },
    {
      id: 'u2',
      reference: 'Call 555 0199 about the naproxen.',
      entities: [
        { type: 'phone', text: '555 0199' },
        { type: 'drug', text: 'naproxen' },
      ],
    },
    { id: 'u3', reference: 'The ibuprofen is there.' },
  ]
  const answers = {
    u1: 'take 20 milligrams of ibuprofen mrs lee',
    u2: 'call 555 0198 about the ibuprofen',
    u3: 'the eye profane is there',
  }

  test('are found or missed as a whole, by type, in the order of the types', () => {
    const { entities } = analysisOf(spoken, answers)
    expect(
      entities.map(({ type, recall, missedRate, precision, invented }) => [
        type,
        recall.rate,
        missedRate.rate,
        precision.rate,
        invented,
      ]),
    ).toEqual([
      ['name', 1, 0, 1, 0],
      ['number', 1, 0, 1, 0],
      ['phone', 0, 1, null, 0],
      ['drug', 0.5, 0.5, 0.5, 1],
    ])
  })

  test('list what was missed, and say nothing of an utterance that does not name them', () => {
    const drugs = analysisOf(spoken, answers).entities.find(({ type }) => type === 'drug')
    expect(drugs?.missed).toEqual([{ text: 'naproxen', count: 1 }])
    expect(drugs?.recall).toMatchObject({ numerator: 1, denominator: 2 })
  })

  test('are none without entities in the manifest', () => {
    expect(analysisOf(cats, catAnswers).entities).toEqual([])
  })
})

describe('times of words', () => {
  const word = (text: string, startSeconds: number, endSeconds: number) => ({
    text,
    startSeconds,
    endSeconds,
  })
  const spoken: readonly SpokenUtterance[] = [
    { id: 'u1', reference: 'The cat.', times: [word('the', 0, 0.2), word('cat', 0.2, 0.5)] },
    {
      id: 'u2',
      reference: 'A dog sat.',
      times: [word('a', 0, 0.1), word('dog', 0.1, 0.4), word('sat', 0.4, 0.8)],
    },
    { id: 'u3', reference: 'No times here.' },
  ]
  const timed = (text: string, unit: 'word' | 'segment', ...parts: ReturnType<typeof word>[]): TimedFate => ({
    kind: 'timed',
    text,
    times: { unit, parts },
  })

  test('have the mean error over all answers, with an interval and the number of words', () => {
    const { times } = analysisOf(spoken, {
      u1: timed('the cat', 'word', word('the', 0.1, 0.2), word('cat', 0.2, 0.8)),
      u2: timed('a dog', 'segment', word('a dog', 0, 0.4)),
      u3: 'no times here',
    })
    if (times?.reason !== null) throw new Error(times?.reason)
    // Starts: 100 and 0 ms of words, 0 of the segment; ends: 0, 300 and 0.
    expect(times.startError).toMatchObject({ meanMs: 100 / 3, wordCount: 3 })
    expect(times.endError).toMatchObject({ meanMs: 100, wordCount: 3 })
    expect(times.rate).toMatchObject({ numerator: 3, denominator: 4, rate: 0.75 })
    expect(times).toMatchObject({
      matchedCount: 4,
      untimedCount: 0,
      units: ['segment', 'word'],
      closeMs: 200,
    })
    expect(times.startError.interval?.low).toBeLessThan(times.startError.interval?.high ?? 0)
  })

  test('count answers without times, and give the reason where no answer has some', () => {
    const some = analysisOf(spoken, {
      u1: 'the cat',
      u2: timed('a dog sat', 'word', word('a', 0, 0.1)),
      u3: '',
    }).times
    expect(some).toMatchObject({ reason: null, untimedCount: 1 })
    const none = analysisOf(spoken, { u1: 'the cat', u2: 'a dog sat', u3: '' }).times
    expect(none).toEqual({ reason: 'the target returned no times in seconds', rate: null })
    const other = analysisOf(spoken, { u1: timed('no', 'word', word('no', 0, 1)), u2: '', u3: '' }).times
    expect(other).toEqual({ reason: 'no matched word has a time on both sides', rate: null })
  })

  test('are null where no reference has times', () => {
    expect(analysisOf(cats, catAnswers).times).toBeNull()
  })
})

describe('proper names', () => {
  const spoken: readonly SpokenUtterance[] = [
    { id: 'u1', reference: 'Please call Anna Lee on Monday.' },
    { id: 'u2', reference: 'Then Anna met Bob, and I left.' },
  ]
  const heard = { u1: 'please call Hanna lee on Monday', u2: 'Then Anna met, and I left Paris.' }

  test('are counted over all rounds, the most often wrong first, with what was put in', () => {
    const { names } = analysisOf(spoken, heard, { rounds: 2 })
    expect(names).toMatchObject({
      reason: null,
      rate: { numerator: 4, denominator: 8 },
      counts: { hits: 4, substitutions: 2, deletions: 2, insertions: 2 },
      nameCount: 3,
      names: [
        { name: 'Anna', said: 4, wrong: 2 },
        { name: 'Bob', said: 2, wrong: 2 },
        { name: 'Lee', said: 2, wrong: 0 },
      ],
    })
  })

  test('are not distinguished where every noun has a capital, or nothing has', () => {
    const german = spoken.map((utterance) => ({ ...utterance, language: 'de-AT' }))
    expect(analysisOf(german, heard).names.reason).toBe('in this language every noun has a capital')
    const untagged = spoken.map((utterance) => ({ ...utterance, language: null }))
    expect(analysisOf(untagged, heard, { profile: 'german' }).names.reason).toBe(
      'in this language every noun has a capital',
    )
    const small = spoken.map(({ id, reference }) => ({ id, reference: reference.toLowerCase() }))
    expect(analysisOf(small, { u1: 'x', u2: 'y' }).names.reason).toBe(
      'no word has a capital inside a sentence',
    )
  })
})

describe('numbers', () => {
  test('are compared by value whatever profile scores, and the same value otherwise written is no error', () => {
    const spoken = [
      { id: 'u1', reference: 'twenty three people paid five dollars' },
      { id: 'u2', reference: 'on May 5th in row 7' },
    ]
    const answers = { u1: '23 people paid 6 dollars', u2: 'on May 5 in row 7th' }
    const { numbers } = analysisOf(spoken, answers, { profile: 'basic' })
    expect(numbers).toMatchObject({
      reason: null,
      right: 2,
      formatOnly: 1,
      wrong: 1,
      rate: { numerator: 1, denominator: 4 },
      classes: { date: { counts: { hits: 1 } } },
    })
  })

  test('say why there are none', () => {
    expect(analysisOf([{ id: 'u1', reference: 'hello there' }], { u1: 'hello' }).numbers).toEqual({
      reason: 'no number, sum or date was said or recognised',
      rate: null,
    })
  })
})

test('where nothing was scored, no table says anything of the language or the references', () => {
  const spoken = [{ id: 'u1', reference: 'My name is Peter, and I have 5 dollars.' }]
  const { names, numbers, punctuation, capitals, formattedWords } = analysisOf(spoken, { u1: [] })
  for (const { reason } of [names, numbers, punctuation, capitals, formattedWords]) {
    expect(reason).toBe('nothing was scored')
  }
})

describe('punctuation and capitals', () => {
  test('are judged where the words are right, and not where they are wrong', () => {
    const analysis = analysisOf([{ id: 'u1', reference: 'Well, I see Anna. Do you?' }], {
      u1: 'Well I see anna, do you?',
    })
    expect(analysis.punctuation).toMatchObject({ reason: null, rate: { numerator: 2, denominator: 3 } })
    expect(analysis.capitals).toMatchObject({
      sentenceStarts: { compared: 2, wrong: 1 },
      otherWords: { compared: 4, wrong: 1 },
    })
    expect(analysis.formattedWords.reason).toBeNull()
  })

  test.each([
    [
      'one two three',
      'the references are written without punctuation',
      'the references are written without capitals',
    ],
    ['ONE TWO.', null, 'the references are written in capitals alone'],
  ])('are not asked of references like "%s"', (reference, marks, capitals) => {
    const analysis = analysisOf([{ id: 'u1', reference }], { u1: 'One, two three.' })
    expect(analysis.punctuation.reason).toBe(marks)
    expect(analysis.capitals.reason).toBe(capitals)
    expect(analysis.formattedWords).toMatchObject({ rate: null })
  })
})

test('the ladder ends for each utterance in the rules of its language, and leaves out texts without spaces', () => {
  const spoken: readonly SpokenUtterance[] = [
    { id: 'u1', language: 'en', reference: 'Call 555 0199.' },
    { id: 'u2', language: 'de', reference: 'Am 3. Mai nahm sie 20 mg.' },
    { id: 'u3', language: 'zh', reference: '下午三點半' },
    { id: 'u4', language: 'eo', reference: 'Saluton, mondo!' },
  ]
  const { ladder } = analysisOf(
    spoken,
    {
      u1: 'call 5550199',
      u2: 'am dritten Mai nahm sie zwanzig Milligramm',
      u3: '下午三点半',
      u4: 'saluton mondo',
    },
    { profile: 'by-language' },
  )
  expect(ladder.map(({ rung, rate, counts }) => [rung, rate === null ? null : counts.hits])).toEqual([
    ['as written', 3],
    ['capitals', 5],
    ['punctuation', 7],
    ['numbers and contractions', 17],
    ['spellings', 17],
  ])
  expect(ladder.at(-1)?.rate).toBe(0)
})

describe('pathologies', () => {
  test('are rates of utterances with an interval that has a width, found or not', () => {
    const spoken = spokenUtterances(20, 'one two three four five six')
    const answers = Object.fromEntries(spoken.map(({ id, reference }) => [id, reference]))
    const looped = `one two three four five six ${'six '.repeat(20)}`.trim()
    const { pathologies } = analysisOf(spoken, { ...answers, u3: looped, u4: '' }, { rounds: 2 })
    const of = (kind: string) => pathologies.find((pathology) => pathology.kind === kind)
    expect(of('loop')).toMatchObject({
      rate: { numerator: 1, denominator: 20, interval: { method: 'wilson' } },
      answerCount: 2,
      examples: [{ utteranceId: 'u3', round: 1, answerCount: 2, size: 21 }],
    })
    expect(of('emptyOutput')?.rate.numerator).toBe(1)
    expect(of('wrongScript')).toMatchObject({ rate: { rate: 0, interval: { low: 0 } }, examples: [] })
    expect(of('wrongScript')?.rate.interval?.high).toBeGreaterThan(0.1)
  })
})

test('flakiness is the share of utterances that are answered otherwise when sent again', () => {
  const spoken = [
    { id: 'u1', reference: 'a b c d' },
    { id: 'u2', reference: 'a b c d' },
    { id: 'u3', reference: 'a b c d' },
  ]
  const answers = { u1: ['a b c d', 'a b c e', 'a b c d'], u2: ['A b c d', 'a b c d.', 'a b c d'], u3: ['a'] }
  const { flakiness } = analysisOf(spoken, answers, { rounds: 3, profile: 'basic' })
  expect(flakiness).toMatchObject({
    rate: { numerator: 1, denominator: 2 },
    unstableIds: ['u1'],
    // Of three pairs of each utterance, two differ in a word.
    betweenRepeats: { hits: 22, substitutions: 2 },
    betweenRepeatsRate: 2 / 24,
  })
  expect(analysisOf(spoken, answers).flakiness).toBeNull()
})

test('references without words have a separate table', () => {
  const spoken = [
    { id: 'u1', reference: '', seconds: 30 },
    { id: 'u2', reference: '', seconds: 30 },
    { id: 'u3', reference: 'hello' },
  ]
  const evaluation = evaluatedRun({
    utterances: spoken,
    fate: ({ utterance }) => (utterance.id === 'u1' ? 'thank you for watching' : heardNothing),
  })
  expect(evaluation.errorAnalyses[0]?.silence).toMatchObject({
    utteranceCount: 2,
    answeredWithWords: { numerator: 1, denominator: 2 },
    insertedWords: 4,
    insertedWordsPerMinute: 4,
    examples: [{ utteranceId: 'u1', hypothesis: 'thank you for watching' }],
  })
})

describe('the audit of references', () => {
  test('suspects a reference that all contenders contradict in the same words', () => {
    const spoken = [
      { id: 'u1', reference: 'a more a amiable woman' },
      { id: 'u2', reference: 'he was not ill disposed' },
    ]
    const { audit } = evaluatedRun({
      utterances: spoken,
      contenders: ['tiny', 'base'],
      fate: ({ utterance, contenderId }) =>
        utterance.id === 'u1' ? 'A more amiable woman.' : `he was not ${contenderId}`,
    })
    expect(audit).toMatchObject({
      suspectCount: 1,
      suspects: [{ id: 'u1', agreedText: 'a more amiable woman', contenderCount: 2, errors: 1 }],
      selfReferences: [],
    })
  })

  test.each(['author', 'constructor', '__proto__'])(
    'names the contender whose own text the references are: %s',
    (author) => {
      const selfReferences = (count: number) =>
        evaluatedRun({
          utterances: spokenUtterances(count, 'Well, this is a sentence.'),
          contenders: [author, 'other'],
          fate: ({ utterance, contenderId }) =>
            contenderId === author ? utterance.reference : utterance.reference.toLowerCase(),
        }).audit.selfReferences
      expect(selfReferences(10)).toEqual([{ contenderId: author, identicalCount: 10, comparedCount: 10 }])
      expect(selfReferences(9)).toEqual([])
    },
  )
})

describe('how a run was scored', () => {
  const corrections = {
    source: 'corrections.jsonl',
    fingerprint: 'f'.repeat(64),
    lines: [
      { utteranceId: 'u1', before: 'The big cat sat.', after: 'The cat sat.' },
      { utteranceId: 'u1', before: 'The cat sat.', after: 'The cat sad now.' },
      { utteranceId: 'u3', before: 'No such text.', after: 'Anything.' },
      { utteranceId: 'gone', before: 'a', after: 'b' },
    ],
  }

  test('counts the last correction of a text that is or was the reference, and reports the stale ones', () => {
    const evaluation = evaluated(cats, catAnswers, { corrections })
    expect(evaluation.scoring.corrections).toEqual({
      source: 'corrections.jsonl',
      fingerprint: corrections.fingerprint,
      correctedIds: ['u1'],
      staleCount: 2,
      staleIds: ['u3', 'gone'],
    })
    expect(evaluation.utterances[0]).toMatchObject({ reference: 'The cat sad now.', wordErrorRate: 0 })
  })

  test('leaves the reference alone where an alternative was corrected into it, but not where a correction was undone', () => {
    const correctedWith = (...texts: readonly (readonly [before: string, after: string])[]) => {
      const run = measuredRun({ utterances: [{ id: 'u', reference: 'colour of it' }], fate: () => 'a' })
      const utterances = run.utterances.map((utterance) => ({
        ...utterance,
        alternatives: ['color of it', 'hue of it'],
      }))
      const lines = texts.map(([before, after]) => ({ utteranceId: 'u', before, after }))
      const { material, applied } = correctReferences({ utterances }, { ...corrections, lines })
      const [{ reference, alternatives } = expect.fail('one utterance')] = material.utterances
      return { texts: [reference, ...(alternatives ?? [])], correctedIds: applied?.correctedIds }
    }
    const alone = { texts: ['colour of it'], correctedIds: ['u'] }
    expect(correctedWith(['color of it', 'colour of it'])).toEqual(alone)
    const unchanged = { texts: ['colour of it', 'color of it', 'hue of it'], correctedIds: [] }
    expect(correctedWith(['colour of it', 'dolor of it'], ['dolor of it', 'colour of it'])).toEqual(unchanged)
  })

  test('has a fingerprint that changes with the profile, the corrections and the vocabulary', () => {
    const fingerprints = [
      evaluated(cats, catAnswers),
      evaluated(cats, catAnswers, { profile: 'verbatim' }),
      evaluated(cats, catAnswers, { corrections }),
      evaluated(cats, catAnswers, vocabulary('cat')),
    ].map(({ scoring }) => scoring.fingerprint)
    expect(new Set(fingerprints).size).toBe(4)
    expect(evaluated(cats, catAnswers).scoring.fingerprint).toBe(fingerprints[0])
  })

  test('adds to the profile of the run what its config and the caller say, and to a named one only the latter', () => {
    const scoringRules = { fillers: ['now'], replacements: [], equivalences: [], vocabulary: [] }
    const scored = (options: Parameters<typeof evaluateRun>[1]) => {
      const run = measuredRun({
        utterances: cats,
        record: { scoringProfile: 'basic', scoringRules },
        fate: ({ utterance }) => catAnswers[utterance.id as keyof typeof catAnswers],
      })
      const { profile, contenders } = evaluateRun(run, options)
      return [profile.id, contenders[0]?.words.counts.insertions]
    }
    expect(scored({})).toEqual(['basic+own', 0])
    expect(scored({ profile: 'basic' })).toEqual(['basic', 1])
    expect(scored({ profile: 'basic', ...vocabulary('cat') })).toEqual(['basic+test', 1])
  })
})

test('a reference may be said in several ways, and the best is taken', () => {
  const run = measuredRun({
    utterances: [
      { id: 'u1', reference: 'we are going to Anne' },
      { id: 'u2', reference: 'well { it is / @ } (uh) fine' },
    ],
    fate: ({ utterance }) => (utterance.id === 'u1' ? "we're gonna Ann" : 'well fine'),
  })
  const [first, second] = run.utterances
  if (first === undefined || second === undefined) throw new Error('two utterances')
  const utterances = [
    { ...first, alternatives: ["we're gonna Ann"] },
    { ...second, hasChoices: true },
  ]
  const evaluation = evaluateRun({ ...run, utterances })
  expect(evaluation.utterances.map(({ wordErrorRate }) => wordErrorRate)).toEqual([0, 0])
  expect(evaluation.utterances.map(({ reference }) => reference)).toEqual(["we're gonna Ann", 'well fine'])
  expect(evaluation.errorAnalyses[0]?.ladder.map(({ rate }) => rate)).toEqual([0, 0, 0, 0, 0])
  expect(evaluation.errorAnalyses[0]?.confusions.words.distinct).toEqual({
    substitutions: 0,
    deletions: 0,
    insertions: 0,
  })
})
