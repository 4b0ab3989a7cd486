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
