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
export { allOf, asOneError, BenchError, defineErrors, exitCodes } from './bench-error.ts'
export { hasCredentials, withoutCredentials } from './credentials.ts'
export type { DeepReadonly } from './deep-readonly.ts'
export { escapeHtml } from './escape-html.ts'
export { fingerprint } from './fingerprint.ts'
export { lazily } from './lazily.ts'
export { nearest } from './nearest.ts'
export type { NumberColumn, NumberGroups } from './number-rows.ts'
export { groupedValues, groupNumbers, numberColumn, partsOfColumn } from './number-rows.ts'
export type { GrowingTable, NumberTable } from './number-table.ts'
export { growingTable, numberAt } from './number-table.ts'
export { onDemand } from './on-demand.ts'
export type { Outcome } from './outcome.ts'
export { assertNever, failed, succeeded } from './outcome.ts'
export { parseDocument } from './parse-document.ts'
export { parseJson } from './parse-json.ts'
export type { Random } from './random.ts'
export { seededRandom } from './random.ts'
export type { Rows } from './rows.ts'
export { countRows, groupRows, joinRows, lazyRows, mapRows } from './rows.ts'
export { settingsInWords } from './settings-in-words.ts'
export { shellWord } from './shell-word.ts'
export { sumOf } from './sum-of.ts'
export type { SharedValues, TextCodes } from './text-codes.ts'
export { sharedValues, textCodes } from './text-codes.ts'
export { unspacedCharacter } from './unspaced-character.ts'
