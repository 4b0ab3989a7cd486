import { z } from 'zod'
import type { DeepReadonly } from '#prelude'

/** How a setting is given on the command line. */
export interface Flag {
  /** As commander takes it: `--rounds <count>`. */
  readonly syntax: string
  /**
   * How its text becomes a value: `text` and `number` as one value, `switch` as true, `textOrAuto` as one value or
   * "auto" where none follows, `list` as values between
   * commas, `repeated` as one value for each time it is on the line.
   */
  readonly reads: 'text' | 'textOrAuto' | 'number' | 'switch' | 'list' | 'repeated' | 'contenders'
  /** Of a flag that names a file to read: how the name of such a file ends. Then `-` is standard input. */
  readonly fileEnding?: '.jsonl' | '.csv' | '.yaml'
}

/** One key of a config, described once: for the schema, for the flags and their help, and for the documentation. */
export interface Setting {
  /** What it means, as a noun phrase, with its unit. */
  readonly description: string
  /** What may be there, to follow "must be". */
  readonly expects: string
  /** Null where the key can only be in a file. */
  readonly flag: Flag | null
  /** What to write instead of a value that is wrong, where that is known. */
  readonly advise?: (value: unknown) => string | null
}

/** Every key has a setting, and every group of keys a separate table: the compiler finds a missing one. */
export type FlagTable<Config> = {
  readonly [Key in keyof Config]-?: NonNullable<Config[Key]> extends
    | readonly unknown[]
    | string
    | number
    | boolean
    ? Setting
    : FlagTable<NonNullable<Config[Key]>>
}

/** What may be at a key, and what it means. */
export interface Description {
  readonly description: string
  readonly expects: string
  /** What to write instead of a value that is wrong; null where nothing is near. */
  readonly advise?: ((value: unknown) => string | null) | undefined
}

/** Parsers by key; a group of keys nests them. */
interface FileParsers {
  readonly [key: string]: z.ZodType | FileParsers
}

/** The parsers of a table whose rows have words as well. */
export type ParsersOf<Table extends Readonly<Record<string, { readonly parser: z.ZodType }>>> = {
  readonly [Key in keyof Table]: Table[Key]['parser']
}

export function listParsers<Table extends Readonly<Record<string, { readonly parser: z.ZodType }>>>(
  table: Table,
): ParsersOf<Table> {
  // `Object.entries` loses which parser is of which key.
  return Object.fromEntries(
    Object.entries(table).map(([key, { parser }]) => [key, parser]),
  ) as ParsersOf<Table>
}

/** An object as a file holds it: every key may be left out. */
export type FileOf<Parsers> = {
  readonly [Key in keyof Parsers]?:
    | (Parsers[Key] extends z.ZodType ? DeepReadonly<z.infer<Parsers[Key]>> : FileOf<Parsers[Key]>)
    | undefined
}

interface FileWords<Parsers> {
  /** Of each key; of a group, those of its keys. */
  readonly keys: { readonly [Key in keyof Parsers]: unknown }
  /** Values of keys that are left out. */
  readonly defaults?: { readonly [Key in keyof Parsers]?: unknown } | undefined
  readonly groups?: Readonly<Record<string, string>> | undefined
}

/** Parser of such an object. Strict: unknown keys are problems. */
export function fileObject<Parsers extends FileParsers>(
  parsers: Parsers,
  { keys, defaults = {}, groups = {} }: FileWords<Parsers>,
): z.ZodType<FileOf<Parsers>> {
  const shape = Object.entries(parsers).map(([key, parser]) => {
    const [words, standard] = [keys[key], defaults[key]]
    if (!(parser instanceof z.ZodType)) {
      const group = fileObject(parser, { keys: words as FileParsers, defaults: standard as FileParsers })
      return [key, group.optional().meta({ description: groups[key] })]
    }
    const { description } = words as Description
    const meaning = standard === undefined ? { description } : { description, default: standard }
    return [key, parser.optional().meta(meaning)]
  })
  // The keys are those of `parsers`, which the compiler cannot see through `Object.entries`.
  return z.strictObject(Object.fromEntries(shape)) as unknown as z.ZodType<FileOf<Parsers>>
}

/** How audio may be asked to travel. */
export const configuredTransports = ['auto', 'path', 'base64', 'multipart'] as const
