/**
 * The program of a thread that reads and scores one large run for a comparison: `workerData` says which, the one message is
 * what is kept of it, or what is wrong with it.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { type CompareOptions, type KeptRun, openComparison } from '#analysis'
import { type RunRecord, readRun } from '#journal'
import { BenchError, type ErrorDetails, type ExitClass, failed, type Outcome, succeeded } from '#prelude'

export interface KeepTask {
  readonly folder: string
  readonly latest: RunRecord
  readonly options: CompareOptions
}

/** An error for people, in the parts of which it is made again: threads hand over no classes. */
interface ToldError extends ErrorDetails {
  readonly code: string
  readonly exit: ExitClass
}

export type KeepResult = Outcome<KeptRun, ToldError>

async function keep({ folder, latest, options }: KeepTask): Promise<KeepResult> {
  try {
    return succeeded(openComparison(latest, options).keep(await readRun(folder)))
  } catch (error) {
    if (!(error instanceof BenchError)) throw error
    const { code, exit, message, hint, problems, cause } = error
    return failed({ code, exit, message, hint, problems, cause })
  }
}

parentPort?.postMessage(await keep(workerData))
