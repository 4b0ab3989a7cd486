import { z } from 'zod'
import type { DeepReadonly } from '#prelude'
import type { Schedule } from '../schedule.ts'

/** A key of a load in a config file, with its texts for the schema, the flags and their help. */
export interface LoadKey {
  readonly parser: z.ZodType
  /** Meaning of the key as a noun phrase, with its unit. */
  readonly description: string
  /** Allowed values, as a phrase that follows "must be". */
  readonly expects: string
  /** Texts for one entry, where the value is a list. */
  readonly each?: { readonly description: string; readonly expects: string }
  /** Null for a key that has no command-line flag. */
  readonly flag: {
    readonly syntax: string
    readonly reads: 'text' | 'number'
    /** File-name ending, for a flag that names a file to read. */
    readonly fileEnding?: '.csv'
  } | null
  /** Default value; absent for a key without one. */
  readonly standard?: string | number
  /** Returns a hint for a wrong value. */
  readonly advise?: (value: unknown) => string | null
}

export type LoadKeys = Readonly<Record<string, LoadKey>>

type Written<Key extends LoadKey> = DeepReadonly<z.infer<Key['parser']>>

/** The values of a load's keys in a config, with defaults filled in. */
type Given<Needs extends LoadKeys, May extends LoadKeys> = {
  readonly [Key in keyof Needs]: Written<Needs[Key]>
} & {
  readonly [Key in keyof May]: May[Key] extends { readonly standard: string | number }
    ? Written<May[Key]>
    : Written<May[Key]> | undefined
}

type ObjectOf<Kind extends string, Fields extends z.ZodRawShape> = DeepReadonly<
  z.infer<z.ZodObject<{ kind: z.ZodLiteral<Kind> } & Fields>>
>

/** Further input that a load needs to become a schedule. */
export interface LoadContext {
  /** Stored with the run, because the same seed gives the same arrivals. */
  readonly seed: number
  /** Mean audio length of the requests; converts a rate in speech to one in requests. */
  readonly meanAudioSeconds: number
}

/** A load: its description, its config keys, its shape in documents and its schedule. */
export interface LoadDefinition<
  Kind extends string,
  Fields extends z.ZodRawShape,
  Needs extends LoadKeys,
  May extends LoadKeys,
  Configured extends z.ZodRawShape,
> {
  readonly kind: Kind
  /** Description for help texts and schemas, such as "a rate that changes evenly". */
  readonly words: string
  readonly needs: Needs
  /** Optional keys. */
  readonly may: May
  /** Keys that imply this load in a config that does not name its kind. */
  readonly impliedBy: readonly (keyof Needs)[]
  /** Fields of the load in a document. */
  readonly fields: Fields
  /** Fields of the load in a resolved config, where they differ from those of a document. */
  readonly configured?: Configured
  /** Converts the values of a config, which the parsers of their keys have accepted. */
  complete(given: Given<Needs, May>): Omit<ObjectOf<Kind, Configured>, 'kind'>
  /** Whether the load has a length of its own. A round then lasts for that length, not for the whole corpus. */
  endsByItself(load: ObjectOf<Kind, Configured>): boolean
  /** Whether the load needs the audio length of the requests, which must be known and not 0. */
  isMadeOfSpeech(load: ObjectOf<Kind, Fields>): boolean
  /** @throws RangeError for values that make no load */
  schedule(load: ObjectOf<Kind, Fields>, context: LoadContext): Schedule
}

/** Adds the parsers of the load's shape in documents and in resolved configs. */
export function defineLoad<
  Kind extends string,
  Fields extends z.ZodRawShape,
  Needs extends LoadKeys,
  May extends LoadKeys,
  Configured extends z.ZodRawShape = Fields,
>(definition: LoadDefinition<Kind, Fields, Needs, May, Configured>) {
  const { words } = definition
  const kind = z.literal(definition.kind).describe(`${words.charAt(0).toUpperCase()}${words.slice(1)}.`)
  const configured = (definition.configured ?? definition.fields) as Configured
  return {
    ...definition,
    shape: z.strictObject({ kind, ...definition.fields }),
    configured: z.strictObject({ kind, ...configured }),
  }
}
