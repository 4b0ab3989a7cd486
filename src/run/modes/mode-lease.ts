import type { Connection } from '#client'
import {
  describeFailure,
  type Mode,
  type ModelEntry,
  type ModePatch,
  type RequestFailure,
  type WritableModeField,
} from '#contract'
import type { RunWriter } from '#journal'
import type { BenchError, Outcome } from '#prelude'
import { runErrors } from '../errors.ts'
import {
  copiedFields,
  fieldsBefore,
  isSame,
  type ModeRequest,
  patchFor,
  temporaryModeFields,
} from './mode-fields.ts'
import { leftOf, type Restoration, restoreMode } from './mode-restore.ts'

/** A Mode that a run uses and gives back. */
export interface ModeLease {
  readonly modeId: string
  /** The Mode as the server answered it. */
  readonly mode: Mode
  /**
   * Deletes the temporary Mode, or puts the patched fields back where no other client has changed them since.
   *
   * @returns null, or why something is left behind on the server
   */
  release(): Promise<string | null>
}

export interface LeaseInput {
  readonly connection: Connection
  readonly writer: Pick<RunWriter, 'appendMode'>
  readonly models: readonly ModelEntry[]
  readonly contenderId: string
  readonly request: ModeRequest
  /** Name of an existing Mode to patch, or null for a temporary one. */
  readonly namedMode: string | null
  /** True: the named Mode is not touched; a temporary copy of it is used. */
  readonly isCopied: (named: Mode) => boolean
  /** Unique on the server: see `temporaryModeName`. */
  readonly temporaryName: string
  /** The command that asks the target what it has. */
  readonly doctor: string
}

/**
 * Creates a temporary Mode, or patches the named one, journalled before the server is asked.
 *
 * @throws BenchError MODE_UNAVAILABLE
 */
export async function leaseMode(input: LeaseInput): Promise<ModeLease> {
  if (input.namedMode === null) {
    return createTemporary(input, temporaryModeFields(input.request, input.models))
  }
  const mode = await findMode(input, input.namedMode)
  const patch = patchFor(mode, input.request, input.models)
  if (input.isCopied(mode) || !(await canClearNull(input, mode, patch))) {
    // Where a field that was null could not be made null again, the named Mode is copied as well.
    return createTemporary(input, { ...copiedFields(mode), ...patch })
  }
  return patchNamed(input, mode, patch)
}

async function createTemporary(input: LeaseInput, fields: ModePatch): Promise<ModeLease> {
  const { connection, writer, temporaryName: name } = input
  const lease = input.contenderId
  await writer.appendMode({ kind: 'creating', lease, name })
  const created = await connection.createMode({ ...fields, name })
  if (!created.ok)
    throw unavailable(input, `could not be created: ${describeFailure(created.failure)}`, created.failure)
  const { mode } = created.value
  await writer.appendMode({ kind: 'created', lease, mode }).catch(async (error: unknown) => {
    await deleteMode(connection, mode.id)
    throw error
  })
  return {
    modeId: mode.id,
    mode,
    release: async () => closeLease(input, await deleteMode(connection, mode.id)),
  }
}

async function patchNamed(input: LeaseInput, before: Mode, patch: ModePatch): Promise<ModeLease> {
  const { connection, writer, contenderId: lease } = input
  await writer.appendMode({ kind: 'patching', lease, before, patch })
  const patched = await connection.patchMode(before.id, patch)
  if (!patched.ok) {
    // The patch may have been applied although its answer was lost: restore the fields that show it.
    await closeRestored(input, await restoreMode(connection, before, patch))
    throw unavailable(input, `could not be patched: ${describeFailure(patched.failure)}`, patched.failure)
  }
  const after = patched.value.mode
  await writer.appendMode({ kind: 'patched', lease, after }).catch(async (error: unknown) => {
    await restoreMode(connection, before, patch)
    throw error
  })
  return {
    modeId: before.id,
    mode: after,
    release: async () => closeRestored(input, await restoreMode(connection, before, patch)),
  }
}

/** A field that another client has changed stays as it is: another attempt would only meet later changes. */
function closeRestored(input: LeaseInput, restoration: Restoration): Promise<string | null> {
  return closeLease(input, leftOf(restoration), restoration.kind !== 'failed')
}

async function closeLease(
  { writer, contenderId: lease }: LeaseInput,
  left: string | null,
  isClosed = left === null,
): Promise<string | null> {
  await writer.appendMode(
    isClosed ? { kind: 'released', lease, note: left } : { kind: 'left', lease, reason: left ?? '' },
  )
  return left
}

/** Deletes a Mode; one that is already gone counts as deleted. */
export async function deleteMode(connection: Connection, id: string): Promise<string | null> {
  const deleted = await connection.deleteMode(id)
  if (deleted.ok) return null
  const isGone = deleted.failure.kind === 'refused' && deleted.failure.code === 'MODE_NOT_FOUND'
  return isGone ? null : `could not be deleted: ${describeFailure(deleted.failure)}`
}

async function findMode(input: LeaseInput, name: string): Promise<Mode> {
  const listed = await input.connection.listModes()
  if (!listed.ok)
    throw unavailable(input, `could not be looked up: ${describeFailure(listed.failure)}`, listed.failure)
  const found = listed.value.modes.find((mode) => mode.name.toLowerCase() === name.toLowerCase())
  if (found !== undefined) return found
  const names = listed.value.modes.map((mode) => `"${mode.name}"`).join(', ')
  throw runErrors.make('MODE_UNAVAILABLE', {
    message: `the target has no Mode "${name}" (contender ${input.contenderId})`,
    hint: `its Modes are ${names}; leave "mode" out of the config to use a temporary one`,
  })
}

/** The lease of the trial that is made for a contender. */
export function nullTrialOf(contenderId: string): string {
  return `${contenderId} null trial`
}

/**
 * Tries on a temporary copy whether this server can make the fields null again that were null before a patch. Windows builds
 * cannot, and a build may be able to for one field and not for another.
 */
async function canClearNull(input: LeaseInput, mode: Mode, patch: ModePatch): Promise<boolean> {
  const cleared = Object.entries(fieldsBefore(mode, patch)).filter(([, value]) => value === null)
  if (cleared.length === 0) return true
  const trial: LeaseInput = {
    ...input,
    contenderId: nullTrialOf(input.contenderId),
    temporaryName: `${input.temporaryName} null trial`,
  }
  const lease = await createTemporary(trial, { ...copiedFields(mode), ...patch })
  try {
    const patched: Outcome<{ readonly mode: Mode }, RequestFailure> = await input.connection.patchMode(
      lease.modeId,
      Object.fromEntries(cleared),
    )
    return (
      patched.ok && cleared.every(([field]) => isSame(patched.value.mode[field as WritableModeField], null))
    )
  } finally {
    await lease.release()
  }
}

function unavailable(input: LeaseInput, what: string, failure: RequestFailure): BenchError {
  const serverHint = failure.kind === 'refused' ? failure.hint : null
  return runErrors.make('MODE_UNAVAILABLE', {
    message: `the Mode for ${input.contenderId} ${what}`,
    hint: serverHint ?? `see what the target says: ${input.doctor}`,
  })
}
