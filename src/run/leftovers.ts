import { randomUUID } from 'node:crypto'
import { constants, copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, extname, isAbsolute, join } from 'node:path'
import { clientErrors } from '#client/errors'
import { describeFailure } from '#contract/failures'
import { runOfModeName } from '#contract/modes'
import type { VerifiedUtterance } from '#corpus/utterance'
import { homeDirectory } from '#installation/installation'
import { listRuns } from '#journal/find-run'
import { readModeLines, readStagedFolders } from '#journal/run-reader'
import { appendModeLines, appendStagingLine, runFiles } from '#journal/run-writer'
import { systemClock } from '#load/clock'
import { BenchError, describeFileError, fingerprint, isFileError } from '#prelude'
import { doctorCommand } from './commands.ts'
import { runErrors } from './execute/errors.ts'
import { type Cleanup, cleanUpLease, findLeased, type OpenLease, openLeases } from './execute/modes.ts'
import type { PlannedTarget } from './plan/measure-plan.ts'
import { isRunAlive } from './segment.ts'
import { openTarget } from './target/open-target.ts'

type Environment = Readonly<Record<string, string | undefined>>

export interface CleanRequest {
  readonly target: string
  readonly resultsFolder: string
  /**
   * Ids of unknown runs whose Modes are deleted as well, found by their names. Only the user can know whether such a
   * run is still active on another machine or for another user.
   */
  readonly orphansOf: readonly string[]
  readonly env: Environment
}

/**
 * Restores what dead runs of this user left on a server, in any results folder: by their mode lines, and for
 * `orphansOf` by name.
 *
 * @throws BenchError if the target does not answer or a folder of the results folder cannot be read
 */
export async function cleanModes(request: CleanRequest) {
  const { resultsFolder, env } = request
  // Copies are on this machine, so they are removed even if the server is gone.
  const copies = await removeStaleCopies(resultsFolder)
  await using target = await openTarget({
    ...request,
    clock: systemClock,
    connections: 1,
    readableFolders: [],
  })
  // Modes are listed before the runs are read, so every listed Mode of a run is in its record by then.
  const listed = await target.connection.listModes()
  if (!listed.ok) {
    throw clientErrors.make('TARGET_UNREACHABLE', {
      message: `the Modes of ${target.description} cannot be listed: ${describeFailure(listed.failure)}`,
      hint: `see what the target says: ${doctorCommand({ target: target.named })}`,
    })
  }
  const { modes } = listed.value
  const cleanups: Cleanup[] = []
  const livingRuns: string[] = []
  const ownedNames = new Set<string>()
  const runs: NonNullable<Awaited<ReturnType<typeof heldBy>>>[] = []
  for (const folder of await runsThatMayHoldModes(resultsFolder, env)) {
    const held = await heldBy(folder, dirname(folder) === resultsFolder, env)
    if (held !== null) runs.push(held)
  }
  const inUse = new Set(
    runs
      .filter(({ isAlive }) => isAlive)
      .flatMap(({ leases }) => leases.flatMap(({ patched }) => patched?.before.id ?? [])),
  )
  for (const { folder, isAlive, names, leases } of runs) {
    for (const name of names) ownedNames.add(name)
    if (isAlive) {
      if (leases.some((lease) => findLeased(lease, modes))) livingRuns.push(basename(folder))
      continue
    }
    let isClean = true
    for (const lease of leases.toReversed()) {
      const cleanup = inUse.has(lease.patched?.before.id ?? '')
        ? untouched(lease)
        : await cleanUpLease(target.connection, lease, modes)
      // A lease that is not on this server may belong to another one, so only leases that were found are reported.
      if (cleanup.outcome !== 'gone') cleanups.push(cleanup)
      if (cleanup.outcome === 'failed' || cleanup.outcome === 'gone') {
        isClean = false
        continue
      }
      await appendModeLines(folder, [
        { kind: 'released', lease: lease.lease, note: 'transcribench modes clean' },
      ])
    }
    if (isClean) await unmarkRun(folder, env)
  }
  const orphans = modes.flatMap(({ id, name }) => {
    const runId = ownedNames.has(name) ? null : runOfModeName(name)
    return runId === null ? [] : [{ id, name, runId }]
  })
  const isNamed = ({ runId }: (typeof orphans)[number]): boolean => request.orphansOf.includes(runId)
  for (const { id: modeId, name } of orphans.filter(isNamed)) {
    const lease = { lease: name, modeId, name, patched: null }
    cleanups.push(await cleanUpLease(target.connection, lease, modes))
  }
  return {
    settled: cleanups,
    /** Remaining Modes named by transcribench for an unknown run or conformance check. */
    orphans: orphans.filter((orphan) => !isNamed(orphan)).map(({ name, runId }) => ({ name, runId })),
    /** Runs that are alive and hold Modes of this server; their Modes were not changed. */
    livingRuns,
    /** Removed folders of recordings that dead runs had copied for a server. */
    removedCopies: copies.removed,
    /** A sentence for each run whose copies could not be looked for or removed. */
    keptCopies: copies.kept,
  }
}

/** A Mode that a living run has patched too is not restored, because that would change what it measures. */
function untouched({ lease, name }: OpenLease): Cleanup {
  const reason = 'a run that is still going on has patched it as well; try again when it has ended'
  return { lease, name, outcome: 'failed', reason }
}

/**
 * The Modes of a run. `names` are temporary Modes that are no orphans: of a living run all that it has made, of a dead
 * one those that it has not restored.
 *
 * @returns null for a run without Modes, and for an unreadable one of another results folder
 */
