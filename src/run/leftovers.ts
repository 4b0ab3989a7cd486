import { randomUUID } from 'node:crypto'
import { constants, copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { uptime } from 'node:os'
import { basename, dirname, extname, isAbsolute, join } from 'node:path'
import { clientErrors } from '#client/errors'
import { describeFailure } from '#contract/failures'
import { runOfModeName } from '#contract/modes'
import type { VerifiedUtterance } from '#corpus/utterance'
import { homeDirectory } from '#installation/installation'
import { listRuns, readModeLines, readRecord, readStagedFolders } from '#journal/run-reader'
import { appendModeLines, appendStagingLine } from '#journal/run-writer'
import { systemClock } from '#load/clock'
import { BenchError, fingerprint } from '#prelude'
import { processStart } from '#telemetry/processes'
import { doctorCommand } from './commands.ts'
import { runErrors } from './execute/errors.ts'
import { findLeased, type OpenLease, openLeases, type Settlement, settleLease } from './execute/modes.ts'
import type { PlannedTarget } from './plan/measure-plan.ts'
import { openTarget } from './target/open-target.ts'

type Environment = Readonly<Record<string, string | undefined>>

export interface CleanRequest {
  readonly target: string
  readonly resultsFolder: string
  /**
   * Ids of runs that are not known here and whose Modes are to be deleted, by their names, as well. Whether such a run
   * still goes on, on another machine or for another user, only a person can know.
   */
  readonly orphansOf: readonly string[]
  readonly env: Environment
}

/**
 * Gives back what dead runs of this user left on a server, whatever folder their results are in: by their mode lines,
 * and those of `orphansOf` by name.
 *
 * @throws BenchError when the target does not answer or a folder of the results folder cannot be read
 */
export async function cleanModes(request: CleanRequest) {
  const { resultsFolder, env } = request
  // Copies lie on this machine: they go even where the server is gone.
  const removedCopies = await removeStaleCopies(resultsFolder)
  await using target = await openTarget({
    ...request,
    clock: systemClock,
    connections: 1,
    readableFolders: [],
  })
  // Listed before the runs are read: by then, each run has recorded the Modes that it made.
  const listed = await target.connection.listModes()
  if (!listed.ok) {
    throw clientErrors.make('TARGET_UNREACHABLE', {
      message: `the Modes of ${target.description} cannot be listed: ${describeFailure(listed.failure)}`,
      hint: `see what the target says: ${doctorCommand({ target: target.named })}`,
    })
  }
  const { modes } = listed.value
  const settled: Settlement[] = []
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
    let isSettled = true
    for (const lease of leases.toReversed()) {
      const settlement = inUse.has(lease.patched?.before.id ?? '')
        ? untouched(lease)
        : await settleLease(target.connection, lease, modes)
      // A lease of a run against another server is gone here; only what was found is worth a line.
      if (settlement.outcome !== 'gone') settled.push(settlement)
      if (settlement.outcome === 'failed' || settlement.outcome === 'gone') {
        isSettled = false
        continue
      }
      await appendModeLines(folder, [
        { kind: 'released', lease: lease.lease, note: 'transcribench modes clean' },
      ])
    }
    if (isSettled) await unmarkRun(folder, env)
  }
  const orphans = modes.flatMap(({ id, name }) => {
    const runId = ownedNames.has(name) ? null : runOfModeName(name)
    return runId === null ? [] : [{ id, name, runId }]
  })
  const isNamed = ({ runId }: (typeof orphans)[number]): boolean => request.orphansOf.includes(runId)
  for (const { id: modeId, name } of orphans.filter(isNamed)) {
    const lease = { lease: name, modeId, name, patched: null }
    settled.push(await settleLease(target.connection, lease, modes))
  }
  return {
    settled,
    /** Modes that are still there, with a name that transcribench gives for a run, or a conformance check, that is not known here. */
    orphans: orphans.filter((orphan) => !isNamed(orphan)).map(({ name, runId }) => ({ name, runId })),
    /** Runs that are still going on, as far as they hold Modes of this server; nothing of theirs was touched. */
    livingRuns,
    /** Folders of copies of recordings that dead runs had made where a server may read; removed. */
    removedCopies,
  }
}

/** To restore it now would change what a living run measures with. */
function untouched({ lease, name }: OpenLease): Settlement {
  const reason = 'a run that is still going on has patched it as well; try again when it has ended'
  return { lease, name, outcome: 'failed', reason }
}

