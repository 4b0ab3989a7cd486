/**
 * What is installed here: where the package is, and its version. Reads package.json and nothing else.
 *
 *   programVersion()                                             // '0.1.0'
 */

export { packageFolder, programVersion } from './package-info.ts'
