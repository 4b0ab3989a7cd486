import { z } from 'zod'
import {
  findLoad,
  type LoadConfig,
  type LoadKind,
  loadKeys,
  loadKindNames,
  loads,
  makeSchedule,
} from '#load/loads/registry'
import { type FileOf, listStandards, type Setting } from './settings.ts'

type LoadKey = keyof typeof loadKeys

const names = Object.keys(loadKeys) as LoadKey[]

/** The keys of a load in a file: one flat object, whose `kind` determines the other allowed keys. */
export const configuredLoadKeys = {
  kind: {
    parser: z.enum(loadKindNames),
    description:
      `when requests leave: ${loads.map(({ kind, words }) => `${kind} (${words})`).join(', ')}. ` +
      'If omitted, it follows from the other keys',
    expects: `one of ${loadKindNames.join(', ')}`,
    flag: { syntax: '--load <kind>', reads: 'text' },
    standard: 'closed',
  },
  ...loadKeys,
} satisfies Readonly<Record<string, Setting>>

/** A load in a file. Combinations of its keys are checked separately. */
export type LoadFile = FileOf<typeof configuredLoadKeys>

/** The required and optional keys of a kind of load. */
export function listKeys(kind: LoadKind): readonly LoadKey[] {
  const { needs, may } = findLoad(kind)
  return [...Object.keys(needs), ...Object.keys(may)] as LoadKey[]
}

/** Default values of the keys of this kind. */
export function loadStandards(kind: LoadKind): LoadFile {
  const { needs, may } = findLoad(kind)
  return listStandards({ ...needs, ...may })
}

/** The kind of a load: the named one, or the one that its keys imply. */
export function findKind(load: LoadFile): LoadKind {
  const isGiven = (key: string): boolean => load[key as LoadKey] !== undefined
  // Later kinds have keys of their own; if kinds share a key, the first of them is implied.
  const implied = loads.findLast(({ impliedBy }) => impliedBy.some(isGiven))
  return load.kind ?? implied?.kind ?? 'closed'
}

export function strangeKeys(load: LoadFile): readonly LoadKey[] {
  const keysOfKind = listKeys(findKind(load))
  return names.filter((key) => load[key] !== undefined && !keysOfKind.includes(key))
}

export function missingKeys(load: LoadFile): readonly LoadKey[] {
  const needs = Object.keys(findLoad(findKind(load)).needs) as LoadKey[]
  return needs.filter((key) => load[key] === undefined)
}

/**
 * Merges the load of flags into that of a file. Flags for the same kind change single keys. A different kind replaces
 * the load, and keeps only the keys that it also has.
 */
export function overrideLoad(below: LoadFile, above: LoadFile): LoadFile {
  const merged = { ...below, ...above }
  const isOther = above.kind !== undefined && above.kind !== findKind(below)
  return isOther || strangeKeys(merged).length > 0 ? { ...onlyWhatFits(below, above), ...above } : merged
}

/** The keys that the new kind also has: `--load gamma --burstiness 0.5` over `rate: 5/s` keeps the rate. */
function onlyWhatFits(below: LoadFile, above: LoadFile): LoadFile {
  const keysOfKind: readonly string[] = listKeys(findKind(above))
  return Object.fromEntries(Object.entries(below).filter(([key]) => keysOfKind.includes(key)))
}

/** Fills in the defaults of a load, whose required keys have been checked. */
export function completedLoad(file: LoadFile): LoadConfig {
  const load = findLoad(findKind(file))
  const standards = loadStandards(load.kind)
  const filled = Object.fromEntries(listKeys(load.kind).map((key) => [key, file[key] ?? standards[key]]))
  return { kind: load.kind, ...load.complete(filled) } as LoadConfig
}

/** A fault of a load with valid keys, such as a ramp from zero to zero; null if there is none. */
export function loadProblem(load: LoadConfig): string | null {
  if (load.kind === 'trace') return null
  try {
    makeSchedule(load, { seed: 0, meanAudioSeconds: 1 })
    return null
  } catch (error) {
    if (error instanceof RangeError) return error.message
    throw error
  }
}
