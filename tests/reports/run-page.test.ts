import { expect, test } from 'vitest'
import { evaluateRun } from '#analysis/evaluate-run'
import type { RunMaterial } from '#analysis/requests/resolved-run'
import { runPage } from '#reports/run/run-page'
import { measuredRun, spokenUtterances, timedOut } from '../analysis/measured-run.ts'

/** One contender with a high fixed cost, one with a high cost of every second: they meet at 15 s. */
function crossing(record: Partial<RunMaterial['record']> = {}): RunMaterial {
  return measuredRun({
    utterances: spokenUtterances(30, 'one two three', (index) => ({ seconds: 1 + index * 1.5 })),
    contenders: ['steady', 'eager'],
    rounds: 8,
    fate: ({ utterance }) => utterance.reference,
    durationMs: ({ contenderId, utterance: { seconds = 0 } }) =>
      (contenderId === 'steady' ? 500 + 10 * seconds : 50 + 40 * seconds) * (seconds % 2 === 0 ? 1.01 : 0.99),
    record,
  })
}

test('a page draws the fitted latency of each contender and shows where two of them meet', () => {
  const run = crossing()
  const { drawings, evaluation } = runPage(evaluateRun(run), run).document
  const crossovers = evaluation.speeds?.crossovers ?? []
  const [steady = []] = drawings.map(({ latencyLine }) => latencyLine)
  expect(steady.at(0)?.[0]).toBe(1)
  expect(steady.at(-1)?.[0]).toBe(44.5)
  expect(Math.abs((steady.at(0)?.[1] ?? 0) - 510)).toBeLessThan(15)
  expect(crossovers).toMatchObject([
    { first: 'steady', second: 'eager', crossover: { kind: 'at', fasterBelow: 'second' } },
  ])
  const [{ crossover } = { crossover: null }] = crossovers
  expect(crossover?.kind === 'at' && Math.abs(crossover.audioSeconds - 15) < 1).toBe(true)
})

test('a page says of every setting where it came from, as far as the run recorded that', () => {
  const run = crossing({
    config: {
      rounds: 3,
      load: { kind: 'closed', concurrency: 2 },
      requestTimeoutSeconds: 60,
      seed: 1,
      contenders: [{ model: 'tiny', language: null }],
    },
    settingSources: {
      rounds: 'flag',
      'load.concurrency': 'file',
      timeout: 'environment',
      seed: 'default',
      contenders: 'file',
    },
  })
  const settingsOf = (material: RunMaterial): (string | null)[][] =>
    (
      runPage(evaluateRun(material), material).document.provenance.find(({ title }) => title === 'Settings')
        ?.entries ?? []
    ).map(({ name, source }) => [name, source])
  expect(settingsOf(run)).toEqual([
    ['rounds', 'flag'],
    ['load.kind', 'file'],
    ['load.concurrency', 'file'],
    ['requestTimeoutSeconds', 'environment'],
    ['seed', 'default'],
    ['contenders.0.model', 'file'],
    // A contender of the file does not set it.
    ['contenders.0.language', 'default'],
  ])
  expect(settingsOf(crossing()).every(([, source]) => source === null)).toBe(true)
})

test('a page gives commands as a shell takes them back', () => {
  const run = crossing({
    command: ['transcribench', 'run', '--contender', 'deepgram#nova-3?smart_format=true'],
  })
  const { provenance, reproduce } = runPage(evaluateRun(run), run).document
  const typed = "transcribench run --contender 'deepgram#nova-3?smart_format=true'"
  expect(reproduce).toContain(typed)
  const elsewhere = crossing({ config: { corpus: './my voices/manifest.jsonl' } })
  expect(runPage(evaluateRun(elsewhere), elsewhere).document.reproduce[0]).toBe(
    "transcribench corpus verify './my voices/manifest.jsonl'",
  )
  expect(provenance[0]?.entries).toContainEqual({ name: 'command', value: typed, source: null })
})

test('a page names a target and a contender of the same name both', () => {
  const run = crossing()
  const { target } = run.record
  const targets = ['steady', 'eager'].map((id) => ({
    ...target,
    id,
    machine: `host of ${id}`,
    roundTripMs: null,
  }))
  const named = { ...run, record: { ...run.record, targets } }
  const entries =
    runPage(evaluateRun(named), named).document.provenance.find(({ title }) => title === 'Target')?.entries ??
    []
  expect(entries.map(({ name }) => name)).toEqual(['steady', 'eager', 'service', 'steady', 'eager'])
})

test('a page without texts holds no word of what was said or heard', () => {
  const run = measuredRun({
    utterances: spokenUtterances(12, 'Yesterday Quillon paid zirconium taxes, ninefold.', {
      entities: [{ type: 'name', text: 'Quillon' }],
    }),
    contenders: ['tiny', 'base'],
    fate: () => 'Yesterday Quillan paid circumvent extra taxes',
  })
  const { document, rows } = runPage(evaluateRun(run), run, { hasTexts: false })
  const written = JSON.stringify([document, rows]).toLowerCase()
  const spoken = ['quillon', 'quillan', 'zirconium', 'circumvent', 'taxes', 'extra', 'ninefold', 'yesterday']
  expect(spoken.filter((word) => written.includes(word))).toEqual([])
})

test('a page counts each utterance once by its error rate, pooled over its rounds', () => {
  const run = measuredRun({
    utterances: spokenUtterances(5, 'one two three'),
    rounds: 3,
    fate: ({ utterance: { id, reference }, round }) => {
      if (id === 'u4') return timedOut
      return id === 'u0' && round === 1 ? 'one two tree' : reference
    },
  })
  const [drawing] = runPage(evaluateRun(run), run).document.drawings
  // One of nine words is wrong in u0, none in three others, and u4 has no rate.
  expect(drawing?.rateHistogram).toEqual([3, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0])
})
