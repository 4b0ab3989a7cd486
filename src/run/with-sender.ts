import { dirname } from 'node:path'
import type { BenchConfig, ContenderConfig } from '#config/bench-config'
import { describeFailure, isBillable } from '#contract/failures'
import { temporaryModeName } from '#contract/modes'
import { readModeLines } from '#journal/run-reader'
import type { RunWriter } from '#journal/run-writer'
import type { Clock } from '#load/clock'
import { BenchError, fingerprint } from '#prelude'
import { cleanCommand, doctorCommand } from './commands.ts'
import { cappedSender } from './execute/billing.ts'
import { runErrors } from './execute/errors.ts'
import type { RunEvent } from './execute/lane.ts'
import {
  leaseMode,
  type ModeLease,
  nameNullTrial,
  type OpenLease,
  openLeases,
  settleLease,
} from './execute/modes.ts'
import {
  postProcessSender,
  routedSender,
  type Sender,
  type SenderPart,
  serverSender,
  transcriptionSender,
} from './execute/senders.ts'
import { isRunAlive, markRun, runsThatMayHoldModes, stageCopies, unmarkRun } from './leftovers.ts'
import type { RunSegment } from './live-run.ts'
import { postProcessOptions } from './plan/contenders.ts'
import type { MeasurePlan, PlannedTarget } from './plan/measure-plan.ts'
import { type AnyTarget, isServer } from './target/open-server.ts'
import type { OpenTarget } from './target/open-target.ts'

export interface SenderInput {
  readonly config: Pick<BenchConfig, 'maxBilledMinutes'>
  readonly plan: MeasurePlan
  /** In the order of the plan's. */
  readonly targets: readonly AnyTarget[]
  readonly writer: RunWriter
  readonly segment: RunSegment
  readonly clock: Clock
  readonly env: Readonly<Record<string, string | undefined>>
  readonly onEvent: (event: RunEvent) => void
}

/**
 * Prepares what every target needs (copies of recordings, Modes), does the work with a sender to them, and takes back
 * everything that was prepared, however the work ended.
 */
export async function withSender<Value>(
  input: SenderInput,
  work: (sender: Sender) => Promise<Value>,
): Promise<Value> {
  const { plan, segment, config, clock } = input
  const billedIds = new Set(plan.bills.map(({ contenderId }) => contenderId))
  const capped = (sender: Sender): Sender =>
    billedIds.size === 0
      ? sender
      : cappedSender(sender, {
          billedIds,
          maxMinutes: config.maxBilledMinutes,
          sentSeconds: sentSeconds(segment, billedIds),
          clock,
        })
  return withParts(input, [], (parts) => {
    const [only, ...others] = parts
    return work(capped(only !== undefined && others.length === 0 ? only.sender : routedSender(parts)))
  })
}

/** Prepares one target after the other, and takes back in reverse. */
function withParts<Value>(
  input: SenderInput,
  parts: readonly SenderPart[],
  work: (parts: readonly SenderPart[]) => Promise<Value>,
): Promise<Value> {
  const planned = input.plan.targets[parts.length]
  const target = input.targets[parts.length]
  if (planned === undefined || target === undefined) return work(parts)
  const contenderIds = planned.contenders.map(({ id }) => id)
  return withTarget(input, { planned, target }, (sender) =>
    withParts(input, [...parts, { contenderIds, sender }], work),
  )
}

async function withTarget<Value>(
  { plan: { corpus }, writer, segment, env, onEvent }: SenderInput,
  { planned, target }: { readonly planned: PlannedTarget; readonly target: AnyTarget },
  work: (sender: Sender) => Promise<Value>,
): Promise<Value> {
  const { contenders } = planned
  if (isServer(target)) {
    return work(serverSender({ server: target.server, utterances: corpus.utterances, contenders }))
  }
  const { texts } = corpus
  if (texts !== null) {
    const options = await postProcessOptions(contenders, target)
    return work(postProcessSender({ connection: target.connection, texts, options }))
  }
  await using staged = await stageCopies({ ...planned, corpus }, writer.folder)
  const { sendables } = staged
  const { connection } = target
  const leasing = { plan: planned, target, writer, isResumed: segment.number > 0, env, onEvent }
  return await withLeases(leasing, (leases) => work(transcriptionSender({ connection, sendables, leases })))
}

/** Audio that earlier segments sent to billed contenders, according to the journal. */
function sentSeconds({ attempts }: RunSegment, billedIds: ReadonlySet<string>): number {
  return attempts
    .filter(
      ({ contenderId, outcome }) => billedIds.has(contenderId) && (outcome.ok || isBillable(outcome.failure)),
    )
    .reduce((sum, { audioSeconds }) => sum + audioSeconds, 0)
}

interface LeasesInput {
  readonly plan: Pick<PlannedTarget, 'contenders'>
  readonly target: OpenTarget
  readonly writer: RunWriter
  /** The run has died before, perhaps without giving its Modes back. */
  readonly isResumed: boolean
  readonly env: Readonly<Record<string, string | undefined>>
  readonly onEvent: (event: RunEvent) => void
}

