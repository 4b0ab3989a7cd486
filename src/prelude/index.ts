/**
 * What any program needs: errors for people, outcomes for programs, seeded randomness, fingerprints, columns of numbers,
 * the nearest name for a misspelt one.
 * Never touches files, sockets, the clock or the terminal.
 *
 *   const random = seededRandom(1)
 *   const order = random.shuffled(['a', 'b', 'c'])
 *   fingerprint({ seed: 1, order })
 */
export type {
  ErrorDefinition,
  ErrorDetails,
  ErrorTable,
  ExitClass,
  FileError,
  Problem,
} from './bench-error.ts'
export {
  allOf,
  asOneError,
  BenchError,
  defineErrors,
  describeFileError,
  exitCodes,
  faultOf,
  firstError,
  isFileError,
  remedyOf,
} from './bench-error.ts'
export { hasCredentials, withoutCredentials } from './credentials.ts'
export type { DeepReadonly } from './deep-readonly.ts'
export { fingerprint } from './fingerprint.ts'
export type { NumberColumn, NumberGroups } from './number-columns.ts'
export { groupedValues, groupNumbers, numberColumn, partsOfColumn } from './number-columns.ts'
export { lazily, onDemand } from './on-demand.ts'
export type { Outcome } from './outcome.ts'
export { assertNever, failed, succeeded } from './outcome.ts'
export { bracketExcess, parseDocument, parseForeignJson, parseJson } from './parse-json.ts'
export type { Random } from './random.ts'
export { seededRandom } from './random.ts'
export { sumOf } from './sum-of.ts'
export {
  escapeHtml,
  nearest,
  parseRetryAfter,
  settingsInWords,
  shellWord,
  unspacedCharacter,
} from './text.ts'
