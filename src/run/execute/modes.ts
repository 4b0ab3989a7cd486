import type { Connection } from '#client/connection'
import { describeFailure, type RequestFailure } from '#contract/failures'
import type { Mode, ModePatch, WritableModeField } from '#contract/modes'
import type { ModelEntry } from '#contract/resources'
import type { ModeLine } from '#journal/mode-line'
import type { RunWriter } from '#journal/run-writer'
import type { BenchError } from '#prelude'
import { runErrors } from './errors.ts'
import { findModel } from './readiness.ts'

/** A Mode that a run uses and then restores or deletes. */
export interface ModeLease {
  readonly modeId: string
  /** The Mode as the server returned it. */
  readonly mode: Mode
  /**
   * Deletes the temporary Mode, or restores the patched fields that no other client has changed since.
   *
   * @returns null, or why something is left behind on the server
   */
  release(): Promise<string | null>
}

/** A contender that uses a Mode of a server. */
interface ModeUser {
  readonly connection: Connection
  readonly contenderId: string
  /** Command that checks the target. */
  readonly doctor: string
}

export interface LeaseInput extends ModeUser {
  readonly writer: Pick<RunWriter, 'appendMode'>
  readonly models: readonly ModelEntry[]
  readonly request: ModeRequest
  /** Name of an existing Mode to patch, or null for a temporary one. */
  readonly namedMode: string | null
  /** Whether to leave the named Mode unchanged and use a temporary copy of it. */
  readonly isCopied: (named: Mode) => boolean
  /** Name that is unique on the server: see `temporaryModeName`. */
  readonly temporaryName: string
}

/**
 * Creates a temporary Mode, or patches the named one; the journal gets its line before the server is called.
 *
 * @throws BenchError MODE_UNAVAILABLE
 */
