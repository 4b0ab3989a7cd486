import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { BenchError, nearest, shellWord } from '#prelude'
import { readRecord } from './run-reader.ts'
import { journalErrors, runFiles } from './run-writer.ts'

/** Returns the run folders in a results folder, oldest first: by the second in their names, then by their records. */
export async function listRuns(resultsFolder: string): Promise<readonly string[]> {
  const entries = await readdir(resultsFolder, { withFileTypes: true }).catch(() => [])
  const folders = entries
    .filter((entry) => entry.isDirectory() && /^\d{4}-\d{2}-\d{2}T/.test(entry.name))
    .map((entry) => join(resultsFolder, entry.name))
  const runs = folders.filter(isRunFolder).sort()
  const bySecond = [...Map.groupBy(runs, (folder) => basename(folder).slice(0, secondLength)).values()]
  return (await Promise.all(bySecond.map(inOrderOfStart))).flat()
}

async function inOrderOfStart(folders: readonly string[]): Promise<readonly string[]> {
  if (folders.length === 1) return folders
  const started = await Promise.all(
    folders.map(async (folder) => ({
      folder,
      // The error of an unreadable record is reported where the run is opened.
      at: await readRecord(folder).then(
        ({ startedAt }) => startedAt,
        () => '',
      ),
    })),
  )
  return started
    .sort((left, right) => (left.at < right.at ? -1 : Number(left.at > right.at)))
    .map(({ folder }) => folder)
}

/** Length of `2026-11-21T07-31-02Z`. */
const secondLength = 20

/**
 * Finds a run by the path or name of its folder, by a name that no other run has, by a unique prefix of a folder
 * name, or as `latest`. A name of several runs is an error, because the newest may not be the one that is meant.
 *
 * @throws BenchError RUN_NOT_FOUND, RUN_AMBIGUOUS
 */
export async function findRun(name: string, resultsFolder: string): Promise<string> {
  const runs = await listRuns(resultsFolder)
  const latest = runs.at(-1)
  if (name === 'latest' && latest !== undefined) return latest
  // An unset variable of a script gives an empty name, which is a prefix of every name.
  const isNamed = name !== ''
  const folder = [resolve(name), join(resultsFolder, name)].find(isRunFolder)
  if (isNamed && folder !== undefined) return folder
  const named = await runsNamed(name, runs)
  const [first] = named
  if (first !== undefined && named.length === 1) return first
  if (first !== undefined) {
    throw journalErrors.make('RUN_AMBIGUOUS', {
      message: `${named.length} runs in ${resultsFolder} are called "${name}"`,
      hint: `name one of these by its folder; the newest is ${basename(named.at(-1) ?? first)}`,
      problems: named.slice(-10).map((run) => ({ where: null, what: basename(run) })),
    })
  }
  const matching = runs.filter((run) => isNamed && basename(run).startsWith(name))
  const [only] = matching
  if (only !== undefined && matching.length === 1) return only
  const shown = (matching.length > 0 ? matching : runs).slice(-10)
  const meant = nearest(
    name,
    runs.flatMap((run) => [givenName(run), basename(run)]),
  )
  throw journalErrors.make(matching.length > 1 ? 'RUN_AMBIGUOUS' : 'RUN_NOT_FOUND', {
    message:
      matching.length > 1
        ? `${matching.length} runs in ${resultsFolder} begin with "${name}"`
        : `there is no run "${name}" in ${resultsFolder}${meant === null || !isNamed ? '' : `; did you mean "${meant}"?`}`,
    hint: runs.length === 0 ? 'measure one first: transcribench run' : 'name one of these, or say latest',
    problems: shown.map((run) => ({ where: null, what: basename(run) })),
  })
}

/** Returns the run name at the end of a folder's name: `slow` of `2026-11-21T07-31-02Z-slow`. */
function givenName(folder: string): string {
  return basename(folder).slice(secondLength + 1)
}

/** Finds runs by name. A folder's name lacks the characters that some systems forbid, and may end in a number. */
async function runsNamed(name: string, runs: readonly string[]): Promise<readonly string[]> {
  const inFolder = runNameInFolder(name)
  const named: string[] = []
  for (const run of inFolder === '' ? [] : runs) {
    const runName = givenName(run)
    const [, unnumbered] = /^(.*)-\d+$/u.exec(runName) ?? []
    if (runName === inFolder) named.push(run)
    else if (unnumbered === inFolder) {
      const record = await readRecord(run).catch(() => null)
      if (record?.name === name) named.push(run)
    }
  }
  return named
}

function runNameInFolder(name: string): string {
  return name.replaceAll(/[^\p{L}\p{N}._-]+/gu, '-')
}

/** Returns a folder name such as `2026-11-21T07-31-02Z-quick`. It sorts by time, and every system allows it. */
export function runId(startedAt: Date, name: string): string {
  const time = startedAt
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replaceAll(':', '-')
  return `${time}-${runNameInFolder(name)}`
}

/**
 * Finds several runs as `findRun` finds one.
 *
 * @throws BenchError RUN_NOT_FOUND, RUN_AMBIGUOUS; for several names, with the problem of each
 */
export async function findRuns(names: readonly string[], resultsFolder: string): Promise<readonly string[]> {
  const found = await Promise.allSettled(names.map((name) => findRun(name, resultsFolder)))
  const failures = found.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
  const bug = failures.find((failure) => !(failure instanceof BenchError))
  if (bug !== undefined || failures.length === 1) throw bug ?? failures[0]
  if (failures.length > 1) {
    throw journalErrors.make('RUN_NOT_FOUND', {
      message: `${failures.length} runs were not found`,
      hint: `list the runs with: ls ${shellWord(resultsFolder)}`,
      problems: failures.map(({ message }: BenchError) => ({ where: null, what: message })),
    })
  }
  return found.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
}

function isRunFolder(folder: string): boolean {
  return existsSync(join(folder, runFiles.record))
}
