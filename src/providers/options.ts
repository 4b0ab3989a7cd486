/** What an option of a provider's API may be set to. */
export type OptionValue = boolean | number | string | readonly string[]

/** Options by their names. */
export type OptionValues = Readonly<Record<string, OptionValue>>

/** Values that an option takes. */
type OptionRange =
  | { readonly kind: 'switch' }
  | { readonly kind: 'number'; readonly min: number; readonly max: number; readonly isWhole?: true }
  | { readonly kind: 'text' }
  | { readonly kind: 'texts'; readonly each?: { readonly pattern: RegExp; readonly words: string } }
  | { readonly kind: 'choice'; readonly of: readonly string[] }

/** A setting of a provider's API that changes what it answers. */
export interface ProviderOption {
  /** As the API names it; a dot leads into an object: `Settings.VocabularyName`. */
  readonly name: string
  readonly takes: OptionRange
  /** What the API does without it; null where that is nothing, or is not documented. */
  readonly default: OptionValue | null
  /** What transcribench sends where a contender does not set it; absent where it sends nothing. */
  readonly sent?: OptionValue
  readonly meaning: string
  /** Models that do not take it; absent where all do. */
  readonly refusedBy?: RegExp
  /** With it the provider bills more than the price of the model. */
  readonly isBilledExtra?: true
  /** Page that documents it. */
  readonly source: string
}

/** @returns the value in the form that the API takes, or null for one that it does not take; texts of a command line are read */
export function readOptionValue({ takes }: ProviderOption, given: OptionValue): OptionValue | null {
  switch (takes.kind) {
    case 'switch':
      return given === true || given === 'true' ? true : given === false || given === 'false' ? false : null
    case 'number': {
      const isNumeric = typeof given === 'string' && /^[+-]?\d+(\.\d+)?$/.test(given.trim())
      const value = isNumeric ? Number(given) : given
      if (typeof value !== 'number' || !(value >= takes.min && value <= takes.max)) return null
      return takes.isWhole === true && !Number.isInteger(value) ? null : value
    }
    case 'text':
      return textOf(given)
    case 'texts': {
      const texts = (Array.isArray(given) ? (given as readonly string[]) : [given as string]).map(textOf)
      const isTaken = (text: string | null): boolean =>
        text !== null && takes.each?.pattern.test(text) !== false
      return texts.length > 0 && texts.every(isTaken) ? texts.flatMap((text) => text ?? []) : null
    }
    case 'choice':
      return typeof given === 'string' && takes.of.includes(given) ? given : null
  }
}

function textOf(given: OptionValue): string | null {
  if (typeof given === 'number') return String(given)
  return typeof given === 'string' && given.trim() !== '' ? given : null
}

/** What an option takes, to follow "must be". */
export function optionExpects({ takes }: ProviderOption): string {
  switch (takes.kind) {
    case 'switch':
      return 'true or false'
    case 'number':
      return `a ${takes.isWhole === true ? 'whole ' : ''}number from ${takes.min} to ${takes.max}`
    case 'text':
      return 'text of at least one character'
    case 'texts':
      return takes.each === undefined ? 'a list of texts' : `a list of texts, each ${takes.each.words}`
    case 'choice':
      return takes.of.map((value) => `"${value}"`).join(', ')
  }
}

/** Options as fields of a form or a query: a list is a field for each text. */
export function optionFields(options: OptionValues): readonly (readonly [name: string, value: string])[] {
  return Object.entries(options).flatMap(([name, value]) =>
    (Array.isArray(value) ? (value as readonly string[]) : [String(value)]).map(
      (text) => [name, text] as const,
    ),
  )
}

type JsonObject = Readonly<Record<string, unknown>>

/** An object of JSON with options in it: a dot in a name leads into an object. */
export function withOptions(value: JsonObject, options: OptionValues): JsonObject {
  return Object.entries(options).reduce<JsonObject>(
    (object, [name, option]) => withValue(object, name.split('.'), option),
    value,
  )
}

function withValue(object: JsonObject, [key = '', ...rest]: readonly string[], value: unknown): JsonObject {
  const inner = object[key]
  const isObject = typeof inner === 'object' && inner !== null && !Array.isArray(inner)
  return {
    ...object,
    [key]: rest.length === 0 ? value : withValue(isObject ? (inner as JsonObject) : {}, rest, value),
  }
}
