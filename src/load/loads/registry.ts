import { z } from 'zod'
import type { DeepReadonly } from '#prelude'
import type { Schedule } from '../schedule.ts'
import { closedLoad } from './closed.ts'
import type { LoadContext, LoadKeys } from './load-definition.ts'
import { rampLoad } from './ramp.ts'
import { constantLoad, gammaLoad, poissonLoad } from './steady.ts'
import { stepsLoad } from './steps.ts'
import { traceLoad } from './trace.ts'
import { usersLoad } from './users.ts'

/** All loads in the order of their names in the help; their keys come in the same order. */
const definitions = [
  closedLoad,
  poissonLoad,
  constantLoad,
  gammaLoad,
  rampLoad,
  stepsLoad,
  traceLoad,
  usersLoad,
] as const

type Definition = (typeof definitions)[number]

/** A load as documents store it. */
export type LoadShape = DeepReadonly<z.infer<Definition['shape']>>
/** A load of a config, fully specified: a `LoadShape` whose trace is not read yet. */
export type LoadConfig = DeepReadonly<z.infer<Definition['configured']>>
export type LoadKind = Definition['kind']

type Both<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer All) => void
  ? All
  : never

export type AllLoadKeys = Both<Definition['needs'] | Definition['may']>

/** A load whose kind the compiler does not know. `shape` must be of that kind. */
interface AnyLoad extends Pick<Definition, 'kind' | 'words'> {
  readonly needs: LoadKeys
  readonly may: LoadKeys
  readonly impliedBy: readonly string[]
  complete(given: Readonly<Record<string, unknown>>): object
  endsByItself(load: LoadConfig): boolean
  isMadeOfSpeech(shape: LoadShape): boolean
  schedule(shape: LoadShape, context: LoadContext): Schedule
}

export const loads: readonly AnyLoad[] = definitions

export function findLoad(kind: LoadKind): AnyLoad {
  return loads.find((load) => load.kind === kind) as AnyLoad
}

export const loadKindNames: readonly LoadKind[] = definitions.map(({ kind }) => kind)

/** Every key that a load in a config file can have, in the order of the loads. */
export const loadKeys = Object.assign(
  {},
  ...definitions.map(({ needs, may }) => ({ ...needs, ...may })),
) as AllLoadKeys

const [firstLoad, ...otherLoads] = definitions

/** Parser of a load in a document. `makeSchedule` checks its values. */
export const loadShape = z
  .discriminatedUnion('kind', [firstLoad.shape, ...otherLoads.map(({ shape }) => shape)])
  .meta({ id: 'LoadShape', description: 'When requests leave.' })

/** Parser of a load in a resolved config. */
export const loadConfig = z.discriminatedUnion('kind', [
  firstLoad.configured,
  ...otherLoads.map(({ configured }) => configured),
])

/** Whether a load needs the audio length of the requests, which must be known and not 0. */
export function isMadeOfSpeech(shape: LoadShape): boolean {
  return findLoad(shape.kind).isMadeOfSpeech(shape)
}

/** Whether a load has a length of its own. A round then lasts for that length, not for the whole corpus. */
export function endsByItself(load: LoadConfig): boolean {
  return findLoad(load.kind).endsByItself(load)
}

/** @throws RangeError for values that make no load; those of a config are checked earlier, with their location */
export function makeSchedule(shape: LoadShape, context: LoadContext): Schedule {
  return findLoad(shape.kind).schedule(shape, context)
}
