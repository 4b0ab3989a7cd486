import { basename } from 'node:path'
import { clientErrors } from '#client'
import { describeFailure, isOurModeName } from '#contract'
import { appendModeLines, listRuns, readModeLines } from '#journal'
import { systemClock } from '#load'
import { openLeases, type Settlement, settleLease } from '#run'
import { doctorCommand } from './next-commands.ts'
import { openTarget } from './open-target.ts'
import { isRunAlive } from './run-life.ts'
import { removeForsakenCopies } from './staging.ts'

export interface CleanRequest {
  readonly target: string
  readonly resultsFolder: string
  /** Also delete Modes that carry a name of ours and belong to no run that has a folder here. */
  readonly includesOrphans: boolean
  readonly env: Readonly<Record<string, string | undefined>>
}

export interface CleanedModes {
  readonly settled: readonly Settlement[]
  /** Names of Modes that look like ours and belong to no run folder; still there. */
  readonly orphans: readonly string[]
  /** Runs that are still going on; nothing of theirs was touched. */
  readonly livingRuns: readonly string[]
  /** Folders of copies of recordings that dead runs had made where a server may read; removed. */
  readonly removedCopies: readonly string[]
}

/**
 * Gives back what dead runs left on a server: by their mode lines, and with `includesOrphans` by name.
 *
 * @throws BenchError when the target does not answer or a run folder cannot be read
 */
export async function cleanModes(request: CleanRequest): Promise<CleanedModes> {
  // Copies lie on this machine: they go even where the server is gone.
  const removedCopies = await removeForsakenCopies(request.resultsFolder)
  await using target = await openTarget({
    ...request,
    clock: systemClock,
    connections: 1,
    readableFolders: [],
  })
  const listed = await target.connection.listModes()
  if (!listed.ok) {
    throw clientErrors.make('TARGET_UNREACHABLE', {
      message: `the Modes of ${target.description} cannot be listed: ${describeFailure(listed.failure)}`,
      hint: `see what the target says: ${doctorCommand({ target: target.named, keyFrom: null })}`,
    })
  }
  const { modes } = listed.value
  const settled: Settlement[] = []
  const livingRuns: string[] = []
  const ownedNames = new Set<string>()
  for (const folder of await listRuns(request.resultsFolder)) {
    const leases = openLeases(await readModeLines(folder))
    for (const lease of leases) ownedNames.add(lease.name)
    if (leases.length > 0 && (await isRunAlive(folder))) {
      livingRuns.push(basename(folder))
      continue
    }
    for (const lease of leases.toReversed()) {
      const settlement = await settleLease(target.connection, lease, modes)
      // A lease of a run against another server is gone here; only what was found is worth a line.
      if (settlement.outcome !== 'gone') settled.push(settlement)
      if (settlement.outcome === 'failed' || settlement.outcome === 'gone') continue
      await appendModeLines(folder, [{ kind: 'released', lease: lease.lease, note: 'asrbench modes clean' }])
    }
  }
  const orphans = modes.filter(({ name }) => isOurModeName(name) && !ownedNames.has(name))
  if (!request.includesOrphans) {
    return { settled, orphans: orphans.map((mode) => mode.name), livingRuns, removedCopies }
  }
  for (const { id: modeId, name } of orphans) {
    settled.push(await settleLease(target.connection, { kind: 'created', lease: name, modeId, name }, modes))
  }
  return { settled, orphans: [], livingRuns, removedCopies }
}
