import { z } from 'zod'

const optionValue = z.union([z.boolean(), z.number(), z.string(), z.array(z.string()).readonly()])
/** A value of an option of a provider's API. */
export type OptionValue = z.infer<typeof optionValue>

export type OptionValues = Readonly<Record<string, OptionValue>>

const pattern = z.string().transform((source) => new RegExp(source, 'u'))

/** Parser of the description of an option that changes the responses of a provider's API. */
export const providerOption = z.strictObject({
  name: z.string().describe('As the API names it; a dot leads into an object: `Settings.VocabularyName`.'),
  meaning: z.string(),
  takes: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('switch') }),
    z.strictObject({
      kind: z.literal('number'),
      min: z.number(),
      max: z.number(),
      isWhole: z.literal(true).optional(),
    }),
    z.strictObject({ kind: z.literal('text') }),
    z.strictObject({
      kind: z.literal('texts'),
      each: z.strictObject({ pattern, words: z.string() }).optional(),
    }),
    z.strictObject({ kind: z.literal('choice'), of: z.array(z.string()) }),
  ]),
  default: optionValue
    .nullable()
    .default(null)
    .describe('What the API does without it; null where that is nothing, or is not documented.'),
  sent: optionValue
    .optional()
    .describe('What is sent where a contender does not set it; absent for nothing.'),
  refusedBy: pattern.optional().describe('Models that do not take it; absent where all do.'),
  isBilledExtra: z
    .literal(true)
    .optional()
    .describe('With it the provider bills more than the price of the model.'),
})
export interface ProviderOption extends Readonly<z.infer<typeof providerOption>> {
  /** URL of the page that documents the option. */
  readonly source: string
}

/** @returns the value in the API's form, parsed where it is text of a command line; null for an invalid one */
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
      return readText(given)
    case 'texts': {
      const texts = (Array.isArray(given) ? (given as readonly string[]) : [given as string]).map(readText)
      const isTaken = (text: string | null): boolean =>
        text !== null && takes.each?.pattern.test(text) !== false
      return texts.length > 0 && texts.every(isTaken) ? texts.flatMap((text) => text ?? []) : null
    }
    case 'choice':
      return typeof given === 'string' && takes.of.includes(given) ? given : null
  }
}

function readText(given: OptionValue): string | null {
  if (typeof given === 'number') return String(given)
  return typeof given === 'string' && given.trim() !== '' ? given : null
}

/** The values that an option accepts, worded to follow "must be". */
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

/** Options as fields of a form or a query; a list becomes one field per text. */
export function optionFields(options: OptionValues): readonly (readonly [name: string, value: string])[] {
  return Object.entries(options).flatMap(([name, value]) =>
    (Array.isArray(value) ? (value as readonly string[]) : [String(value)]).map(
      (text) => [name, text] as const,
    ),
  )
}

type JsonObject = Readonly<Record<string, unknown>>

/** Adds options to a JSON object; a dot in a name leads into a nested object. */
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