export async function leaseMode(input: LeaseInput): Promise<ModeLease> {
  if (input.namedMode === null) {
    const { request, models } = input
    const fields = { language: 'auto', ...selection(request, models), ...request.settings }
    return createTemporary(input, { ...plainTranscription, ...fields })
  }
  const mode = await findMode(input, input.namedMode)
  const patch = patchFor(mode, input.request, input.models)
  if (input.isCopied(mode) || !(await canClearNull(input, mode, patch))) {
    // The named Mode is also copied if a field that was null could not be made null again.
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
    // The patch may have been applied although its answer was lost, so changed fields are restored.
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

/** Closes a lease. A field that another client changed is final: a retry would only meet later changes. */
function closeRestored(input: LeaseInput, { outcome, reason }: Restoration): Promise<string | null> {
  return closeLease(input, reason, outcome !== 'failed')
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
async function deleteMode(connection: Connection, id: string): Promise<string | null> {
  const deleted = await connection.deleteMode(id)
  if (deleted.ok) return null
  const isGone = deleted.failure.kind === 'refused' && deleted.failure.code === 'MODE_NOT_FOUND'
  return isGone ? null : `could not be deleted: ${describeFailure(deleted.failure)}`
}

/** @throws BenchError MODE_UNAVAILABLE */
export async function findMode(input: ModeUser, name: string): Promise<Mode> {
  const listed = await input.connection.listModes()
  if (!listed.ok)
    throw unavailable(input, `could not be looked up: ${describeFailure(listed.failure)}`, listed.failure)
  const found = listed.value.modes.find((mode) => mode.name.toLowerCase() === name.toLowerCase())
  if (found !== undefined) return found
  const names = listed.value.modes.map((mode) => `"${mode.name}"`).join(', ')
  throw runErrors.make('MODE_UNAVAILABLE', {
    message: `the target has no Mode "${name}" (contender ${input.contenderId})`,
    hint: `its Modes are ${names}; or leave "mode" out of the config`,
  })
}

export function nameNullTrial(contenderId: string): string {
  return `${contenderId} null trial`
}

/**
 * Tests on a temporary copy whether this server can set fields back to null that were null before a patch. Windows
 * builds cannot, and a build may support it for some fields only.
 */
async function canClearNull(input: LeaseInput, mode: Mode, patch: ModePatch): Promise<boolean> {
  const cleared = Object.entries(fieldsBefore(mode, patch)).filter(([, value]) => value === null)
  if (cleared.length === 0) return true
  const trial: LeaseInput = {
    ...input,
    contenderId: nameNullTrial(input.contenderId),
    temporaryName: `${input.temporaryName} null trial`,
  }
  const lease = await createTemporary(trial, { ...copiedFields(mode), ...patch })
  try {
    const patched = await input.connection.patchMode(lease.modeId, Object.fromEntries(cleared))
    return (
      patched.ok && cleared.every(([field]) => isSame(patched.value.mode[field as WritableModeField], null))
    )
  } finally {
    await lease.release()
  }
}

function unavailable(input: ModeUser, problem: string, failure: RequestFailure): BenchError {
  const serverHint = failure.kind === 'refused' ? failure.hint : null
  return runErrors.make('MODE_UNAVAILABLE', {
    message: `the Mode for ${input.contenderId} ${problem}`,
    hint: serverHint ?? `see what the target says: ${input.doctor}`,
  })
}

/** The fields of a Mode that a contender sets. */
interface ModeRequest {
  readonly engine: string | null
  readonly model: string | null
  /** Null leaves the language of a named Mode unchanged; a temporary Mode then has `auto`. */
  readonly language: string | null
  readonly settings: ModePatch
}

/** A plain transcription: the text is neither rewritten nor cut nor sent to a language model. */
const plainTranscription: ModePatch = {
  preset: 'custom',
  punctuation: true,
  capitalization: true,
  profanityFilter: false,
  customInstructions: null,
  userSystemPrompt: null,
  postProcessingMode: 0,
  englishSpelling: null,
  useStreamingTranscription: false,
  removeTrailingPeriod: false,
  enableScreenOCR: false,
  vendorCustomPrompt: null,
  customVocabulary: [],
}

/**
 * The fields of a named Mode that differ from what the contender sets. A field that this build's Modes do not have is
 * omitted, because setting it could not be verified.
 */
function patchFor(mode: Mode, request: ModeRequest, models: readonly ModelEntry[]): ModePatch {
  const fields = { ...selection(request, models), ...request.settings }
  return Object.fromEntries(
    Object.entries(fields).filter(
      ([field, value]) => field in mode && !isSame(mode[field as WritableModeField], value),
    ),
  )
}

/** The fields for engine, model and language; a cloud model has separate fields. */
function selection(request: ModeRequest, models: readonly ModelEntry[]): ModePatch {
  const { engine, model } = request
  const language = request.language === null ? {} : { language: request.language }
  if (model === null) return language
  const entry = findModel(request, models)
  if (entry === undefined || entry.provider === 'local') {
    return { ...language, model, ...(engine === null ? {} : { localEngine: engine }) }
  }
  return { ...language, model: 'cloud', cloudProvider: entry.provider, cloudTranscriptionModel: model }
}

/** The old values of the fields that a patch changes. */
function fieldsBefore(mode: Mode, patch: ModePatch): ModePatch {
  return Object.fromEntries(
    Object.keys(patch).map((field) => [field, mode[field as WritableModeField] ?? null]),
  )
}

/** The fields of a Mode that only the server writes. */
const ofServer: readonly string[] = ['id', 'isSystemProvided', 'createdDate', 'modifiedDate', 'isDefault']

/** The writable fields of a Mode, for a copy of it. */
function copiedFields(mode: Mode): ModePatch {
  return Object.fromEntries(Object.entries(mode).filter(([field]) => !ofServer.includes(field)))
}

function isSame(left: unknown, right: unknown): boolean {
  return JSON.stringify(left ?? null) === JSON.stringify(right ?? null)
}

/**
 * The result of restoring the patched fields of a Mode. `foreign` fields were changed by another client after the
 * patch, and stay as they are. After `failed`, all or some fields are still patched, and a retry may succeed.
 */
interface Restoration {
  readonly outcome: 'restored' | 'foreign' | 'failed'
  /** What is left behind on the server, in words; null for nothing. */
  readonly reason: string | null
}

/**
 * Restores the patched fields of a Mode one by one if they still have the patched value. A field that another client
 * has changed meanwhile stays as it is.
 */
async function restoreMode(connection: Connection, before: Mode, patch: ModePatch): Promise<Restoration> {
  const failed = (reason: string): Restoration => ({ outcome: 'failed', reason })
  const current = await connection.getMode(before.id)
  if (!current.ok) return failed(`could not be read: ${describeFailure(current.failure)}`)
  const now = current.value.mode
  const old = fieldsBefore(before, patch)
  const restored: [string, unknown][] = []
  const foreign: string[] = []
  for (const field of Object.keys(patch) as WritableModeField[]) {
    if (isSame(now[field], old[field])) continue
    if (isSame(now[field], patch[field])) restored.push([field, old[field]])
    else foreign.push(field)
  }
  if (restored.length > 0) {
    const written = await connection.patchMode(before.id, Object.fromEntries(restored) as ModePatch)
    if (!written.ok) return failed(`could not be restored: ${describeFailure(written.failure)}`)
    const unrestored = restored
      .filter(([field, value]) => !isSame(written.value.mode[field as WritableModeField], value))
      .map(([field]) => field)
    if (unrestored.length > 0)
      return failed(`could not be restored: the server keeps other values of ${unrestored.join(', ')}`)
  }
  if (foreign.length === 0) return { outcome: 'restored', reason: null }
  return { outcome: 'foreign', reason: `changed by another client meanwhile: ${foreign.join(', ')}` }
}

/** A Mode that a run created or patched and has not restored. */
export interface OpenLease {
  readonly lease: string
  readonly name: string
  /** Null if the run died before the server's answer, so that only the name of the Mode is known. */
  readonly modeId: string | null
  /** The Mode before the patch, and the patch; null for a temporary Mode. */
  readonly patched: { readonly before: Mode; readonly patch: ModePatch } | null
}

/** The leases that a run still has to restore, derived from its mode lines. */
export function openLeases(lines: readonly ModeLine[]): OpenLease[] {
  const open = new Map<string, OpenLease>()
  for (const line of lines) {
    const { lease } = line
    if (line.kind === 'creating') open.set(lease, { lease, name: line.name, modeId: null, patched: null })
    if (line.kind === 'created') {
      open.set(lease, { lease, name: line.mode.name, modeId: line.mode.id, patched: null })
    }
    if (line.kind === 'patching') {
      open.set(lease, { lease, name: line.before.name, modeId: line.before.id, patched: line })
    }
    if (line.kind === 'released') open.delete(lease)
  }
  return [...open.values()]
}

/** The Mode of an open lease among those of a server; undefined on another server, and if it was deleted. */
export function findLeased({ modeId, name }: OpenLease, modes: readonly Mode[]): Mode | undefined {
  return modes.find((mode) => (modeId === null ? mode.name === name : mode.id === modeId))
}

/** The result of restoring or deleting the Mode of an open lease. `failed` ones stay open and can be tried again. */
export interface Cleanup {
  readonly lease: string
  readonly name: string
  readonly outcome: Restoration['outcome'] | 'deleted' | 'gone'
  /** Reason, if something is left on the server. */
  readonly reason: string | null
}

/**
 * Restores or deletes one Mode of a dead run.
 *
 * @param modes the current Modes of the server
 */
export async function cleanUpLease(
  connection: Connection,
  open: OpenLease,
  modes: readonly Mode[],
): Promise<Cleanup> {
  const { lease, name, patched } = open
  const found = findLeased(open, modes)
  if (found === undefined) return { lease, name, outcome: 'gone', reason: null }
  if (patched !== null)
    return { lease, name, ...(await restoreMode(connection, patched.before, patched.patch)) }
  const reason = await deleteMode(connection, found.id)
  return { lease, name, outcome: reason === null ? 'deleted' : 'failed', reason }
}
