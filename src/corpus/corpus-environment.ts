/** What of the outside a corpus is looked up in. */
export interface CorpusEnvironment {
  /** Names the data directory, and the registry for fetching. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Where names and relative paths start from; the process's own working directory where it is left out. */
  readonly cwd?: string
}
