import { Option } from 'commander'

/** An option with the name and the type of its value; undefined if it is optional. */
export interface TypedOption<Name extends string, Value> extends Option {
  /** Exists only for type inference. */
  readonly holds?: readonly [Name, Value]
}

type CamelCase<Text extends string> = Text extends `${infer Head}-${infer Tail}`
  ? `${Head}${CamelCase<Capitalize<Tail>>}`
  : Text

/** Attribute of a flag: `failIfWorse` for `--fail-if-worse`, `text` for `--no-text`. */
type NameOf<Flags extends string> = Flags extends `-${string}, ${infer Long}`
  ? NameOf<Long>
  : Flags extends `${infer Flag} ${string}`
    ? NameOf<Flag>
    : Flags extends `--no-${infer Name}` | `--${infer Name}`
      ? CamelCase<Name>
      : never

/** Type of an option without a parser, by its syntax. */
type TextOf<Flags extends string> = Flags extends `--no-${string}`
  ? boolean
  : Flags extends `${string}...>`
    ? readonly string[] | undefined
    : Flags extends `${string}<${string}`
      ? string | undefined
      : Flags extends `${string}[${string}`
        ? string | true | undefined
        : boolean | undefined

type NameIn<Each> = Each extends TypedOption<infer Name, unknown> ? Name : never
type ValueIn<Each> = Each extends TypedOption<string, infer Value> ? Value : never
type OmissibleIn<Each> = Each extends unknown ? (undefined extends ValueIn<Each> ? Each : never) : never

/** Types of the values of options, by their names. */
export type OptionsOf<
  Make extends (...given: never[]) => readonly Option[],
  Each = ReturnType<Make>[number],
> = {
  readonly [One in Exclude<Each, OmissibleIn<Each>> as NameIn<One>]: ValueIn<One>
} & { readonly [One in OmissibleIn<Each> as NameIn<One>]?: Exclude<ValueIn<One>, undefined> }

/** An option whose value is its text. */
export function option<const Flags extends string>(
  flags: Flags,
  description: string,
): TypedOption<NameOf<Flags>, TextOf<Flags>> {
  return new Option(flags, description)
}

/** A mandatory option whose value is its text. */
export function requiredOption<const Flags extends string>(
  flags: Flags,
  description: string,
): TypedOption<NameOf<Flags>, string> {
  return new Option(flags, description).makeOptionMandatory()
}

/**
 * An option with a parser; for a repeated option, it also receives the previous value.
 *
 * @param standard default value
 * @param shown default in the help
 */
export function readOption<const Flags extends string, Value, Standard extends Value | undefined = undefined>(
  flags: Flags,
  description: string,
  read: (text: string, previous: Value | undefined) => Value,
  standard?: Standard,
  shown?: string,
): TypedOption<NameOf<Flags>, Value | Standard> {
  return new Option(flags, description).argParser(read).default(standard, shown)
}

/** An option with a fixed set of words. */
export function choice<
  const Flags extends string,
  const Word extends string,
  Standard extends Word | undefined = undefined,
>(
  flags: Flags,
  description: string,
  words: readonly Word[],
  standard?: Standard,
): TypedOption<NameOf<Flags>, Word | Standard> {
  return new Option(flags, description).choices(words).default(standard)
}

/** Options followed by others, which are read by name and therefore not typed. */
export function withMore<Options extends readonly Option[]>(
  options: Options,
  more: readonly Option[],
): Options {
  return [...options, ...more] as readonly Option[] as Options
}
