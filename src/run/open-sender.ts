import { dirname } from 'node:path'
import type { BenchConfig, ContenderConfig } from '#config/bench-config'
import { describeFailure } from '#contract/failures'
import { temporaryModeName } from '#contract/modes'
import { readModeLines } from '#journal/run-reader'
import type { RunWriter } from '#journal/run-writer'
import type { Clock } from '#load/clock'
import { BenchError, fingerprint } from '#prelude'
import { cleanCommand, doctorCommand } from './commands.ts'
import { cappedSender, sentSeconds } from './execute/billing.ts'
import { runErrors } from './execute/errors.ts'
import type { RunEvent } from './execute/lane.ts'
import {
  cleanUpLease,
  findMode,
  leaseMode,
  type ModeLease,
  nameNullTrial,
  type OpenLease,
  openLeases,
} from './execute/modes.ts'
import {
  type OpenRoute,
  type PostProcessOptions,
  postProcessSender,
  routedSender,
  type Sender,
  type SenderPart,
  serverSender,
  transcriptionSender,
} from './execute/senders.ts'
import type { Route } from './execute/transport.ts'
import { markRun, runsThatMayHoldModes, stageCopies, unmarkRun } from './leftovers.ts'
import type { MeasurePlan, PlannedTarget } from './plan/measure-plan.ts'
import { isRunAlive, type RunSegment } from './segment.ts'
import { type AnyTarget, isServer } from './target/open-server.ts'
import type { OpenTarget } from './target/open-target.ts'

export interface SenderInput {
  readonly config: Pick<BenchConfig, 'maxBilledMinutes'>
  readonly plan: MeasurePlan
  /** Targets in the order of the plan. */
  readonly targets: readonly AnyTarget[]
  readonly writer: RunWriter
  readonly segment: RunSegment
  readonly clock: Clock
  readonly env: Readonly<Record<string, string | undefined>>
  readonly onEvent: (event: RunEvent) => void
}

/**
 * Prepares every target (copies of recordings, Modes), one after the other, and returns a sender to them.
 *
 * @param cleanUp reverts everything that was prepared, in reverse order, even if preparing failed
 */
export async function openSender(input: SenderInput, cleanUp: AsyncDisposableStack): Promise<Sender> {
  const { plan, segment, config, clock } = input
  const parts: SenderPart[] = []
  for (const [place, planned] of plan.targets.entries()) {
    const target = input.targets[place]
    if (target === undefined) throw new TypeError('a planned target is not open')
    const sender = await openPart(input, planned, target, cleanUp)
    parts.push({ contenderIds: planned.contenders.map(({ id }) => id), sender })
  }
  const [only, ...others] = parts
  const sender = only !== undefined && others.length === 0 ? only.sender : routedSender(parts)
  const billedIds = new Set(plan.bills.map(({ contenderId }) => contenderId))
  if (billedIds.size === 0) return sender
  const [maxMinutes, spentSeconds] = [config.maxBilledMinutes, sentSeconds(segment.attempts, billedIds)]
  return cappedSender(sender, { billedIds, maxMinutes, sentSeconds: spentSeconds, clock })
}

async function openPart(
  input: SenderInput,
  planned: PlannedTarget,
  target: AnyTarget,
  cleanUp: AsyncDisposableStack,
): Promise<Sender> {
  const { contenders, routes } = planned
  const { utterances, texts } = input.plan.corpus
  if (isServer(target)) return serverSender(target.server, utterances, contenders)
  const { connection } = target
  if (texts !== null) {
    return postProcessSender(connection, texts, await postProcessOptions(contenders, target))
  }
  const copies = await stageCopies(utterances, planned, input.writer.folder, cleanUp)
  const leases = await leaseModes(input, planned, target, cleanUp)
  const byId = new Map(utterances.map((utterance) => [utterance.id, utterance]))
  const sendables = new Map(
    [...routes].map(([contenderId, contenderRoutes]) => [
      contenderId,
      (id: string) => {
        const utterance = byId.get(id)
        if (utterance === undefined) throw new TypeError(`${id} is not in the plan`)
        const { durationSeconds: audioSeconds, times } = utterance
        return { routes: openRoutes(contenderRoutes.of(utterance), copies.get(id)), audioSeconds, times }
      },
    ]),
  )
  return transcriptionSender({ connection, sendables, leases })
}

/**
 * The post-processing options of each contender: the named Mode, unchanged, or a preset or prompt with its engine as
 * the provider. No Mode is created or patched.
 *
 * @throws BenchError WORKLOAD_UNFIT with every contender that sets what post-processing does not have;
 * MODE_UNAVAILABLE
 */
async function postProcessOptions(
  contenders: readonly ContenderConfig[],
  { connection, named }: OpenTarget,
): Promise<ReadonlyMap<string, PostProcessOptions>> {
  checkSettings(contenders)
  const doctor = doctorCommand({ target: named })
  const options = new Map<string, PostProcessOptions>()
  for (const { id, engine, model, mode, settings } of contenders) {
    const prompt = settings.userSystemPrompt ?? null
    options.set(id, {
      ...(mode === null
        ? {}
        : { mode_id: (await findMode({ connection, contenderId: id, doctor }, mode)).id }),
      ...(prompt !== null ? { prompt } : settings.preset !== undefined ? { preset: settings.preset } : {}),
      ...(mode === null && prompt === null && settings.preset === undefined ? { preset: 'hyper' } : {}),
      ...(engine === null ? {} : { provider: engine }),
      ...(model === null ? {} : { model }),
    })
  }
  return options
}

/** The fields of "settings" that a post-processing request can contain. */
const askable = ['preset', 'userSystemPrompt']

