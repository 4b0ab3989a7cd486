import { type UtteranceEvaluation, utteranceEvaluationSchema } from '#analysis/documents/evaluation'
import type { RunMaterial } from '#analysis/requests/resolved-run'
import type { ScoredRow } from '#analysis/score-requests'
import { type AttemptLine, attemptLine } from '#journal/attempt-line'
import { plannedUtterance } from '#journal/plan-line'
import { runRecord } from '#journal/run-record'
import { type TelemetryLine, telemetryLine } from '#journal/telemetry-line'
import { lazily } from '#prelude'
import { errorRate, leadingFirst, rateMetrics } from '#scoring/counts'
import type { ErrorLevel } from '#scoring/profiles/profile'
import { type AlignmentStep, alignmentStepSchema } from '#scoring/shapes'
import {
  columnsOfSchema,
  type DescribedColumn,
  type DescribedField,
  type FileCell,
} from '../layout/schema-columns.ts'
import { rateWords } from '../layout/units.ts'

export interface TabledRun {
  readonly run: RunMaterial
  /** Scored requests, computed on first use, because two of the tables contain no scores. */
  scored(): readonly ScoredRow[]
}

/** A column of a table without access to its values. */
export interface TableField extends DescribedField {
  readonly name: string
}

/** A table of a run for programs. Its rows are generated one by one, because there may be millions. */
export interface ResultTable {
  readonly name: string
  readonly description: string
  fields(): readonly TableField[]
  rows(run: TabledRun): Iterable<readonly FileCell[]>
}

interface TableDefinition<Row> {
  readonly name: string
  readonly description: string
  columns(): readonly DescribedColumn<Row>[]
  rows(run: TabledRun): Iterable<Row>
}

function defineTable<Row>({ name, description, columns, rows }: TableDefinition<Row>): ResultTable {
  const checked = lazily(() => {
    const all = columns()
    const repeated = all.find(
      (column, index) => all.findIndex((other) => other.name === column.name) !== index,
    )
    if (repeated !== undefined) throw new TypeError(`two columns of ${name} are called ${repeated.name}`)
    return all
  })
  return {
    name,
    description,
    fields: checked,
    *rows(run) {
      const all = checked()
      for (const row of rows(run)) yield all.map(({ value }) => value(row))
    },
  }
}

interface OfRun<Line> {
  readonly runId: string
  readonly line: Line
}

function* pairLines<Line>(runId: string, lines: Iterable<Line>): Iterable<OfRun<Line>> {
  for (const line of lines) yield { runId, line }
}

const attempts = defineTable<OfRun<AttemptLine>>({
  name: 'attempts',
  description: 'One row per attempt, as the journal has it: repeats and the warm-up too.',
  columns: () => [
    runColumn,
    ...columnsOfSchema<OfRun<AttemptLine>>(attemptLine, {
      part: ({ line }) => line,
      names: { index: 'request' },
      groups: { 'outcome.failure': 'failure' },
    }),
  ],
  rows: ({ run }) => pairLines(run.record.id, run.attempts),
})

interface PlannedRow extends UtteranceRow {
  readonly planned: object
}

const utterances = defineTable<PlannedRow>({
  name: 'utterances',
  description: 'One row per planned request with its score, as in utterances.csv of the run folder.',
  columns: (): readonly DescribedColumn<PlannedRow>[] => [
    ...utteranceFields(),
    ...columnsOfSchema<PlannedRow>(
      plannedUtterance.pick({ language: true, speaker: true, tags: true, source: true }),
      { part: ({ planned }) => planned },
    ),
  ],
  *rows({ run, scored }) {
    for (const { score, evaluated, utterance } of scored()) {
      yield { runId: run.record.id, score, utterance: evaluated, planned: utterance }
    }
  },
})

interface WordRow extends UtteranceRow {
  readonly position: number
  readonly step: AlignmentStep
}