async function heldBy(folder: string, isHere: boolean, env: Environment) {
  try {
    const lines = await readModeLines(folder)
    const leases = openLeases(lines)
    if (isHere && leases.length === 0) return null
    const isAlive = await isRunAlive(folder)
    const createdNames = lines.flatMap((line) => (line.kind === 'creating' ? [line.name] : []))
    return { folder, isAlive, leases, names: isAlive ? createdNames : leases.map(({ name }) => name) }
  } catch (error) {
    if (isHere || !(error instanceof BenchError)) throw error
    if (error.code === 'RUN_NOT_FOUND') await unmarkRun(folder, env)
    return null
  }
}

/**
 * Folder of markers for this user's runs that hold Modes on a server, in any results folder: one file per run with
 * the path of the run folder. The journal in the run folder lists the Modes.
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
 * Marks a run that will hold Modes. If the marker cannot be written, the run continues: its Modes then look like
 * those of another machine, and only an explicit command deletes them.
 *
 * @returns the error of the system; null if the marker was written
 */
export async function markRun(runFolder: string, env: Environment) {
  const folder = marksFolder(env)
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await writeFile(markPath(runFolder, env), `${runFolder}\n`, { mode: 0o600 })
    return null
  } catch (error) {
    return { folder, reason: (error as NodeJS.ErrnoException).code ?? (error as Error).message }
  }
}

/** Removes the marker of a run after all its Modes were restored. */
export async function unmarkRun(runFolder: string, env: Environment): Promise<void> {
  await rm(markPath(runFolder, env), { force: true }).catch(() => undefined)
}

/** Folders of all runs that may hold Modes: those of a results folder, and the marked ones of this user anywhere. */
export async function runsThatMayHoldModes(
  resultsFolder: string,
  env: Environment,
): Promise<readonly string[]> {
  const folder = marksFolder(env)
  const names = await readdir(folder).catch(() => [])
  const marked = names.map((name) => readFile(join(folder, name), 'utf8').catch(() => ''))
  const paths = (await Promise.all(marked)).map((path) => path.trim())
  return [...new Set([...(await listRuns(resultsFolder)), ...paths.filter((path) => isAbsolute(path))])]
}

/** Prefix of every folder of copies; no other folder is ever removed. */
const folderPrefix = 'transcribench-staged-'

/**
 * Makes the copies that a plan needs, in one new folder that is in the journal before it exists. Fallback copies are
 * made as well, because copying during the run would disturb it.
 *
 * @param runFolder folder with the journal of the run
 * @param cleanUp removes the copies
 * @returns paths of the copies, by utterance id
 * @throws BenchError STAGING_FAILED; the copies are removed then
 */
export async function stageCopies(
  utterances: readonly VerifiedUtterance[],
  { routes, stagingFolder }: Pick<PlannedTarget, 'routes' | 'stagingFolder'>,
  runFolder: string,
  cleanUp: AsyncDisposableStack,
): Promise<ReadonlyMap<string, string>> {
  const copies = new Map<string, string>()
  if (stagingFolder === null) return copies
  const staged = utterances.filter((utterance) =>
    [...routes.values()].some((each) => each.of(utterance).some(({ transport }) => transport === 'staged')),
  )
  if (staged.length === 0) return copies
  const folder = join(stagingFolder, `${folderPrefix}${randomUUID()}`)
  await appendStagingLine(runFolder, { kind: 'staging', folder })
  try {
    await mkdir(folder)
    for (const { id, audioPath, sha256 } of staged) {
      const path = join(folder, `${sha256}${extname(audioPath)}`)
      // Two utterances may have the same recording.
      await copyFile(audioPath, path, constants.COPYFILE_FICLONE)
      copies.set(id, path)
    }
  } catch (cause) {
    await removeCopies(runFolder, folder)
    throw runErrors.make('STAGING_FAILED', {
      message: `recordings could not be copied to ${stagingFolder}: ${(cause as Error).message}`,
      hint: 'name a folder that you may write and the target may read: --stage <folder>',
      cause,
    })
  }
  cleanUp.defer(() => removeCopies(runFolder, folder))
  return copies
}

async function removeCopies(runFolder: string, folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  await appendStagingLine(runFolder, { kind: 'removed', folder })
}

/**
 * Removes the copies that dead runs left behind, by their journals. A run that cannot be read, or whose copies cannot be
 * removed, keeps them: that is no reason against a new run.
 *
 * @returns the folders that were removed, and a sentence for each run that keeps its copies
 */
export async function removeStaleCopies(resultsFolder: string) {
  const removed: string[] = []
  const kept: string[] = []
  for (const runFolder of await listRuns(resultsFolder)) {
    try {
      const folders = await readStagedFolders(runFolder)
      if (folders.length === 0 || (await isRunAlive(runFolder))) continue
      for (const folder of folders) {
        // The prefix is checked, so that a manipulated journal cannot cause another folder to be removed.
        if (!basename(folder).startsWith(folderPrefix)) continue
        await removeCopies(runFolder, folder)
        removed.push(folder)
      }
    } catch (error) {
      if (!(error instanceof BenchError) && !isFileError(error)) throw error
      const reason = isFileError(error) ? describeFileError(error) : error.message
      kept.push(
        `copies of recordings that ${basename(runFolder)} may have left behind were not removed: ${reason}. ` +
          `Delete the folders ${folderPrefix}* where the server reads recordings, and then ${join(runFolder, runFiles.staged)}`,
      )
    }
  }
  return { removed, kept }
}
