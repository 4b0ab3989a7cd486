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

/** A load as it is in a file: one flat object, whose `kind` says which of the other keys may be there. */
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

/** Which of its keys belong together is checked apart. */
export type LoadFile = FileOf<typeof configuredLoadKeys>

/** The keys of a load that its kind must and may have. */
export function listKeys(kind: LoadKind): readonly LoadKey[] {
  const { needs, may } = findLoad(kind)
  return [...Object.keys(needs), ...Object.keys(may)] as LoadKey[]
}

/** The values of the keys of this kind where they are left out. */
export function loadStandards(kind: LoadKind): LoadFile {
  const { needs, may } = findLoad(kind)
  return listStandards({ ...needs, ...may })
}

/** The kind that a load has: the one it names, or the one that its keys mean. */
export function findKind(load: LoadFile): LoadKind {
  const isGiven = (key: string): boolean => load[key as LoadKey] !== undefined
  // The later ones have separate keys; of those that share a key, the first is meant.
  const implied = loads.findLast(({ impliedBy }) => impliedBy.some(isGiven))
  return load.kind ?? implied?.kind ?? 'closed'
}

export function strangeKeys(load: LoadFile): readonly LoadKey[] {
  const own = listKeys(findKind(load))
  return names.filter((key) => load[key] !== undefined && !own.includes(key))
}

export function missingKeys(load: LoadFile): readonly LoadKey[] {
  const needs = Object.keys(findLoad(findKind(load)).needs) as LoadKey[]
  return needs.filter((key) => load[key] === undefined)
}

/**
 * Puts the flags' load over the file's. What says more of the same load changes it; what means another one
 * replaces it as a whole, because half of one and half of the other is neither.
 */
export function overrideLoad(below: LoadFile, above: LoadFile): LoadFile {
  const merged = { ...below, ...above }
  const isOther = above.kind !== undefined && above.kind !== findKind(below)
  return isOther || strangeKeys(merged).length > 0 ? { ...onlyWhatFits(below, above), ...above } : merged
}

/** `--load gamma --burstiness 0.5` over `rate: 5/s` keeps the rate. */
function onlyWhatFits(below: LoadFile, above: LoadFile): LoadFile {
  const own: readonly string[] = listKeys(findKind(above))
  return Object.fromEntries(Object.entries(below).filter(([key]) => own.includes(key)))
}

/** Fills in what a load does not say. The keys it needs are there and have been read. */
export function completedLoad(file: LoadFile): LoadConfig {
  const load = findLoad(findKind(file))
  const standards = loadStandards(load.kind)
  const given = Object.fromEntries(listKeys(load.kind).map((key) => [key, file[key] ?? standards[key]]))
  return { kind: load.kind, ...load.complete(given) } as LoadConfig
}

/** What is wrong with a load whose keys are all right, such as a ramp from nothing to nothing; null when nothing is. */
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
