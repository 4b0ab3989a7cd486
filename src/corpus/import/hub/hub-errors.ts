import type { BenchError } from '#prelude'
import { corpusErrors } from '../../errors.ts'

/** What a status of the hub means for a data set. */
export function hubFailure(dataset: string, endpoint: string, status: number, cause: unknown): BenchError {
  const page = `${endpoint}/datasets/${dataset}`
  if (status === 401) {
    return corpusErrors.make('IMPORT_REFUSED', {
      message: `the hub wants a login for ${dataset}, or there is no such data set`,
      hint: `create a token at ${endpoint}/settings/tokens, then: export HF_TOKEN=<token>`,
      cause,
    })
  }
  if (status === 403) {
    return corpusErrors.make('IMPORT_REFUSED', {
      message: `the account of this token has not accepted the terms of ${dataset}`,
      hint: `accept them at ${page}, then type the same command again`,
      cause,
    })
  }
  if (status === 404) {
    return corpusErrors.make('IMPORT_SOURCE_UNKNOWN', {
      message: `the hub has no data set ${dataset}`,
      hint: `names are <owner>/<name>, as in the address of its page: ${endpoint}/datasets`,
      cause,
    })
  }
  return corpusErrors.make('IMPORT_UNREACHABLE', {
    message: `the hub answered ${status} for ${dataset}`,
    hint: 'type the same command again later: it goes on where it stopped',
    cause,
  })
}

export function unreachable(what: string, cause: unknown): BenchError {
  const { message, cause: inner } = cause as Error
  const reason = inner instanceof Error ? inner.message : message
  return corpusErrors.make('IMPORT_UNREACHABLE', {
    message: `${what} cannot be fetched: ${reason}`,
    hint: 'type the same command again: it goes on where it stopped',
    cause,
  })
}
