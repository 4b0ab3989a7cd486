/**
 * Utilities for all modules: user errors, outcomes, seeded randomness, fingerprints, columns of numbers, the
 * nearest name for a misspelt one. Pure: no files, sockets, clock or terminal.
 *
 *   const random = seededRandom(1)
 *   const order = random.shuffled(['a', 'b', 'c'])
 *   fingerprint({ seed: 1, order })
 */
export {
  allOf,
  asOneError,
  BenchError,
  defineErrors,
  describeFileError,
  type ErrorDetails,
  type ErrorTable,
  type ExitClass,
  errorCode,
  exitCodes,
  type FileError,
  faultOf,
  findRemedy,
  firstError,
  isDiskFull,
  isFileError,
  type Problem,
} from './bench-error.ts'
export { bracketExcess, fingerprint, parseForeignJson, parseJson, parseJsonObject } from './json.ts'
export {
  countUpTo,
  type NumberColumn,
  numberColumn,
  type Random,
  seededRandom,
  sumOf,
} from './numbers.ts'
export {
  counted,
  escapeHtml,
  formatAbove,
  grouped,
  hasCredentials,
  nearest,
  parseRetryAfter,
  serverAddressIn,
  settingsInWords,
  shellList,
  shellWord,
  unspacedCharacter,
  withoutCredentials,
} from './text.ts'
export {
  assertNever,
  type DeepReadonly,
  failed,
  lazily,
  type Outcome,
  onDemand,
  ownValue,
  succeeded,
  succeeds,
  withoutUndefined,
} from './values.ts'