const words = defineTable<WordRow>({
  name: 'words',
  description: 'One row per aligned word of every scored request, after normalisation.',
  columns: () => [
    runColumn,
    scoreColumn,
    ...columnsOfSchema<WordRow>(
      utteranceEvaluationSchema.pick({
        requestIndex: true,
        contenderId: true,
        utteranceId: true,
        round: true,
      }),
      { part: ({ utterance }) => utterance, names: { requestIndex: 'request' } },
    ),
    {
      name: 'position',
      type: 'integer',
      unit: null,
      description: 'Position in the alignment, from 0, in reading order.',
      value: ({ position }) => position,
    },
    ...columnsOfSchema<WordRow>(alignmentStepSchema, { part: ({ step }) => step }),
  ],
  *rows({ run, scored }) {
    for (const { score, evaluated, words: steps } of scored()) {
      let position = 0
      for (const step of steps()) {
        yield { runId: run.record.id, score, utterance: evaluated, position, step }
        position += 1
      }
    }
  },
})

const telemetry = defineTable<OfRun<TelemetryLine>>({
  name: 'telemetry',
  description:
    'What the host and the server process use, four times a second; once a second on macOS and Windows.',
  columns: () => [
    runColumn,
    ...columnsOfSchema<OfRun<TelemetryLine>>(telemetryLine, {
      part: ({ line }) => line,
      groups: { unread: 'unread' },
    }),
  ],
  rows: ({ run }) => pairLines(run.record.id, run.telemetry ?? []),
})

/**
 * The tables of a run for programs; each is a folder of an export and a view of a query. Tables with scores come
 * first, because scoring needs the most memory.
 */
export const resultTables: readonly ResultTable[] = [utterances, words, attempts, telemetry]

/** The first column of every table: it identifies the run if several are read together. */
const runColumn: DescribedColumn<{ readonly runId: string }> = {
  name: 'run',
  type: 'string',
  unit: null,
  description: runRecord.shape.id.description ?? '',
  value: ({ runId }) => runId,
}

const scoreColumn: DescribedColumn<UtteranceRow> = {
  name: 'score',
  type: 'string',
  unit: null,
  description: 'Name of the score: its profile, and the beginning of the fingerprint of its rules.',
  value: ({ score }) => score,
}

interface UtteranceRow {
  readonly runId: string
  readonly score: string
  readonly utterance: UtteranceEvaluation
}

const utteranceFields: () => readonly DescribedColumn<UtteranceRow>[] = lazily(() => [
  runColumn,
  scoreColumn,
  ...columnsOfSchema<UtteranceRow>(utteranceEvaluationSchema, {
    part: ({ utterance }) => utterance,
    names: {
      requestIndex: 'request',
      attemptCount: 'attempts',
      realTimeFactor: 'rtf',
      wordErrorRate: `${rateMetrics.words}_rate`,
    },
    groups: { words: rateWords.words.unit, characters: rateWords.characters.unit },
  }),
  {
    name: `${rateMetrics.characters}_rate`,
    type: 'number',
    unit: 'ratio',
    description:
      'Character errors / characters of the reference; null where nothing was scored, or the reference holds no characters.',
    value: ({ utterance: { characters } }) => (characters === null ? null : errorRate(characters)),
  },
])

/** Columns of `utterances.csv`: the leading rate comes before the other one, and texts come last. */
export function utteranceColumns(leads: ErrorLevel): readonly DescribedColumn<UtteranceRow>[] {
  const rates = leadingFirst(leads).map(rateColumnNames)
  const last = ['reference', 'hypothesis']
  const moved = [...rates.flat(), ...last]
  const fields = utteranceFields()
  return [
    ...fields.filter(({ name }) => !moved.includes(name)),
    ...moved.flatMap((name) => fields.filter((field) => field.name === name)),
  ]
}

function rateColumnNames(level: ErrorLevel): readonly string[] {
  const counts = ['hits', 'substitutions', 'deletions', 'insertions']
  return [`${rateMetrics[level]}_rate`, ...counts.map((kind) => `${rateWords[level].unit}_${kind}`)]
}
