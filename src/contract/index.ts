/**
 * The Local Transcription API as types and parsers: strict for requests, tolerant for responses (unknown
 * fields and unlisted enum values are kept and visible). Pure: no I/O.
 *
 *   const body = modeDraft.parse({ name: 'Dictation', preset: 'note' })
 *   const { method, path, answer } = endpoints.createMode
 *   const { mode } = answer.parse(JSON.parse(responseText))
 */
export * from './endpoints.ts'
export * from './enums.ts'
export * from './failures.ts'
export * from './modes.ts'
export * from './provider-errors.ts'
export * from './resources.ts'
export * from './transcription.ts'
