/**
 * What is installed here: where the package is, its version, and its programs for other threads and processes. Reads
 * package.json and nothing else.
 *
 *   programVersion()                                             // '0.1.0'
 */
export type { OwnProgram } from './own-program.ts'
export { ownProgram } from './own-program.ts'
export { packageFolder, programVersion } from './package-info.ts'
