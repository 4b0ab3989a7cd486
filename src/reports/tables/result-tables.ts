import { utteranceEvaluationSchema } from '#analysis'
import { type AttemptLine, attemptLine, plannedUtterance, type TelemetryLine, telemetryLine } from '#journal'
import { type AlignmentStep, alignmentStepSchema } from '#scoring/shapes'
import { type UtteranceRow, utteranceFields } from '../run/columns/utterance-columns.ts'
import { columnsOfSchema, type DescribedColumn } from './described-column.ts'
import { defineTable, type ResultTable } from './result-table.ts'
import { runColumn } from './run-column.ts'

interface OfRun<Line> {
  readonly runId: string
  readonly line: Line
}

function* linesOf<Line>(runId: string, lines: Iterable<Line>): Iterable<OfRun<Line>> {
  for (const line of lines) yield { runId, line }
}

const attempts = defineTable<OfRun<AttemptLine>>({
  name: 'attempts',
  description: 'One row per attempt, as the journal has it: repeats and the warm-up too.',
  columns: () => [
    runColumn(({ runId }) => runId),
    ...columnsOfSchema<OfRun<AttemptLine>>(attemptLine, {
      part: ({ line }) => line,
      names: { index: 'request' },
      groups: { 'outcome.failure': 'failure' },
    }),
  ],
  rows: ({ run }) => linesOf(run.record.id, run.attempts),
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
    for (const { evaluated, utterance } of scored()) {
      yield { runId: run.record.id, utterance: evaluated, planned: utterance }
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
    runColumn(({ runId }) => runId),
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
    for (const { evaluated, words: steps } of scored()) {
      let position = 0
      for (const step of steps()) {
        yield { runId: run.record.id, utterance: evaluated, position, step }
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
    runColumn(({ runId }) => runId),
    ...columnsOfSchema<OfRun<TelemetryLine>>(telemetryLine, {
      part: ({ line }) => line,
      groups: { unread: 'unread' },
    }),
  ],
  rows: ({ run }) => linesOf(run.record.id, run.telemetry ?? []),
})

/**
 * The tables of a run for programs; each is a folder of an export and a view of a query. Those with scores come first: scoring
 * leaves the most behind, and best while little else is in memory.
 */
export const resultTables: readonly ResultTable[] = [utterances, words, attempts, telemetry]
