import { z } from 'zod'
import type { DeepReadonly } from '#prelude'
import type { Schedule } from '../schedule.ts'

/** A key of a load in a config file, with its words for the schema, the flags and their help. */
export interface LoadKey {
  readonly parser: z.ZodType
  /** What it means, as a noun phrase, with its unit. */
  readonly description: string
  /** What may be there, to follow "must be". */
  readonly expects: string
  /** The same of each entry of a list. */
  readonly each?: { readonly description: string; readonly expects: string }
  /** Null where the key can only be in a file. */
  readonly flag: {
    readonly syntax: string
    readonly reads: 'text' | 'number'
    /** Of a flag that names a file to read: how the name of such a file ends. */
    readonly fileEnding?: '.csv'
  } | null
  /** The value of a key that is left out; the key has none where this is absent. */
  readonly standard?: string | number
  /** What to write instead of a value that is wrong. */
  readonly advise?: (value: unknown) => string | null
}

export type LoadKeys = Readonly<Record<string, LoadKey>>

type Written<Key extends LoadKey> = DeepReadonly<z.infer<Key['parser']>>

/** What a file says of a load, its defaults filled in. */
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

/** What a load needs besides itself to become a schedule. */
export interface LoadContext {
  /** Stored with the run: the same seed gives the same arrivals. */
  readonly seed: number
  /** Mean length of what is sent; turns a rate in speech into one in requests. */
  readonly meanAudioSeconds: number
}

/** One load, in one file: its words, its keys in a config, its shape in documents and its schedule. */
export interface LoadDefinition<
  Kind extends string,
  Fields extends z.ZodRawShape,
  Needs extends LoadKeys,
  May extends LoadKeys,
  Configured extends z.ZodRawShape,
> {
  readonly kind: Kind
  /** What it does, for the help and for schemas, as "a rate that changes evenly". */
  readonly words: string
  /** Keys that a config must give. */
  readonly needs: Needs
  /** Keys that it may give. */
  readonly may: May
  /** Keys that mean this load where a config does not name its kind. */
  readonly impliedBy: readonly (keyof Needs)[]
  /** Its figures in a document. */
  readonly fields: Fields
  /** Its figures in a resolved config, where these are not yet those of a document. */
  readonly configured?: Configured
  /** Reads what a config says. The values have passed the parsers of their keys. */
  complete(given: Given<Needs, May>): Omit<ObjectOf<Kind, Configured>, 'kind'>
  /** Whether it has a length, so that a round is as long as it says and not as long as the corpus. */
  endsByItself(load: ObjectOf<Kind, Configured>): boolean
  /** Whether it can only be made where the length of what is sent is known, and is not 0. */
  isMadeOfSpeech(load: ObjectOf<Kind, Fields>): boolean
  /** @throws RangeError for a figure that makes no load */
  schedule(load: ObjectOf<Kind, Fields>, context: LoadContext): Schedule
}

/** Adds the parsers of its shape in documents and in resolved configs. */
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
