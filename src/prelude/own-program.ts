/** A program of this package, for a thread or a process of its own. */
export interface OwnProgram {
  readonly url: URL
  /** What Node needs to run it. */
  readonly execArgv: readonly string[]
}

/**
 * A file beside a module. In a checkout the sources run as they are, and what is started has to find the rooms'
 * sources as well; in the package everything is built.
 *
 * @param moduleUrl `import.meta.url` of the module
 * @param name without its ending
 */
export function ownProgram(moduleUrl: string, name: string): OwnProgram {
  const runsFromSource = moduleUrl.endsWith('.ts')
  return {
    url: new URL(`./${name}.${runsFromSource ? 'ts' : 'js'}`, moduleUrl),
    execArgv: runsFromSource ? ['--conditions=asrbench:source', '--disable-warning=ExperimentalWarning'] : [],
  }
}
