/** One exact, immutable npm package. */
export interface NpmPackage {
  readonly name: string
  /** Exact version, never a range. */
  readonly version: string
  /** Subresource integrity as the registry states it: `sha512-` and 88 base64 digits. */
  readonly integrity: string
}

export interface DownloadProgress {
  readonly receivedBytes: number
  /** Null where the server does not say. */
  readonly totalBytes: number | null
}

export interface NpmDownloadOptions extends NpmPackage {
  /** Folder for the tarball and its unfinished part; made if it is not there. */
  readonly into: string
  /** Environment that npm runs in; it names registry, proxy and credentials. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly onProgress?: (progress: DownloadProgress) => void
  readonly signal?: AbortSignal
}

/**
 * Fetches one npm package and proves its integrity.
 *
 * @returns absolute path of the tarball
 */
export async function downloadNpmPackage(options: NpmDownloadOptions): Promise<string> {
  throw new Error(`not yet: ${options.name}`)
}
