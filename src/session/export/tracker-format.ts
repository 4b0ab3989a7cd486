import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Evaluation, evaluateRun } from '#analysis'
import { sessionErrors } from '../errors.ts'
import type { ExportFormat } from './export-format.ts'

/** A format for a program that follows the figures of runs over time: one small file for each run. */
export function trackerFormat(
  name: string,
  summary: string,
  render: (evaluation: Evaluation) => string,
): ExportFormat {
  return {
    name,
    summary,
    async write({ run, scoring, output }) {
      const evaluation = evaluateRun(run, scoring)
      if (evaluation.validity === 'invalid') {
        throw sessionErrors.make('RUN_NOT_TRACKED', {
          message: `${run.record.id} is not valid: its figures are not to be followed`,
          hint: `see why: transcribench report ${run.record.id}`,
        })
      }
      const path = `${run.record.id}.${name}.json`
      await writeFile(join(output, path), render(evaluation))
      return [path]
    },
  }
}
