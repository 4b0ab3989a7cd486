import { Option } from 'commander'

/** An option with the name and the type of what it holds; undefined where it may be left out. */
export interface TypedOption<Name extends string, Value> extends Option {
  /** For the compiler alone. */
  readonly holds?: readonly [Name, Value]
}

type CamelCase<Text extends string> = Text extends `${infer Head}-${infer Tail}`
  ? `${Head}${CamelCase<Capitalize<Tail>>}`
  : Text

/** `failIfWorse` of `--fail-if-worse`, `text` of `--no-text`. */
type NameOf<Flags extends string> = Flags extends `-${string}, ${infer Long}`
  ? NameOf<Long>
  : Flags extends `${infer Flag} ${string}`
    ? NameOf<Flag>
    : Flags extends `--no-${infer Name}` | `--${infer Name}`
      ? CamelCase<Name>
      : never

/** What an option holds by its syntax, where nothing reads it. */
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

/** What is typed of options, by their names. */
export type OptionsOf<
  Make extends (...given: never[]) => readonly Option[],
  Each = ReturnType<Make>[number],
> = {
  readonly [One in Exclude<Each, OmissibleIn<Each>> as NameIn<One>]: ValueIn<One>
} & { readonly [One in OmissibleIn<Each> as NameIn<One>]?: Exclude<ValueIn<One>, undefined> }

/** An option whose text is its value. */
export function option<const Flags extends string>(
  flags: Flags,
  description: string,
): TypedOption<NameOf<Flags>, TextOf<Flags>> {
  return new Option(flags, description)
}

/** The same, without which there is no command. */
export function requiredOption<const Flags extends string>(
  flags: Flags,
  description: string,
): TypedOption<NameOf<Flags>, string> {
  return new Option(flags, description).makeOptionMandatory()
}

/**
 * An option whose text is read; of one that is repeated, with what was read before.
 *
 * @param standard what it holds where it is left out
 * @param shown how the help has that
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

/** An option that takes one of a few words. */
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

/** Options with others behind them, which are read by their names and not by their types. */
export function withMore<Options extends readonly Option[]>(
  options: Options,
  more: readonly Option[],
): Options {
  return [...options, ...more] as readonly Option[] as Options
}
