import { basename, dirname } from 'node:path'
import { clientErrors } from '#client'
import { describeFailure, runOfModeName } from '#contract'
import { appendModeLines, type ModeLine, readModeLines } from '#journal'
import { systemClock } from '#load'
import { BenchError } from '#prelude'
import { findLeased, type OpenLease, openLeases, type Settlement, settleLease } from '#run'
import { doctorCommand } from '../next-commands.ts'
import { openTarget } from '../target/open-target.ts'
import { isRunAlive } from './run-life.ts'
import { runsThatMayHoldModes, unmarkRun } from './run-marks.ts'
import { removeStaleCopies } from './staging.ts'

export interface CleanRequest {
  readonly target: string
  readonly resultsFolder: string
  /**
   * Ids of runs that are not known here and whose Modes are to be deleted, by their names, as well. Whether such a run
   * still goes on, on another machine or for another user, only a person can know.
   */
  readonly orphansOf: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
}

/** A Mode with a name that transcribench gives, of no run that is known here. */
interface OrphanMode {
  readonly name: string
  /** Of the run, or of the conformance check, that gave it its name. */
  readonly runId: string
}

export interface CleanedModes {
  readonly settled: readonly Settlement[]
  /** Still there. */
  readonly orphans: readonly OrphanMode[]
  /** Runs that are still going on, as far as they hold Modes of this server; nothing of theirs was touched. */
  readonly livingRuns: readonly string[]
  /** Folders of copies of recordings that dead runs had made where a server may read; removed. */
  readonly removedCopies: readonly string[]
}

/**
 * Gives back what dead runs of this user left on a server, whatever folder their results are in: by their mode lines,
 * and those of `orphansOf` by name.
 *
 * @throws BenchError when the target does not answer or a folder of the results folder cannot be read
 */
export async function cleanModes(request: CleanRequest): Promise<CleanedModes> {
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
  const runs = await heldByRuns(request)
  const inUse = new Set(
    runs.flatMap(({ isAlive, leases }) => (isAlive ? leases.flatMap((lease) => patchedId(lease) ?? []) : [])),
  )
  for (const { folder, isAlive, names, leases } of runs) {
    for (const name of names) ownedNames.add(name)
    if (isAlive) {
      if (leases.some((lease) => findLeased(lease, modes))) livingRuns.push(basename(folder))
      continue
    }
    let isSettled = true
    for (const lease of leases.toReversed()) {
      const settlement = inUse.has(patchedId(lease) ?? '')
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
  const isNamed = ({ runId }: OrphanMode): boolean => request.orphansOf.includes(runId)
  for (const { id: modeId, name } of orphans.filter(isNamed)) {
    settled.push(await settleLease(target.connection, { kind: 'created', lease: name, modeId, name }, modes))
  }
  return {
    settled,
    orphans: orphans.filter((orphan) => !isNamed(orphan)).map(({ name, runId }) => ({ name, runId })),
    livingRuns,
    removedCopies,
  }
}

function patchedId(lease: OpenLease): string | null {
  return lease.kind === 'patched' ? lease.modeId : null
}

/** To restore it now would change what a living run measures with. */
function untouched({ lease, name }: OpenLease): Settlement {
  const reason = 'a run that is still going on has patched it as well; try again when it has ended'
  return { lease, name, outcome: 'failed', reason }
}

/** What a run has to do with Modes. */
interface HeldModes {
  readonly folder: string
  readonly isAlive: boolean
  /** Of all Modes that a living run has made, and of those that a dead one has not given back. */
  readonly names: readonly string[]
  readonly leases: readonly OpenLease[]
}

async function heldByRuns({ resultsFolder, env }: CleanRequest): Promise<readonly HeldModes[]> {
  const held: HeldModes[] = []
  for (const folder of await runsThatMayHoldModes(resultsFolder, env)) {
    const found = await heldBy(folder, { env, isHere: dirname(folder) === resultsFolder })
    if (found !== null) held.push(found)
  }
  return held
}

/** @returns null for a run that holds nothing, and for one of another results folder that cannot be read */
async function heldBy(
  folder: string,
  { env, isHere }: { readonly env: CleanRequest['env']; readonly isHere: boolean },
): Promise<HeldModes | null> {
  try {
    const lines = await readModeLines(folder)
    const leases = openLeases(lines)
    if (isHere && leases.length === 0) return null
    const isAlive = await isRunAlive(folder)
    return { folder, isAlive, names: isAlive ? namesIn(lines) : leases.map(({ name }) => name), leases }
  } catch (error) {
    if (isHere || !(error instanceof BenchError)) throw error
    if (error.code === 'RUN_NOT_FOUND') await unmarkRun(folder, env)
    return null
  }
}

function namesIn(lines: readonly ModeLine[]): readonly string[] {
  return lines.flatMap((line) => (line.kind === 'creating' ? [line.name] : []))
}
