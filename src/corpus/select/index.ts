/** Chooses utterances of a corpus that are balanced by duration, speaker and tag. */

export type { Balance } from './select-utterances.ts'
export { balances, selectUtterances } from './select-utterances.ts'
export { writeSelection } from './write-selection.ts'
