import type { Connection } from '#client'
import type { Mode, ModePatch } from '#contract'
import type { ModeLine } from '#journal'
import { deleteMode } from './mode-lease.ts'
import { leftOf, restoreMode } from './mode-restore.ts'

/** A Mode that a run created or patched and has not given back. */
export type OpenLease =
  | { readonly kind: 'created'; readonly lease: string; readonly modeId: string; readonly name: string }
  /** The run died between asking for the Mode and hearing of it: only its name is known. */
  | { readonly kind: 'creating'; readonly lease: string; readonly name: string }
  | {
      readonly kind: 'patched'
      readonly lease: string
      readonly modeId: string
      readonly name: string
      readonly before: Mode
      readonly patch: ModePatch
    }

/** What a run still has to restore, derived from its mode lines. */
export function openLeases(lines: readonly ModeLine[]): OpenLease[] {
  const open = new Map<string, OpenLease>()
  for (const line of lines) {
    const { lease } = line
    if (line.kind === 'creating') open.set(lease, { kind: 'creating', lease, name: line.name })
    if (line.kind === 'created') {
      open.set(lease, { kind: 'created', lease, modeId: line.mode.id, name: line.mode.name })
    }
    if (line.kind === 'patching') {
      const { before, patch } = line
      open.set(lease, { kind: 'patched', lease, modeId: before.id, name: before.name, before, patch })
    }
    if (line.kind === 'released') open.delete(lease)
  }
  return [...open.values()]
}

/** The Mode of an open lease among those of a server; undefined on another server, and where it is gone. */
export function findLeased(open: OpenLease, modes: readonly Mode[]): Mode | undefined {
  return modes.find((mode) => (open.kind === 'creating' ? mode.name === open.name : mode.id === open.modeId))
}

/** What became of an open lease. `failed` ones stay open and can be tried again. */
export interface Settlement {
  readonly lease: string
  readonly name: string
  readonly outcome: 'deleted' | 'restored' | 'gone' | 'foreign' | 'failed'
  /** Why, where something is left on the server. */
  readonly reason: string | null
}

/**
 * Gives back one Mode of a run that is dead.
 *
 * @param modes the server's Modes as they are now
 */
export async function settleLease(
  connection: Connection,
  open: OpenLease,
  modes: readonly Mode[],
): Promise<Settlement> {
  const { lease, name } = open
  const found = findLeased(open, modes)
  if (found === undefined) return { lease, name, outcome: 'gone', reason: null }
  if (open.kind !== 'patched') {
    const reason = await deleteMode(connection, found.id)
    return { lease, name, outcome: reason === null ? 'deleted' : 'failed', reason }
  }
  const restoration = await restoreMode(connection, open.before, open.patch)
  return { lease, name, outcome: restoration.kind, reason: leftOf(restoration) }
}
