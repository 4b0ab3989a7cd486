import { randomUUID } from 'node:crypto'
import { constants, copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { uptime } from 'node:os'
import { basename, dirname, extname, isAbsolute, join } from 'node:path'
import { clientErrors } from '#client/errors'
import { describeFailure } from '#contract/failures'
import { runOfModeName } from '#contract/modes'
import type { VerifiedUtterance } from '#corpus/utterance'
import { homeDirectory } from '#installation/installation'
import type { ModeLine } from '#journal/mode-line'
import { listRuns, readModeLines, readRecord, readStagedFolders } from '#journal/run-reader'
import { appendModeLines, appendStagingLine } from '#journal/run-writer'
import { systemClock } from '#load/clock'
import { BenchError, fingerprint } from '#prelude'
import { processStart } from '#telemetry/processes'
import { doctorCommand } from './commands.ts'
import { runErrors } from './execute/errors.ts'
import { findLeased, type OpenLease, openLeases, type Settlement, settleLease } from './execute/modes.ts'
import type { TranscriptionSending, Way } from './execute/senders.ts'
import type { Route } from './execute/transport.ts'
import type { MeasurePlan, PlannedTarget } from './plan/measure-plan.ts'
import { openTarget } from './target/open-target.ts'

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

/** The utterances of a plan, ready to be sent. Disposing removes the copies that were made. */
interface StagedUtterances extends AsyncDisposable {
  /** By contender. */
  readonly sendables: TranscriptionSending['sendables']
}

/** Where the name of every folder of copies begins; nothing else is ever removed. */
const folderPrefix = 'transcribench-staged-'

/**
 * Makes the copies that a plan needs, in one new folder that the journal knows before it exists. Where copies are
 * only a way to fall back on, they are made as well: in the middle of a run they would disturb it.
 *
 * @param runFolder where the journal of the run is
 * @throws BenchError STAGING_FAILED; nothing is left behind then
 */
export async function stageCopies(
  plan: Pick<MeasurePlan, 'corpus'> & Pick<PlannedTarget, 'routes' | 'stagingFolder'>,
  runFolder: string,
): Promise<StagedUtterances> {
  const { stagingFolder, corpus } = plan
  const isStaged = (utterance: VerifiedUtterance): boolean =>
    [...plan.routes.values()].some((routes) =>
      routes.of(utterance).some(({ transport }) => transport === 'staged'),
    )
  const wanted = stagingFolder === null ? [] : corpus.utterances.filter(isStaged)
  const copies = new Map<string, string>()
  const folder = join(stagingFolder ?? '', `${folderPrefix}${randomUUID()}`)
  if (wanted.length > 0 && stagingFolder !== null) {
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
  }
  const utteranceById = new Map(corpus.utterances.map((utterance) => [utterance.id, utterance]))
  return {
    sendables: new Map(
      [...plan.routes].map(([contenderId, routes]) => [
        contenderId,
        (id) => {
          const utterance = utteranceById.get(id)
          if (utterance === undefined) throw new TypeError(`${id} is not in the plan`)
          const ways = listWays(routes.of(utterance), copies.get(id))
          return { ways, audioSeconds: utterance.durationSeconds, times: utterance.times }
        },
      ]),
    ),
    async [Symbol.asyncDispose]() {
      if (copies.size > 0) await removeCopies(runFolder, folder)
    },
  }
}

function listWays(routes: readonly Route[], copy: string | undefined): Way[] {
  return routes.flatMap((route): Way[] => {
    if (route.transport !== 'staged') return [route]
    return copy === undefined ? [] : [{ transport: 'staged', audio: { transport: 'path', path: copy } }]
  })
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
