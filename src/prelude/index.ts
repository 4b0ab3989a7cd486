/**
 * What any program needs: errors for people, outcomes for programs, seeded randomness, fingerprints, rows made on demand and
 * the columns behind them, the nearest name for a misspelt one.
 * Never touches files, sockets, the clock or the terminal.
 *
 *   const random = seededRandom(1)
 *   const order = random.shuffled(['a', 'b', 'c'])
 *   fingerprint({ seed: 1, order })
 */
export type { ErrorDefinition, ErrorDetails, ErrorTable, ExitClass, Problem } from './bench-error.ts'
export { allOf, asOneError, BenchError, defineErrors, exitCodes, firstError } from './bench-error.ts'
export { hasCredentials, withoutCredentials } from './credentials.ts'
export type { DeepReadonly } from './deep-readonly.ts'
export { describeFileError, type FileError, isFileError, remedyOf } from './file-error.ts'
export { fingerprint } from './fingerprint.ts'
export { lazily } from './lazily.ts'
export { onDemand } from './on-demand.ts'
export type { Outcome } from './outcome.ts'
export { assertNever, failed, succeeded } from './outcome.ts'
export type { Random } from './random.ts'
export { seededRandom } from './random.ts'
export type { NumberColumn, NumberGroups } from './rows/number-rows.ts'
export { groupedValues, groupNumbers, numberColumn, partsOfColumn } from './rows/number-rows.ts'
export type { GrowingTable, NumberTable } from './rows/number-table.ts'
export { growingTable, numberAt } from './rows/number-table.ts'
export type { Rows } from './rows/rows.ts'
export { countRows, groupRows, joinRows, lazyRows, mapRows } from './rows/rows.ts'
export { sumOf } from './sum-of.ts'
export { escapeHtml } from './text/escape-html.ts'
export { nearest } from './text/nearest.ts'
export { parseDocument } from './text/parse-document.ts'
export { bracketExcess, parseForeignJson, parseJson } from './text/parse-json.ts'
export { parseRetryAfter } from './text/parse-retry-after.ts'
export { settingsInWords } from './text/settings-in-words.ts'
export { shellWord } from './text/shell-word.ts'
export type { SharedValues, TextCodes } from './text/text-codes.ts'
export { sharedValues, textCodes } from './text/text-codes.ts'
export { unspacedCharacter } from './text/unspaced-character.ts'
