import { z } from 'zod'
import { type DeepReadonly, withoutUndefined } from '#prelude'

/** What may be at a key or in a list, in words. */
export interface Words {
  /** What it means, as a noun phrase with its unit; of an entry of a list, an example of it. */
  readonly description: string
  /** What may be there, to follow "must be". */
  readonly expects: string
  /** What to write instead of a value that is wrong, where that is known. */
  readonly advise?: (value: unknown) => string | null
  /** Of the keys of an object. */
  readonly keys?: Readonly<Record<string, Words>>
  /** Of the entries of a list. */
  readonly each?: Words
}

/** A key of an object, described once: for its parser, the schema of editors, and what problems say of it. */
export interface Key extends Words {
  readonly parser: z.ZodType
  /** What editors suggest. */
  readonly examples?: readonly string[]
  /** Keys may be left out but for these. */
  readonly isNeeded?: true
}

/** How a setting is given on the command line. */
export interface Flag {
  /** As commander takes it: `--rounds <count>`. */
  readonly syntax: string
  /**
   * How its text becomes a value: `text` and `number` as one value, `switch` as true, `textOrAuto` as one value or
   * "auto" where none follows, `list` as values between commas, `repeated` as one value for each time it is on the line.
   */
  readonly reads: 'text' | 'textOrAuto' | 'number' | 'switch' | 'list' | 'repeated' | 'contenders'
  /** Of a flag that names a file to read: how the name of such a file ends. Then `-` is standard input. */
  readonly fileEnding?: '.jsonl' | '.csv' | '.yaml'
}

/** A key of a config: it may also be a flag and a variable, and have a default. */
export interface Setting extends Key {
  /** Null where the key can only be in a file. */
  readonly flag: Flag | null
  /** The value of a key that is left out; the key has none where this is absent. */
  readonly standard?: unknown
}

/** Settings that are one object in a config. */
export interface Group extends Words {
  /** What they are for, in the schema. */
  readonly purpose: string
  readonly keys: Readonly<Record<string, Setting>>
}

export function group<Keys extends Group['keys']>(purpose: string, example: string, keys: Keys) {
  return { purpose, expects: 'an object', description: `such as ${example}`, keys }
}

type Held<Entry> = Entry extends { readonly parser: infer Parser extends z.ZodType }
  ? DeepReadonly<z.infer<Parser>>
  : Entry extends { readonly keys: infer Keys }
    ? FileOf<Keys>
    : never

/** An object as a file holds it: every key may be left out. */
export type FileOf<Keys> = { readonly [Key in keyof Keys]?: Held<Keys[Key]> | undefined }

/** The values of the keys that have a default. */
export type StandardsOf<Keys> = {
  readonly [Key in keyof Keys as Keys[Key] extends { readonly standard: unknown } ? Key : never]: Held<
    Keys[Key]
  >
}

export function listStandards<Keys extends Readonly<Record<string, object>>>(keys: Keys): StandardsOf<Keys> {
  const given = Object.entries(keys).flatMap(([key, entry]) =>
    'standard' in entry ? [[key, entry.standard]] : [],
  )
  return Object.fromEntries(given) as StandardsOf<Keys>
}

/** The parsers of keys that have words as well. */
export function listParsers<Keys extends Readonly<Record<string, Pick<Key, 'parser'>>>>(keys: Keys) {
  // `Object.entries` loses which parser is of which key.
  return Object.fromEntries(Object.entries(keys).map(([key, { parser }]) => [key, parser])) as {
    readonly [Key in keyof Keys]: Keys[Key]['parser']
  }
}

/** Parser of an object with these keys. Strict: unknown keys are problems. */
export function fileObject<Keys extends Readonly<Record<string, Key | Setting | Group>>>(
  keys: Keys,
): z.ZodType<FileOf<Keys>> {
  const shape = Object.entries(keys).map(([key, entry]) => {
    if ('purpose' in entry) {
      return [key, fileObject(entry.keys).optional().meta({ description: entry.purpose })]
    }
    const { parser, description, examples, isNeeded } = entry
    const { standard } = { standard: undefined, ...entry }
    const meaning = withoutUndefined({ description, examples, default: standard })
    return [key, (isNeeded === true ? parser : parser.optional()).meta(meaning)]
  })
  // The keys are those of the table, which the compiler cannot see through `Object.entries`.
  return z.strictObject(Object.fromEntries(shape)) as unknown as z.ZodType<FileOf<Keys>>
}

/** How audio may be asked to travel. */
export const configuredTransports = ['auto', 'path', 'base64', 'multipart'] as const

/** `"a", "b" or "c"` */
export function oneOf(names: readonly string[]): string {
  const quoted = names.map((name) => `"${name}"`)
  const last = quoted.pop() ?? ''
  return quoted.length === 0 ? last : `${quoted.join(', ')} or ${last}`
}

export const aText: Words = { expects: 'text of at least one character', description: 'quote a number' }
