import type { ManifestField } from './manifest-field.ts'

/** One line of a manifest, taken apart and not yet checked. */
export interface ManifestRow {
  /** From 1. */
  readonly line: number
  readonly fields: Readonly<Partial<Record<ManifestField, unknown>>>
  /** Unknown keys of the line. */
  readonly unknownKeys?: readonly string[]
  /** Whether a missing id is made from the file's name, as manifests of other projects want it. */
  readonly mayLackId: boolean
}
