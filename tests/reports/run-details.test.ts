import { parse } from 'csv-parse/sync'
import { describe, expect, test } from 'vitest'
import { evaluateRun } from '#analysis/evaluate-run'
import { runJunit } from '#reports/junit'
import { detailNames, detailTables } from '#reports/run/details/details'
import { renderMarkdown } from '#reports/run/render-summary'
import {
  evaluatedRun,
  measuredRun,
  type SpokenUtterance,
  timedOut,
  warmedUp,
} from '../analysis/measured-run.ts'
import { frozenEvaluation } from './measured.ts'

const hostile = 'a | pipe, <b>bold</b> `code` and a\nline break'

function onLadder(value: number): SpokenUtterance['derived'] {
  return { parents: [`parent-${value}`], ladder: { parameter: 'snr', unit: 'dB', harder: 'lower', value } }
}

/** Two contenders who err in every way that has a table, with texts that would be markup. */
const cold = measuredRun({
  contenders: ['tiny', 'base'],
  rounds: 2,
  utterances: [
    { id: 'u|1', reference: `We said ${hostile}.`, speaker: 'ann', seconds: 1 },
    {
      id: 'u2',
      reference: 'It costs Anna twenty dollars, in May.',
      speaker: 'bob',
      seconds: 12,
      entities: [
        { type: 'name', text: 'Anna' },
        { type: 'number', text: 'twenty' },
      ],
      times: [{ text: 'It costs Anna twenty dollars in May', startSeconds: 0, endSeconds: 11 }],
    },
    {
      id: 'u3',
      reference: 'one two three four five six seven eight nine ten',
      speaker: 'bob',
      derived: onLadder(0),
    },
    { id: 'u4', reference: '', speaker: 'bob' },
    // As many lengths as a line over them needs.
    ...[1, 3, 5, 8, 20].map((seconds) => ({
      id: `long-${seconds}`,
      reference: 'one two',
      seconds,
      derived: onLadder(20),
    })),
  ],
  fate: ({ utterance, contenderId, round }) => {
    if (utterance.id === 'u|1') return contenderId === 'tiny' && round === 2 ? timedOut : 'we said | nothing'
    if (utterance.id === 'u2') return `it costs ${round === 1 ? 30 : 20} dollars in May`
    return utterance.id === 'u4' ? 'thank you for watching' : 'one two'
  },
})
const run = warmedUp(cold, { sentAtMs: -2000, endedAtMs: -500 })
const evaluation = evaluateRun(
  {
    ...run,
    attempts: run.attempts.map((attempt) => ({
      ...attempt,
      socket: { startedAtMs: attempt.sentAtMs, connectMs: 0, uploadedAtMs: attempt.sentAtMs },
    })),
  },
  { rules: [{ name: 'test', rules: { vocabulary: ['dollars', 'pipe'] } }] },
)
const terminal = { width: 80, color: false, unicode: true }

