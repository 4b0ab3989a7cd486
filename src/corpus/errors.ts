import { type BenchError, defineErrors, type ErrorTable, findRemedy, isFileError } from '#prelude'

const corpusExits = {
  CORPUS_UNKNOWN: 'badInput',
  CORPUS_UNREADABLE: 'badInput',
  CORPUS_UNUSABLE: 'badInput',
  CORPUS_UNREVIEWED: 'badInput',
  CORPUS_NOT_FETCHED: 'badInput',
  CORPUS_NOT_FETCHABLE: 'badInput',
  CORPUS_NOT_WRITABLE: 'badInput',
  CORRECTIONS_UNREADABLE: 'badInput',
  IMPORT_SOURCE_UNKNOWN: 'badInput',
  IMPORT_UNUSABLE: 'badInput',
  IMPORT_NOT_WRITABLE: 'badInput',
  IMPORT_UNREACHABLE: 'badInput',
  IMPORT_REFUSED: 'badInput',
  DERIVATION_INVALID: 'badInput',
  DERIVATION_EXISTS: 'badInput',
  SELECTION_EXISTS: 'badInput',
  SELECTION_TOO_SMALL: 'badInput',
  PACKAGE_UNREACHABLE: 'badInput',
  PACKAGE_CORRUPT: 'badInput',
} as const

/** Errors of a corpus, or of the package that contains it. */
export const corpusErrors: ErrorTable<keyof typeof corpusExits> = defineErrors(corpusExits)

/** A recording with valid headers that cannot be decoded, which only a full verification finds. */
export function undecodable(path: string, reason: string): BenchError {
  return corpusErrors.make('CORPUS_UNUSABLE', {
    message: `${path}: ${reason}`,
    hint: 'name all such recordings: transcribench corpus verify --verify full',
  })
}

/** A file or folder below the one that --output names. */
export function outputNotWritable(
  code: 'CORPUS_NOT_WRITABLE' | 'IMPORT_NOT_WRITABLE',
  path: string,
  cause: Error,
): BenchError {
  return corpusErrors.make(code, {
    message: `${path} cannot be written: ${cause.message}`,
    hint: isFileError(cause) ? findRemedy(cause) : 'name another folder with --output',
    cause,
  })
}
