import { type UtteranceEvaluation, utteranceEvaluationSchema } from '#analysis'
import { lazily } from '#prelude'
import { type ErrorLevel, errorRate, leadingFirst, rateMetrics } from '#scoring'
import type { FileColumn } from '../../layout/column.ts'
import { rateWords } from '../../layout/rate-words.ts'
import { columnsOfSchema, type DescribedColumn } from '../../tables/described-column.ts'
import { runColumn } from '../../tables/run-column.ts'

/** A planned request with the run that it belongs to. */
export interface UtteranceRow {
  readonly runId: string
  readonly utterance: UtteranceEvaluation
}

/** Every column of the table of planned requests, whatever became of them. */
export const utteranceFields: () => readonly DescribedColumn<UtteranceRow>[] = lazily(() => [
  runColumn(({ runId }) => runId),
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
    description: 'Null where nothing was scored or the reference holds no characters.',
    value: ({ utterance: { characters } }) => (characters === null ? null : errorRate(characters)),
  },
])

/** Columns of `utterances.csv`: the leading rate comes before the other one, and texts come last. */
export function utteranceColumns(leads: ErrorLevel): readonly FileColumn<UtteranceRow>[] {
  const rates = leadingFirst(leads).map(rateColumnNames)
  const last = ['reference', 'hypothesis']
  const moved = [...rates.flat(), ...last]
  const fields = utteranceFields()
  return [
    ...fields.filter(({ name }) => !moved.includes(name)),
    ...moved.flatMap((name) => fields.filter((field) => field.name === name)),
  ]
}

/** One error rate with its counts. */
function rateColumnNames(level: ErrorLevel): readonly string[] {
  const counts = ['hits', 'substitutions', 'deletions', 'insertions']
  return [`${rateMetrics[level]}_rate`, ...counts.map((kind) => `${rateWords[level].unit}_${kind}`)]
}
