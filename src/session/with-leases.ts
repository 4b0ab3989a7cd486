import { dirname } from 'node:path'
import type { ContenderConfig } from '#config'
import { describeFailure, temporaryModeName } from '#contract'
import { listRuns, type RunWriter, readModeLines } from '#journal'
import { leaseMode, type ModeLease, openLeases, type RunEvent, runErrors, settleLease } from '#run'
import type { MeasurePlan } from './measure-plan.ts'
import { cleanCommand, doctorCommand } from './next-commands.ts'
import type { OpenTarget } from './open-target.ts'
import { isRunAlive } from './run-life.ts'

export interface LeasesInput {
  readonly plan: Pick<MeasurePlan, 'contenders'>
  readonly runId: string
  readonly target: OpenTarget
  readonly writer: RunWriter
  /** The run has died before, perhaps without giving its Modes back. */
  readonly isResumed: boolean
  readonly onEvent: (event: RunEvent) => void
}

/**
 * Leases one Mode for each contender, does the work, and gives all of them back however the work ended.
 * What cannot be given back is reported as an event; the run's mode lines keep it for `asrbench modes clean`.
 */
export async function withLeases<Value>(
  input: LeasesInput,
  work: (leases: ReadonlyMap<string, ModeLease>) => Promise<Value>,
): Promise<Value> {
  const leases = new Map<string, ModeLease>()
  const held = await modesHeldByOthers(input.writer.folder)
  if (input.isResumed) await giveBackEarlier(input)
  try {
    for (const contender of input.plan.contenders)
      leases.set(contender.id, await lease(input, contender, held))
    return await work(leases)
  } finally {
    // In reverse, so that a Mode that was patched twice ends as it was before the first patch.
    for (const [contenderId, held] of [...leases].reverse()) {
      const reason = await held
        .release()
        .catch((error: unknown) => `what became of it could not be written down: ${(error as Error).message}`)
      // The built-in service takes its Modes with it; nothing of a person's can be left there.
      if (reason !== null && input.target.kind !== 'embedded')
        input.onEvent({
          kind: 'modeLeft',
          contenderId,
          reason,
          clean: cleanCommand(input.target.named, dirname(input.writer.folder)),
        })
    }
  }
}

async function lease(
  input: LeasesInput,
  contender: ContenderConfig,
  heldNames: ReadonlySet<string>,
): Promise<ModeLease> {
  const { engine, model, language, settings } = contender
  const { mode } = contender
  const leased = await leaseMode({
    connection: input.target.connection,
    writer: input.writer,
    models: input.target.models,
    contenderId: contender.id,
    request: { engine, model, language, settings },
    namedMode: mode,
    isCopied: mode !== null && (isShared(input.plan.contenders, mode) || heldNames.has(mode.toLowerCase())),
    temporaryName: temporaryModeName(input.runId, contender.id),
    doctor: doctorCommand({ target: input.target.named, keyFrom: null }),
  })
  input.onEvent({
    kind: 'modeReady',
    contenderId: contender.id,
    modeName: leased.mode.name,
    isTemporary: mode === null,
  })
  return leased
}

/**
 * Gives back what an earlier sitting left on the server, so that this one finds the Modes as that one had found them.
 *
 * @throws BenchError MODE_UNAVAILABLE
 */
async function giveBackEarlier({ target, writer, onEvent }: LeasesInput): Promise<void> {
  const leases = openLeases(await readModeLines(writer.folder))
  if (leases.length === 0) return
  const listed = await target.connection.listModes()
  if (!listed.ok) throw notGivenBack(describeFailure(listed.failure), target)
  for (const lease of leases.toReversed()) {
    const { outcome, reason } = await settleLease(target.connection, lease, listed.value.modes)
    if (outcome === 'failed') throw notGivenBack(`"${lease.name}" ${reason}`, target)
    if (reason !== null) onEvent({ kind: 'modeLeft', contenderId: lease.lease, reason, clean: null })
    await writer.appendMode({ kind: 'released', lease: lease.lease, note: 'asrbench run --resume' })
  }
}

function notGivenBack(reason: string, { named }: OpenTarget): Error {
  return runErrors.make('MODE_UNAVAILABLE', {
    message: `a Mode that the run had left on the target could not be given back: ${reason}`,
    hint: `see what the target says: ${doctorCommand({ target: named, keyFrom: null })}; then go on with the run by the same command`,
  })
}

/** One Mode cannot be patched for two contenders at once: each gets a temporary copy of it. */
function isShared(contenders: readonly ContenderConfig[], name: string): boolean {
  return contenders.filter((contender) => contender.mode?.toLowerCase() === name.toLowerCase()).length > 1
}

/**
 * Names, in lower case, of the Modes that other living runs of this results folder have patched. To patch one of
 * them again would end with one run restoring what the other had set.
 */
async function modesHeldByOthers(runFolder: string): Promise<ReadonlySet<string>> {
  const names = new Set<string>()
  for (const other of await listRuns(dirname(runFolder))) {
    if (other === runFolder) continue
    const patched = openLeases(await readModeLines(other)).filter(({ kind }) => kind === 'patched')
    if (patched.length === 0 || !(await isRunAlive(other))) continue
    for (const { name } of patched) names.add(name.toLowerCase())
  }
  return names
}
