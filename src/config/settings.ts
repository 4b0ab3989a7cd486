import { z } from 'zod'
import { type DeepReadonly, withoutUndefined } from '#prelude'

/** Descriptions of a key or of the entries of a list. */
export interface Words {
  /** Meaning as a noun phrase with its unit; for an entry of a list, an example. */
  readonly description: string
  /** Valid values, as a phrase after "must be". */
  readonly expects: string
  /** Advice for a wrong value, if there is any. */
  readonly advise?: (value: unknown) => string | null
  /** Keys of an object. */
  readonly keys?: Readonly<Record<string, Words>>
  /** Entries of a list. */
  readonly each?: Words
}

/** A key of an object, described once for its parser, the schema for editors, and messages. */
export interface Key extends Words {
  readonly parser: z.ZodType
  /** Suggestions in editors. */
  readonly examples?: readonly string[]
  /** Whether the key is required; other keys are optional. */
  readonly isNeeded?: true
}

/** The flag of a setting on the command line. */
export interface Flag {
  /** Syntax for commander: `--rounds <count>`. */
  readonly syntax: string
  /**
   * Conversion of its text. `text` and `number` give one value, `switch` true, `textOrAuto` one value or "auto" without
   * a text. `list` gives comma-separated values, `repeated` one value per occurrence.
   */
  readonly reads: 'text' | 'textOrAuto' | 'number' | 'switch' | 'list' | 'repeated' | 'contenders'
  /** Extension of the file that the flag names; then `-` is standard input. */
  readonly fileEnding?: '.jsonl' | '.csv' | '.yaml'
}

/** A key of a config, with its flag, environment variable and default, if any. */
export interface Setting extends Key {
  /** Null if the key can only be in a file. */
  readonly flag: Flag | null
  /** Default value; absent if there is none. */
  readonly standard?: unknown
}

/** Settings that are one object in a config. */
export interface Group extends Words {
  /** Purpose of the settings, for the schema. */
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

/** An object in a file, in which every key is optional. */
export type FileOf<Keys> = { readonly [Key in keyof Keys]?: Held<Keys[Key]> | undefined }

/** The default values of keys. */
export type StandardsOf<Keys> = {
  readonly [Key in keyof Keys as Keys[Key] extends { readonly standard: unknown } ? Key : never]: Held<
    Keys[Key]
  >
}

export function listStandards<Keys extends Readonly<Record<string, object>>>(keys: Keys): StandardsOf<Keys> {
  const standards = Object.entries(keys).flatMap(([key, entry]) =>
    'standard' in entry ? [[key, entry.standard]] : [],
  )
  return Object.fromEntries(standards) as StandardsOf<Keys>
}

/** The parsers of described keys. */
export function listParsers<Keys extends Readonly<Record<string, Pick<Key, 'parser'>>>>(keys: Keys) {
  // `Object.entries` loses the type of each key's parser, so it is asserted.
  return Object.fromEntries(Object.entries(keys).map(([key, { parser }]) => [key, parser])) as {
    readonly [Key in keyof Keys]: Keys[Key]['parser']
  }
}

/** Parser of an object with these keys. It is strict: unknown keys are problems. */
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
  // The keys are those of the table, but the compiler cannot infer that from `Object.entries`.
  return z.strictObject(Object.fromEntries(shape)) as unknown as z.ZodType<FileOf<Keys>>
}

/** Transports that a config may choose. */
export const configuredTransports = ['auto', 'path', 'base64', 'multipart'] as const

/** A list of names in words: `"a", "b" or "c"` */
export function oneOf(names: readonly string[]): string {
  const quoted = names.map((name) => `"${name}"`)
  const last = quoted.pop() ?? ''
  return quoted.length === 0 ? last : `${quoted.join(', ')} or ${last}`
}

/** Words for a name. YAML reads an unquoted `2026` as a number, hence the advice. */
export const aText: Words = { expects: 'text of at least one character', description: 'quote a number' }
