import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'

/** Gives each request an id, by which the lines of a log that belong to it can be found. */
export interface RequestIds {
  /** Eight base64url characters: unique in any log that one can keep. */
  make(): string
  /** Does the work, and all that it starts, in the name of a request. */
  during<Result>(id: string, work: () => Result): Result
  /** The request that is being worked for; null outside of any. */
  current(): string | null
}

export function createRequestIds(): RequestIds {
  const store = new AsyncLocalStorage<string>()
  return {
    make: () => randomBytes(6).toString('base64url'),
    during: (id, work) => store.run(id, work),
    current: () => store.getStore() ?? null,
  }
}

/** The response header that carries the id. */
export const requestIdHeader = 'x-request-id'
