import type { Connection } from '#client'
import { describeFailure, type Mode, type ModePatch, type WritableModeField } from '#contract'
import { fieldsBefore, isSame } from './mode-fields.ts'

/** What became of the patched fields of a Mode. */
export type Restoration =
  | { readonly kind: 'restored' }
  /** Another client changed these fields after our patch: they stay as they are. */
  | { readonly kind: 'foreign'; readonly fields: readonly string[] }
  /** The Mode is still as the run left it, as a whole or in some fields: another attempt may succeed. */
  | { readonly kind: 'failed'; readonly reason: string }

/** What a restoration left behind on the server, in words, or null. */
export function leftOf(restoration: Restoration): string | null {
  if (restoration.kind === 'restored') return null
  if (restoration.kind === 'failed') return restoration.reason
  return `changed by another client meanwhile: ${restoration.fields.join(', ')}`
}

/**
 * Puts the patched fields of a Mode back, one by one, where they still hold what the patch set. A field
 * that another client has changed meanwhile stays as it is.
 */
export async function restoreMode(
  connection: Connection,
  before: Mode,
  patch: ModePatch,
): Promise<Restoration> {
  const current = await connection.getMode(before.id)
  if (!current.ok) return { kind: 'failed', reason: `could not be read: ${describeFailure(current.failure)}` }
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
    if (!written.ok)
      return { kind: 'failed', reason: `could not be restored: ${describeFailure(written.failure)}` }
    const kept = restored
      .filter(([field, value]) => !isSame(written.value.mode[field as WritableModeField], value))
      .map(([field]) => field)
    if (kept.length > 0)
      return {
        kind: 'failed',
        reason: `could not be restored: the server keeps other values of ${kept.join(', ')}`,
      }
  }
  return foreign.length === 0 ? { kind: 'restored' } : { kind: 'foreign', fields: foreign }
}
