import { basename } from 'node:path'
import { describeFailure } from '#contract'
import { appendModeLines, listRuns, readModeLines, readRecord } from '#journal'
import { systemClock } from '#load'
import { isTemporaryModeName, openLeases, type Settlement, settleLease } from '#run'
import { sessionErrors } from './errors.ts'
import { openTarget } from './open-target.ts'

export interface CleanRequest {
  readonly target: string
  readonly resultsFolder: string
  /** Also delete Modes that carry the name of a run of which no folder is left here. */
  readonly includesOrphans: boolean
  readonly env: Readonly<Record<string, string | undefined>>
}

export interface CleanedModes {
  readonly settled: readonly Settlement[]
  /** Names of Modes that look like ours and belong to no run folder; still there. */
  readonly orphans: readonly string[]
  /** Runs that are still going on; nothing of theirs was touched. */
  readonly livingRuns: readonly string[]
}

/**
 * Gives back what dead runs left on a server: by their mode lines, and with `includesOrphans` by name.
 *
 * @throws BenchError when the target does not answer or a run folder cannot be read
 */
export async function cleanModes(request: CleanRequest): Promise<CleanedModes> {
  await using target = await openTarget({
    ...request,
    clock: systemClock,
    connections: 1,
    readableFolders: [],
  })
  const listed = await target.connection.listModes()
  if (!listed.ok) {
    throw sessionErrors.make('TARGET_UNREACHABLE', {
      message: `the Modes of ${target.description} cannot be listed: ${describeFailure(listed.failure)}`,
      hint: `see what the target says: asrbench doctor ${request.target}`,
    })
  }
  const { modes } = listed.value
  const settled: Settlement[] = []
  const livingRuns: string[] = []
  const ownedNames = new Set<string>()
  for (const folder of await listRuns(request.resultsFolder)) {
    const leases = openLeases(await readModeLines(folder))
    for (const lease of leases) ownedNames.add(lease.name)
    const { pid, status } = await readRecord(folder)
    if (leases.length > 0 && status === 'started' && isAlive(pid)) {
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
  const orphans = modes.filter((mode) => isTemporaryModeName(mode.name) && !ownedNames.has(mode.name))
  if (!request.includesOrphans) return { settled, orphans: orphans.map((mode) => mode.name), livingRuns }
  for (const { id: modeId, name } of orphans) {
    settled.push(await settleLease(target.connection, { kind: 'created', lease: name, modeId, name }, modes))
  }
  return { settled, orphans: [], livingRuns }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // No such process; any other answer means that there is one, of somebody else.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}
