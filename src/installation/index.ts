/**
 * What is installed here: where the package is, and its version. Reads package.json and nothing else.
 *
 *   asrbenchVersion()                                             // '0.1.0'
 */

export { asrbenchVersion, packageFolder } from './package-info.ts'
