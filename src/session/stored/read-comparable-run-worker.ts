/**
 * The program of a thread that reads and scores one large run for a comparison: `workerData` says which, the messages are
 * what is kept of it, its utterances first, or what is wrong with it.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { type ComparableRun, type CompareOptions, openComparison } from '#analysis'
import { type PlannedUtterance, type RunRecord, readRun } from '#journal'
import { BenchError, type ErrorDetails, type ExitClass, failed, type Outcome, succeeded } from '#prelude'

export interface KeepTask {
  readonly folder: string
  readonly latest: RunRecord
  readonly options: CompareOptions
}

/** An error for users as plain data, because threads exchange no classes. */
interface SentError extends ErrorDetails {
  readonly code: string
  readonly exit: ExitClass
}

type KeepResult = Outcome<Omit<ComparableRun, 'utterances'>, SentError>

export type KeepMessage =
  | { readonly kind: 'utterances'; readonly utterances: readonly PlannedUtterance[] }
  | { readonly kind: 'kept'; readonly result: KeepResult }

/** A message is in memory thrice: here, on its way and there. */
const utterancesInMessage = 64

async function keep({ folder, latest, options }: KeepTask): Promise<KeepResult> {
  try {
    const { utterances, ...kept } = openComparison(latest, options).keep(await readRun(folder))
    for (let from = 0; from < utterances.length; from += utterancesInMessage) {
      post({ kind: 'utterances', utterances: utterances.slice(from, from + utterancesInMessage) })
    }
    return succeeded(kept)
  } catch (error) {
    if (!(error instanceof BenchError)) throw error
    const { code, exit, message, hint, problems, cause } = error
    return failed({ code, exit, message, hint, problems, cause })
  }
}

function post(message: KeepMessage): void {
  parentPort?.postMessage(message, message.kind === 'kept' ? columnsOf(message.result) : [])
}

/** Columns change hands, and are not copied. */
function columnsOf(result: KeepResult): ArrayBuffer[] {
  const columns = result.ok
    ? result.value.contenders.flatMap(({ tallies, latencies, outcomes }) => [
        ...Object.values(tallies),
        ...Object.values(latencies),
        ...Object.values(outcomes),
      ])
    : []
  return columns.flatMap((column) =>
    ArrayBuffer.isView(column) && column.buffer instanceof ArrayBuffer ? column.buffer : [],
  )
}

post({ kind: 'kept', result: await keep(workerData) })