/**
 * What a run has to do with Modes: `names` of all that a living run has made, and of those that a dead one has not given back.
 *
 * @returns null for a run that holds nothing, and for one of another results folder that cannot be read
 */
async function heldBy(folder: string, isHere: boolean, env: Environment) {
  try {
    const lines = await readModeLines(folder)
    const leases = openLeases(lines)
    if (isHere && leases.length === 0) return null
    const isAlive = await isRunAlive(folder)
    const made = lines.flatMap((line) => (line.kind === 'creating' ? [line.name] : []))
    return { folder, isAlive, leases, names: isAlive ? made : leases.map(({ name }) => name) }
  } catch (error) {
    if (isHere || !(error instanceof BenchError)) throw error
    if (error.code === 'RUN_NOT_FOUND') await unmarkRun(folder, env)
    return null
  }
}

/**
 * Whether the process that wrote a run is still at it. A process id alone is not enough: after a crash, and
 * after a restart of the machine, another process may have it. So the start of the process is compared as well, which
 * does not move when the clock is set; where the system does not report it, a run from before the machine started is dead.
 *
 * @throws BenchError RUN_UNREADABLE
 */
export async function isRunAlive(runFolder: string): Promise<boolean> {
  const { status, pid, processStartedAt, startedAt, resumedAt } = await readRecord(runFolder)
  if (status !== 'started' || !isProcess(pid)) return false
  const now = await processStart(pid)
  if (now !== null && processStartedAt !== null) return now === processStartedAt
  const bootedAtMs = Date.now() - uptime() * 1000
  return Date.parse(resumedAt?.at(-1) ?? startedAt) >= bootedAtMs
}

function isProcess(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // No such process; any other error means that there is one, of another user.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

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

/** The run has given back all that it held. */
export async function unmarkRun(runFolder: string, env: Environment): Promise<void> {
  await rm(markPath(runFolder, env), { force: true }).catch(() => undefined)
}

/** Folders of all runs that may hold Modes: those of a results folder, and of this user wherever they are. */
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

/** Where the name of every folder of copies begins; nothing else is ever removed. */
const folderPrefix = 'transcribench-staged-'

/**
 * Makes the copies that a plan needs, in one new folder that the journal knows before it exists. Where copies are
 * only a way to fall back on, they are made as well: in the middle of a run they would disturb it.
 *
 * @param runFolder where the journal of the run is
 * @param held removes the copies
 * @returns paths of the copies, by utterance id
 * @throws BenchError STAGING_FAILED; nothing is left behind then
 */
export async function stageCopies(
  utterances: readonly VerifiedUtterance[],
  { routes, stagingFolder }: Pick<PlannedTarget, 'routes' | 'stagingFolder'>,
  runFolder: string,
  held: AsyncDisposableStack,
): Promise<ReadonlyMap<string, string>> {
  const copies = new Map<string, string>()
  if (stagingFolder === null) return copies
  const wanted = utterances.filter((utterance) =>
    [...routes.values()].some((own) => own.of(utterance).some(({ transport }) => transport === 'staged')),
  )
  if (wanted.length === 0) return copies
  const folder = join(stagingFolder, `${folderPrefix}${randomUUID()}`)
  await appendStagingLine(runFolder, { kind: 'staging', folder })
  try {
    await mkdir(folder)
    for (const { id, audioPath, sha256 } of wanted) {
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
  held.defer(() => removeCopies(runFolder, folder))
  return copies
}

async function removeCopies(runFolder: string, folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  await appendStagingLine(runFolder, { kind: 'removed', folder })
}

/**
 * Removes the copies that dead runs left behind, by their journals.
 *
 * @returns the folders that were removed
 */
export async function removeStaleCopies(resultsFolder: string): Promise<readonly string[]> {
  const removed: string[] = []
  for (const runFolder of await listRuns(resultsFolder)) {
    const folders = await readStagedFolders(runFolder)
    if (folders.length === 0 || (await isRunAlive(runFolder))) continue
    for (const folder of folders) {
      // A manipulated journal must not be able to name what is removed.
      if (!basename(folder).startsWith(folderPrefix)) continue
      await removeCopies(runFolder, folder)
      removed.push(folder)
    }
  }
  return removed
}