describe('detailed tables', () => {
  const tables = detailTables(evaluation, detailNames)
  // Of hosts, targets and languages there is a table where a run has several, five of a matrix, and two of hardware that can be read.
  const expectedCount = detailNames.length - 10

  test('are there for everything that the run reports, each once', () => {
    expect(tables.map(({ title }) => title)).toHaveLength(new Set(tables.map(({ title }) => title)).size)
    expect(tables.length).toBe(expectedCount)
  })

  test('of entities and times of words are in JUnit, a case for each row with all of its figures', () => {
    const text = runJunit(evaluation, [])
    expect(text).toMatch(/classname="transcribench.Entities" name="tiny, name"><system-out>said \d+, found/)
    expect(text).toMatch(
      /classname="transcribench.Times of words" name="base, [^"]*"><system-out>words .*, start error .*, end error .*, within 200 ms /,
    )
  })

  test('say of keywords what was found, what was made up, and both in one figure', () => {
    const text = tables.find(({ title }) => title === 'Keywords')?.toTerminal({ ...terminal, width: 200 })
    expect(text).toMatch(/tiny: found .* of those said; right in .* of those recognised; F1 [\d.]+%/)
  })

  test.each(tables.map((table) => [table.title, table] as const))('%s: fits 80 columns', (_title, table) => {
    const text = table.toTerminal(terminal)
    for (const line of text.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80)
    expect(text).not.toMatch(/NaN|undefined|Infinity|\bnull\b/)
  })

  test.each(tables.map((table) => [table.title, table] as const))(
    '%s: as CSV has no broken row',
    (_t, table) => {
      const rows = parse(table.toCsv(), { columns: true }) as Record<string, string>[]
      expect(rows.length).toBeGreaterThan(0)
      expect(JSON.stringify(rows)).not.toMatch(/NaN|undefined|Infinity/)
      for (const header of Object.keys(rows[0] ?? {})) expect(header).toMatch(/^[a-z0-9_]+$/)
    },
  )

  test.each(tables.map((table) => [table.title, table] as const))(
    '%s: as Markdown keeps its columns',
    (_t, table) => {
      const lines = table
        .toMarkdown()
        .trim()
        .split('\n')
        .filter((line) => line.startsWith('|'))
      const cellsIn = (line: string): number => line.replaceAll('\\|', '').split('|').length
      expect(new Set(lines.map(cellsIn)).size).toBe(1)
      expect(table.toMarkdown()).not.toContain('<b>')
    },
  )

  test('let no name become markup, a mention or a sequence that a terminal obeys', () => {
    const name = '<b>@all</b>\u001b[31m'
    const named = evaluatedRun(
      {
        contenders: [name],
        utterances: [0, 10].map((value) => ({
          id: `u${value}`,
          reference: 'one two',
          derived: {
            parents: ['u'],
            ladder: { parameter: name, unit: 'dB', harder: 'lower', value },
          },
        })),
        fate: () => 'one',
      },
      { rules: [{ name: 'test', rules: { vocabulary: ['two'] } }] },
    )
    const shown = detailTables(named, ['robustness', 'keywords'])
    expect(shown.map(({ title }) => title)).toEqual([`Robustness against ${name}`, 'Keywords'])
    for (const table of shown) {
      expect(table.toTerminal(terminal)).not.toContain('\u001b')
      expect(table.toMarkdown()).not.toMatch(/<b>|@all|\p{Cc}(?<!\n)/u)
    }
  })

  test('that have nothing to say are left out', () => {
    const [clean] = [evaluatedRun({ utterances: [{ id: 'a', reference: 'one' }], fate: () => 'one' })]
    expect(detailTables(clean, ['keywords', 'silence', 'repeats', 'groups'])).toEqual([])
  })
})

describe('a run as Markdown', () => {
  test('has the answer, one row for each contender, the findings and the details', () => {
    const text = renderMarkdown(evaluation)
    const table = text.split('\n\n').find((block) => block.startsWith('| contender'))
    expect(
      table
        ?.split('\n')
        .slice(2)
        .map((row) => row.split(' ')[1]),
    ).toEqual(['base', 'tiny'])
    expect(text.match(/<details>/g)?.length).toBe(detailNames.length - 10)
    expect(text).toContain(`seed ${evaluation.seed}`)
    expect(text).toContain(evaluation.scoring.fingerprint.slice(0, 12))
    expect(text).not.toMatch(/NaN|undefined|Infinity/)
  })

  test('says what to do as the screen does, in a sentence', () => {
    const [first] = evaluation.findings
    if (first === undefined) throw new Error('no finding')
    const findings = [{ ...first, message: 'it is slow', advice: 'warm up longer' }]
    expect(renderMarkdown({ ...evaluation, findings })).toContain('it is slow. Warm up longer\n')
  })

  test('says first that a run is not valid', () => {
    const failing = evaluatedRun({ utterances: [{ id: 'a', reference: 'one' }], fate: () => timedOut })
    expect(failing.validity).toBe('invalid')
    expect(renderMarkdown(failing).split('\n\n')[1]).toContain('not valid')
    expect(renderMarkdown(frozenEvaluation())).not.toContain('not valid')
  })

  test('counts one utterance in the singular', () => {
    const one = evaluatedRun({ utterances: [{ id: 'a', reference: 'one' }], fate: () => 'one' })
    expect(detailTables(one, ['pathologies'])[0]?.notes).toEqual(['none found in 1 utterance'])
  })

  test('lets no text of an engine become a formula', () => {
    expect(renderMarkdown({ ...evaluation, run: { ...evaluation.run, name: '$x$ and $$y$$' } })).toContain(
      String.raw`### \$x\$ and \$\$y\$\$`,
    )
  })

  test('lets no text of an engine become markup', () => {
    const text = renderMarkdown(evaluation).replaceAll(/<\/?(?:details|summary|sub)>/g, '')
    expect(text).not.toMatch(/(?<!\\)<b>|(?<!\\)`code`/)
  })
})
