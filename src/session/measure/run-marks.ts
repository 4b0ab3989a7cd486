import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, isAbsolute, join } from 'node:path'
import { homeDirectory } from '#installation'
import { listRuns } from '#journal'
import { fingerprint } from '#prelude'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * A record of this user's runs that hold Modes on a server, whatever folder their results are in: one
 * file per run with the path of the run folder. That folder says which Modes the run holds.
 *
 * @see XDG Base Directory Specification: a relative XDG_STATE_HOME is ignored
 */
function marksFolder(env: Environment): string {
  const configured = env['XDG_STATE_HOME'] ?? ''
  const state = isAbsolute(configured) ? configured : join(homeDirectory(env), '.local', 'state')
  return join(state, 'transcribench', 'runs')
}

function markPath(runFolder: string, env: Environment): string {
  return join(marksFolder(env), `${basename(runFolder)}-${fingerprint(runFolder).slice(0, 8)}`)
}

/**
 * Writes down that a run is about to hold Modes. Where that cannot be written a run goes on all the same: its Modes
 * then look like those of another machine, and nothing deletes them without an explicit command.
 *
 * @returns what the system said to it, or null where the mark is there
 */
export async function markRun(runFolder: string, env: Environment): Promise<UnwrittenMark | null> {
  const folder = marksFolder(env)
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await writeFile(markPath(runFolder, env), `${runFolder}\n`, { mode: 0o600 })
    return null
  } catch (error) {
    return { folder, reason: (error as NodeJS.ErrnoException).code ?? (error as Error).message }
  }
}

interface UnwrittenMark {
  readonly folder: string
  readonly reason: string
}

/** The run has given back all that it held. */
export async function unmarkRun(runFolder: string, env: Environment): Promise<void> {
  await rm(markPath(runFolder, env), { force: true }).catch(() => undefined)
}

/** Folders of all runs that may hold Modes: those of a results folder, and of this user wherever they are. */
export async function runsThatMayHoldModes(
  resultsFolder: string,
  env: Environment,
): Promise<readonly string[]> {
  const [here, marked] = await Promise.all([listRuns(resultsFolder), markedRuns(env)])
  return [...new Set([...here, ...marked])]
}

async function markedRuns(env: Environment): Promise<readonly string[]> {
  const folder = marksFolder(env)
  const names = await readdir(folder).catch(() => [])
  const marked = await Promise.all(
    names.map(async (name) => {
      const path = (await readFile(join(folder, name), 'utf8').catch(() => '')).trim()
      return isAbsolute(path) ? [path] : []
    }),
  )
  return marked.flat()
}
