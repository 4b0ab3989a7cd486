export interface FileToExtract {
  /** Path inside the package, without the leading `package/`. */
  readonly from: string
  /** Path below `into`. */
  readonly to: string
  /** 64 lower-case hexadecimal digits; checked before anything is placed. */
  readonly sha256?: string
}

export interface ExtractionOptions {
  /** Absolute path of a verified `.tgz`. */
  readonly tarball: string
  readonly files: readonly FileToExtract[]
  /** Folder that the files are placed in; made if it is not there. */
  readonly into: string
  readonly signal?: AbortSignal
}

/** Takes the named files out of a package; places all of them or none. */
export async function extractPackageFiles(options: ExtractionOptions): Promise<void> {
  throw new Error(`not yet: ${options.tarball}`)
}
