import type { AttemptLine, PlanLine, PlannedUtterance } from './format.ts'
import type { NumberTable } from './number-table.ts'
import { attemptLine, planLine } from './parsers.ts'
import { type LinesRead, lookThrough } from './read-lines.ts'
import { runFiles } from './run-writer.ts'
import { attemptStore, type StoredAttempts } from './stored-attempts.ts'
import { requestStore, type StoredRequests } from './stored-requests.ts'

/** The two files that grow with the requests of a run, as they are kept in memory. All of it can go to another thread. */
export interface Stores {
  readonly plan: LinesRead & {
    readonly utterances: readonly PlannedUtterance[]
    readonly requests: StoredRequests
  }
  readonly journal: LinesRead & { readonly attempts: StoredAttempts }
}

/** Reads one of them. Bad lines are in what is returned. */
export const readStore: { readonly [Name in keyof Stores]: (folder: string) => Promise<Stores[Name]> } = {
  async plan(folder) {
    const utterances: PlannedUtterance[] = []
    const requests = requestStore()
    const read = await lookThrough<PlanLine>(folder, runFiles.plan, {
      parser: planLine,
      take(line) {
        if (line.kind === 'utterance') utterances.push(line)
        else requests.add(line)
      },
    })
    return { ...read, utterances, requests: requests.stored() }
  },
  async journal(folder) {
    const attempts = attemptStore()
    const read = await lookThrough<AttemptLine>(folder, runFiles.journal, {
      parser: attemptLine,
      take: attempts.add,
    })
    return { ...read, attempts: attempts.stored() }
  },
}

/** The memory that moves to another thread instead of being copied. */
export function buffersOf(store: Stores[keyof Stores]): ArrayBuffer[] {
  const tables: NumberTable[] =
    'attempts' in store
      ? [store.attempts.doubles, store.attempts.codes]
      : [store.requests.doubles, store.requests.codes]
  return tables.flatMap(({ pieces }) => pieces.map(({ buffer }) => buffer))
}
