import type { ContenderConfig } from '#config'
import { temporaryModeName } from '#contract'
import type { RunWriter } from '#journal'
import { leaseMode, type ModeLease, type RunEvent } from '#run'
import type { MeasurePlan } from './measure-plan.ts'
import type { OpenTarget } from './open-target.ts'

export interface LeasesInput {
  readonly plan: Pick<MeasurePlan, 'contenders'>
  readonly runId: string
  readonly target: OpenTarget
  readonly writer: RunWriter
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
  try {
    for (const contender of input.plan.contenders) leases.set(contender.id, await lease(input, contender))
    return await work(leases)
  } finally {
    // In reverse, so that a Mode that was patched twice ends as it was before the first patch.
    for (const [contenderId, held] of [...leases].reverse()) {
      const reason = await held
        .release()
        .catch((error: unknown) => `what became of it could not be written down: ${(error as Error).message}`)
      // The built-in service takes its Modes with it; nothing of a person's can be left there.
      if (reason !== null && input.target.kind !== 'embedded')
        input.onEvent({ kind: 'modeLeft', contenderId, reason })
    }
  }
}

async function lease(input: LeasesInput, contender: ContenderConfig): Promise<ModeLease> {
  const { engine, model, language, settings } = contender
  const held = await leaseMode({
    connection: input.target.connection,
    writer: input.writer,
    models: input.target.models,
    contenderId: contender.id,
    request: { engine, model, language, settings },
    namedMode: contender.mode,
    isCopied: isShared(input.plan.contenders, contender.mode),
    temporaryName: temporaryModeName(input.runId, contender.id),
  })
  input.onEvent({
    kind: 'modeReady',
    contenderId: contender.id,
    modeName: held.mode.name,
    isTemporary: contender.mode === null,
  })
  return held
}

/** One Mode cannot be patched for two contenders at once: each gets a temporary copy of it. */
function isShared(contenders: readonly ContenderConfig[], name: string | null): boolean {
  if (name === null) return false
  return contenders.filter((contender) => contender.mode?.toLowerCase() === name.toLowerCase()).length > 1
}