/**
 * Leases one Mode for each contender, does the work, and gives all of them back however the work ended.
 * What cannot be given back is reported as an event; the run's mode lines keep it for `transcribench modes clean`.
 */
async function withLeases<Value>(
  input: LeasesInput,
  work: (leases: ReadonlyMap<string, ModeLease>) => Promise<Value>,
): Promise<Value> {
  const { target, writer, env } = input
  const leases = new Map<string, ModeLease>()
  // The built-in service takes its Modes with it; nothing of a person's can be left there.
  const isLasting = target.kind !== 'embedded'
  const held = await modesHeldByOthers(writer.folder, env)
  const unwritten = isLasting ? await markRun(writer.folder, env) : null
  if (unwritten !== null) input.onEvent({ kind: 'markUnwritten', ...unwritten })
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
      if (reason === null || !isLasting) continue
      const isOpen = (await readOpenLeases(writer).catch(() => [])).some(({ lease }) => lease === contenderId)
      const clean = isOpen ? cleanCommand(target.named, dirname(writer.folder)) : null
      input.onEvent({ kind: 'modeLeft', contenderId, reason, clean })
    }
    // Where the mode lines cannot be read any more, as on a full disk, the mark stays.
    const left = await readOpenLeases(writer).catch(() => null)
    if (isLasting && left?.length === 0) await unmarkRun(writer.folder, env)
  }
}

async function readOpenLeases({ folder }: RunWriter): Promise<readonly OpenLease[]> {
  return openLeases(await readModeLines(folder))
}

async function lease(
  input: LeasesInput,
  contender: ContenderConfig,
  heldIds: ReadonlySet<string>,
): Promise<ModeLease> {
  const { engine, model, language, settings, mode } = contender
  const { writer } = input
  const leased = await leaseMode({
    connection: input.target.connection,
    writer,
    models: input.target.models,
    contenderId: contender.id,
    request: { engine, model, language, settings },
    namedMode: mode,
    isCopied: (named) => isShared(input.plan.contenders, named.name) || heldIds.has(named.id),
    temporaryName: temporaryModeName(
      { runId: writer.id, mark: fingerprint(writer.folder).slice(0, 4) },
      contender.id,
    ),
    doctor: doctorCommand({ target: input.target.named }),
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
 * Restores what an earlier segment left on the server, so that this segment finds the Modes in their original state.
 *
 * @throws BenchError MODE_UNAVAILABLE
 */
async function giveBackEarlier({ plan, target, writer, onEvent }: LeasesInput): Promise<void> {
  const ids = plan.contenders.map(({ id }) => id)
  // A run with several targets has leases on each.
  const leases = (await readOpenLeases(writer)).filter(({ lease }) =>
    ids.some((id) => lease === id || lease === nameNullTrial(id)),
  )
  if (leases.length === 0) return
  const listed = await target.connection.listModes()
  if (!listed.ok) throw notGivenBack(describeFailure(listed.failure), target)
  for (const lease of leases.toReversed()) {
    const { outcome, reason } = await settleLease(target.connection, lease, listed.value.modes)
    if (outcome === 'failed') throw notGivenBack(`"${lease.name}" ${reason}`, target)
    if (reason !== null) onEvent({ kind: 'modeLeft', contenderId: lease.lease, reason, clean: null })
    await writer.appendMode({ kind: 'released', lease: lease.lease, note: 'transcribench run --resume' })
  }
}

function notGivenBack(reason: string, { named }: OpenTarget): Error {
  return runErrors.make('MODE_UNAVAILABLE', {
    message: `a Mode that the run had left on the target could not be given back: ${reason}`,
    hint: `see what the target says: ${doctorCommand({ target: named })}; then go on with the run by the same command`,
  })
}

/** One Mode cannot be patched for two contenders at once: each gets a temporary copy of it. */
function isShared(contenders: readonly ContenderConfig[], name: string): boolean {
  return contenders.filter((contender) => contender.mode?.toLowerCase() === name.toLowerCase()).length > 1
}

/**
 * Ids of the Modes that other living runs of this user have patched. To patch one of them again would
 * end with one run restoring what the other had set.
 */
async function modesHeldByOthers(runFolder: string, env: LeasesInput['env']): Promise<ReadonlySet<string>> {
  const ids = new Set<string>()
  for (const other of await runsThatMayHoldModes(dirname(runFolder), env)) {
    if (other === runFolder) continue
    for (const id of await patchedBy(other)) ids.add(id)
  }
  return ids
}

/** Ids of the Modes that a living run has patched. A folder that cannot be read is no reason not to measure. */
async function patchedBy(runFolder: string): Promise<readonly string[]> {
  try {
    const ids = openLeases(await readModeLines(runFolder)).flatMap((lease) =>
      lease.kind === 'patched' ? [lease.modeId] : [],
    )
    return ids.length > 0 && (await isRunAlive(runFolder)) ? ids : []
  } catch (error) {
    if (error instanceof BenchError) return []
    throw error
  }
}
