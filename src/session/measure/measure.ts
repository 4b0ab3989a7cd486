import type { Evaluation } from '#analysis'
import { BenchError } from '#prelude'
import { scoreCommand } from '../next-commands.ts'
import { scoreRun } from '../stored/score-run.ts'
import type { EarlierRun } from './earlier-run.ts'
import type { ExecutedRun, Executor, MeasureOptions } from './executor.ts'
import { executeAfter, executeHere } from './local-executor.ts'

export interface MeasuredRun extends ExecutedRun {
  readonly evaluation: Evaluation
  /** Why the record of the end or the score could not be written, as on a full disk; null where both were. */
  readonly unwritten: unknown
}

/**
 * Measures what a config describes, scores the journal and writes the reports.
 *
 * @throws BenchError for every problem that the user can solve; completed attempts are then in the
 *   journal, and the Modes are restored
 */
export async function measure(
  options: MeasureOptions,
  execute: Executor = executeHere,
): Promise<MeasuredRun> {
  return scored(await execute(options), options)
}

/**
 * Measures a config, or goes on with what an earlier run has recorded of it.
 *
 * @throws BenchError as `measure`, and RUN_DIFFERS
 */
export async function measureAfter(options: MeasureOptions, earlier: EarlierRun): Promise<MeasuredRun> {
  return scored(await executeAfter(options, earlier), options)
}

async function scored(
  executed: ExecutedRun,
  { env = process.env }: Pick<MeasureOptions, 'env'>,
): Promise<MeasuredRun> {
  const { folder, record } = executed
  const { evaluation, unwritten } = await scoreRun(folder, { env, record })
  return { ...executed, evaluation, unwritten: executed.unwritten ?? scoreUnsaved(unwritten, folder) }
}

/** Every answer is in the journal: once there is disk space again, nothing has to be sent. */
function scoreUnsaved(fault: unknown, folder: string): unknown {
  if (!(fault instanceof BenchError)) return fault
  const { code, exit, message } = fault
  return new BenchError(code, exit, {
    message: `${message}; every answer is in its journal, its score is not saved`,
    hint: `free some disk space, then: ${scoreCommand(folder)}`,
    cause: fault,
  })
}