function checkSettings(contenders: readonly ContenderConfig[]): void {
  const problems = contenders.flatMap(({ id, settings }) => {
    const others = Object.keys(settings).filter((field) => !askable.includes(field))
    return [
      ...others.map((field) => ({ where: id, what: `sets ${field}` })),
      ...(settings.preset !== undefined && settings.userSystemPrompt != null
        ? [{ where: id, what: 'sets preset and userSystemPrompt, of which a request carries one' }]
        : []),
    ]
  })
  if (problems.length === 0) return
  throw runErrors.make('WORKLOAD_UNFIT', {
    message: 'a request for post-processing carries a preset or a prompt, and no other field of a Mode',
    hint: 'name a Mode that has the fields ("mode"), or leave them out',
    problems,
  })
}

function openRoutes(routes: readonly Route[], copy: string | undefined): OpenRoute[] {
  return routes.flatMap((route): OpenRoute[] => {
    if (route.transport !== 'staged') return [route]
    return copy === undefined ? [] : [{ transport: 'staged', audio: { transport: 'path', path: copy } }]
  })
}

/**
 * Leases one Mode for each contender. `cleanUp` restores all of them. A Mode that cannot be restored is reported as an
 * event; the run's mode lines keep it for `transcribench modes clean`.
 */
async function leaseModes(
  input: SenderInput,
  { contenders }: PlannedTarget,
  target: OpenTarget,
  cleanUp: AsyncDisposableStack,
): Promise<ReadonlyMap<string, ModeLease>> {
  const { writer, env, segment, onEvent } = input
  const leases = new Map<string, ModeLease>()
  // Modes of the built-in service disappear with it, so none can be left behind.
  const isLasting = target.kind !== 'embedded'
  const heldByOthers = await modesHeldByOthers(writer.folder, env)
  const unwritten = isLasting ? await markRun(writer.folder, env) : null
  if (unwritten !== null) onEvent({ kind: 'markUnwritten', ...unwritten })
  // An earlier segment may have died without restoring its Modes.
  if (segment.number > 0) await giveBackEarlier(input, contenders, target)
  cleanUp.defer(async () => {
    // Leases are released in reverse, so that a Mode that was patched twice ends as it was before the first patch.
    for (const [contenderId, leased] of [...leases].reverse()) {
      const reason = await leased
        .release()
        .catch((error: unknown) => `what became of it could not be written down: ${(error as Error).message}`)
      if (reason === null || !isLasting) continue
      const isOpen = (await readOpenLeases(writer).catch(() => [])).some(({ lease }) => lease === contenderId)
      const clean = isOpen ? cleanCommand(target.named, dirname(writer.folder)) : null
      onEvent({ kind: 'modeLeft', contenderId, reason, clean })
    }
    // If the mode lines cannot be read any more, as on a full disk, the marker stays.
    const leasesLeft = await readOpenLeases(writer).catch(() => null)
    if (isLasting && leasesLeft?.length === 0) await unmarkRun(writer.folder, env)
  })
  for (const { id: contenderId, engine, model, language, settings, mode } of contenders) {
    const leased = await leaseMode({
      connection: target.connection,
      writer,
      models: target.models,
      contenderId,
      request: { engine, model, language, settings },
      namedMode: mode,
      isCopied: (named) => isShared(contenders, named.name) || heldByOthers.has(named.id),
      temporaryName: temporaryModeName(
        { runId: writer.id, mark: fingerprint(writer.folder).slice(0, 4) },
        contenderId,
      ),
      doctor: doctorCommand({ target: target.named }),
    })
    leases.set(contenderId, leased)
  }
  return leases
}

async function readOpenLeases({ folder }: RunWriter): Promise<readonly OpenLease[]> {
  return openLeases(await readModeLines(folder))
}

/**
 * Restores what an earlier segment left on the server, so that this segment finds the Modes in their original state.
 *
 * @throws BenchError MODE_UNAVAILABLE
 */
async function giveBackEarlier(
  { writer, onEvent }: SenderInput,
  contenders: readonly ContenderConfig[],
  target: OpenTarget,
): Promise<void> {
  // A run with several targets has leases on each.
  const leases = (await readOpenLeases(writer)).filter(({ lease }) =>
    contenders.some(({ id }) => lease === id || lease === nameNullTrial(id)),
  )
  if (leases.length === 0) return
  const listed = await target.connection.listModes()
  if (!listed.ok) throw notGivenBack(describeFailure(listed.failure), target)
  for (const lease of leases.toReversed()) {
    const { outcome, reason } = await cleanUpLease(target.connection, lease, listed.value.modes)
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

/** Whether several contenders name one Mode. It cannot be patched for two at once, so each gets a temporary copy. */
function isShared(contenders: readonly ContenderConfig[], name: string): boolean {
  return contenders.filter((contender) => contender.mode?.toLowerCase() === name.toLowerCase()).length > 1
}

/**
 * Ids of the Modes that other living runs of this user have patched. If two runs patched one Mode, one of them would
 * restore the settings of the other.
 */
async function modesHeldByOthers(runFolder: string, env: SenderInput['env']): Promise<ReadonlySet<string>> {
  const ids = new Set<string>()
  for (const other of await runsThatMayHoldModes(dirname(runFolder), env)) {
    if (other === runFolder) continue
    for (const id of await patchedBy(other)) ids.add(id)
  }
  return ids
}

/** Ids of the Modes that a living run has patched; none if its folder is unreadable, to go on measuring. */
async function patchedBy(runFolder: string): Promise<readonly string[]> {
  try {
    const ids = openLeases(await readModeLines(runFolder)).flatMap(({ patched }) => patched?.before.id ?? [])
    return ids.length > 0 && (await isRunAlive(runFolder)) ? ids : []
  } catch (error) {
    if (error instanceof BenchError) return []
    throw error
  }
}
