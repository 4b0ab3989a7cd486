/**
 * What is installed here: where the package is, its version, its programs for other threads and processes, and where it
 * keeps data. Reads package.json and nothing else.
 *
 *   programVersion()                                             // '0.1.0'
 */
export { dataDirectory } from './data-directory.ts'
export { installationErrors } from './errors.ts'
export { homeDirectory, knownHome } from './home-directory.ts'
export type { OwnProgram } from './own-program.ts'
export { ownProgram } from './own-program.ts'
export { packageFolder, programVersion } from './package-info.ts'
