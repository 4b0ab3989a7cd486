import { dirname } from 'node:path'
import { type BenchConfig, recordedConfig } from '#config'
import { journalErrors, type RecordedRun, readRun } from '#journal'
import { sessionErrors } from '../errors.ts'
import { anewCommand, replayCommand } from '../next-commands.ts'
import type { MeasureOptions } from './executor.ts'
import { type MeasuredRun, measureAfter } from './measure.ts'
import { isRunAlive } from './run-life.ts'

export interface ResumeOptions extends Omit<MeasureOptions, 'config'> {
  /** A run folder. */
  readonly folder: string
  /** Settings that were given once more. They can only be as they were; but the target may be found elsewhere now. */
  readonly given?: Partial<BenchConfig> | undefined
}

/**
 * Goes on with a run that ended before its plan was through, in its own folder: what its journal has settled is not
 * sent again, what it has not is.
 *
 * @throws BenchError RUN_COMPLETE, RUN_ALIVE, RUN_DIFFERS, and as `measure`
 */
export async function resumeRun({ folder, given = {}, ...options }: ResumeOptions): Promise<MeasuredRun> {
  const run = await readRun(folder)
  const { id, status, pid } = run.record
  if (await isRunAlive(folder)) {
    throw sessionErrors.make('RUN_ALIVE', {
      message: `${id} is still going on, as process ${pid}`,
      hint: 'wait for its end, or stop it with Ctrl-C where it runs',
    })
  }
  if (status === 'finished') {
    throw sessionErrors.make('RUN_COMPLETE', {
      message: `${id} went through its whole plan`,
      hint: `send the plan again as a new run: ${replayCommand(folder)}`,
    })
  }
  const recorded = configOf(run)
  const { target = recorded.target } = given
  const config = { ...recorded, target, results: dirname(run.folder) }
  return measureAfter({ ...options, config }, { run, purpose: 'resume', config: recorded, given })
}

export interface ReplayOptions extends Omit<MeasureOptions, 'config'> {
  /** A run folder. */
  readonly folder: string
  /** What is to be another than then; nothing else can be. */
  readonly changes?: Partial<Pick<BenchConfig, 'name' | 'target' | 'results'>> | undefined
}

/**
 * Sends the plan of a run again, as a separate run: the same requests in the same order, at the same moments, with
 * the same seeds.
 *
 * @throws BenchError RUN_DIFFERS, and as `measure`
 */
export async function replayRun({ folder, changes = {}, ...options }: ReplayOptions): Promise<MeasuredRun> {
  const run = await readRun(folder)
  // A plan that is sent again is sent as a whole.
  const config = { ...configOf(run), reuseSeconds: null, ...changes }
  return measureAfter({ ...options, config }, { run, purpose: 'replay', config, given: {} })
}

function configOf({ folder, record }: RecordedRun): BenchConfig {
  const parsed = recordedConfig.safeParse(record.config)
  if (parsed.success) return parsed.data
  throw journalErrors.make('RUN_UNREADABLE', {
    message: `the config in ${folder}/run.json is not one that this transcribench can measure again`,
    hint: `measure anew: ${anewCommand(record)}`,
    problems: parsed.error.issues.map(({ path, message }) => ({ where: path.join('.'), what: message })),
  })
}
