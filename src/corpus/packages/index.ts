/** Downloads packages and unpacks what is needed of them. */

export type { ExtractionOptions, FileToExtract } from './extraction.ts'
export { extractPackageFiles } from './extraction.ts'
export type { NpmDownloadOptions, NpmPackage } from './npm-download.ts'
export { downloadNpmPackage } from './npm-download.ts'
export type { DownloadProgress } from './resumable-download.ts'
