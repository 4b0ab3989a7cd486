/**
 * Scored texts to text: what a terminal shows, and the documents of `transcribench wer`. A separate entry point, because it needs
 * nothing of what the other reports load.
 */
export type { KeptRows, RowFacts, TextScoreFormat } from './format.ts'
export type { TextScoreFormatName } from './formats.ts'
export { renderTextScore } from './render-text-score.ts'
