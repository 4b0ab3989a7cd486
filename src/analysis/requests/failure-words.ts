import { describeFailure, type RequestFailure } from '#contract'

/** What was said of a failure, and what the server advises; nothing in it is of a transcript. */
export interface FailureWords {
  readonly message: string
  readonly hint: string | null
}

/** A failure in words that may be shown anywhere: what a server wrote in place of an answer may be the answer's text. */
export function wordsOf(failure: RequestFailure): FailureWords {
  if (failure.kind === 'refused') return { message: failure.message, hint: failure.hint }
  if (failure.kind === 'malformed' && failure.httpStatus < 300) {
    return { message: `an answer that is not of this API (HTTP ${failure.httpStatus})`, hint: null }
  }
  return { message: describeFailure(failure), hint: null }
}
