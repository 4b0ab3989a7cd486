import { z } from 'zod'
import type { DeepReadonly } from '#prelude'
import { type LanguageTable, type LanguageTableName, languageTables } from './languages.ts'
import { type OptionValues, type ProviderOption, providerOption } from './options.ts'
import { type ProtocolName, protocols } from './protocols/protocols.ts'
import data from './providers.json' with { type: 'json' }

const price = z.strictObject({
  usdPerAudioHour: z.number(),
  // Rounding of a recording's length before billing; none by default, nor where the page describes none.
  stepSeconds: z.number().nullable().default(null),
  rounding: z.enum(['up', 'nearest']).default('nearest'),
  minimumSeconds: z.number().default(0),
  // Evidence of the price: the page that published it, and the day on which it was read; it may have changed since.
  source: z.url(),
  date: z.iso.date(),
})

const model = z.strictObject({
  id: z.string(),
  baseUrl: z.url().optional().describe('Where it differs from that of the provider.'),
  price: price.nullable().default(null).describe('Null where none was found on a page of the provider.'),
  retires: z
    .strictObject({
      date: z.iso.date().nullable().default(null),
      successor: z.string(),
      source: z.url(),
    })
    .nullable()
    .default(null)
    .describe(
      'When it stops answering, as announced; a date of null where a successor is out and no date was found.',
    ),
})

const limit = z.number().nullable().default(null)
const provider = z.strictObject({
  id: z.string(),
  displayName: z.string(),
  account: z.string().optional().describe('The provider whose key and address it shares.'),
  note: z.string().optional().describe('What a reader of the file is to know of prices and limits.'),
  protocol: z.enum(Object.keys(protocols) as ProtocolName[]),
  baseUrl: z.url().describe('Without a slash at its end.'),
  documentation: z.url().describe('Where address and protocol are documented.'),
  readOn: z.iso
    .date()
    .describe('When models, options and limits were looked up; each price has a separate date.'),
  modelSource: z.url().describe('Page that lists the models.'),
  models: z.array(model),
  // Limits of one request; null where none is documented, or where it is out of reach.
  maxFileBytes: limit,
  maxAudioSeconds: limit,
  maxRequestsPerMinute: limit.describe(
    'Sent in a minute by default; null where it depends on the account, or none is documented.',
  ),
  doesNotReturn: z.array(z.string()).default([]).describe('What its answers do not hold, in words.'),
  languages: z
    .enum(Object.keys(languageTables) as LanguageTableName[])
    .optional()
    .describe('Codes of languages, where it has others than its protocol.'),
  optionSource: z.url().describe('Page that documents the options.'),
  options: z.array(providerOption).describe('Settings that change what it answers; any other is not sent.'),
})

/** Data of a provider, other than its protocol. */
export interface ProviderData extends DeepReadonly<Omit<z.infer<typeof provider>, 'languages' | 'options'>> {
  readonly languages: LanguageTable | undefined
  readonly options: readonly ProviderOption[]
}

/** The providers of `providers.json`, which was compiled from stored copies of the pages that it names. */
export const providerData: readonly ProviderData[] = z
  .array(provider)
  .parse(data)
  .map(({ languages, options, ...rest }) => ({
    ...rest,
    languages: languages && languageTables[languages],
    options: options.map((option) => ({ ...option, source: rest.optionSource })),
  }))

/** The latest date on which the data of a provider were looked up. */
export const providerDataDate: string =
  providerData
    .map(({ readOn }) => readOn)
    .sort()
    .at(-1) ?? ''

/** A provider by its id; null for an unknown id. */
export function findProvider(id: string): ProviderData | null {
  return providerData.find((provider) => provider.id === id) ?? null
}

/** The provider whose API is at this host (with a port, if it is not the usual one); null for any other server. */
export function findProviderAt(host: string): ProviderData | null {
  return providerData.find(({ baseUrl }) => new URL(baseUrl).host === host) ?? null
}

/** Environment variable with a provider's key: `DEEPGRAM_API_KEY`. */
export function keyVariableFor(id: string): string {
  const account = findProvider(id)?.account ?? id
  return `${account.toUpperCase().replaceAll('-', '_')}_API_KEY`
}

/** Environment variable that overrides a provider's base address: `DEEPGRAM_BASE_URL`. */
export function baseUrlVariableFor(id: string): string {
  return keyVariableFor(id).replace(/API_KEY$/, 'BASE_URL')
}

/** Options that are sent to a provider where a contender sets none. */
export function sentByDefault({ options }: Pick<ProviderData, 'options'>): OptionValues {
  return Object.fromEntries(options.flatMap(({ name, sent }) => (sent === undefined ? [] : [[name, sent]])))
}

/** A model's retirement date and successor in words; null where no retirement is announced. */
export function describeRetirement(providerId: string, model: string): string | null {
  const retires = findProvider(providerId)?.models.find(({ id }) => id === model)?.retires ?? null
  if (retires === null) return null
  const { date, successor, source } = retires
  return `${model} ${date === null ? 'has a successor' : `is shut down on ${date}`}: ${successor} (${source})`
}

/** A price as an entry of a price list. */
export interface CloudPriceEntry extends Readonly<Omit<z.infer<typeof price>, 'usdPerAudioHour'>> {
  readonly id: string
  /** Id of the provider, because two providers may have a model of the same name. */
  readonly provider: string
  readonly name: string
  readonly models: readonly string[]
  readonly perAudioHour: number
}

/** All known prices, in US dollars. */
export const cloudPrices: readonly CloudPriceEntry[] = providerData.flatMap(({ id, displayName, models }) =>
  models.flatMap((model): readonly CloudPriceEntry[] => {
    if (model.price === null) return []
    const { usdPerAudioHour: perAudioHour, ...rest } = model.price
    return [
      {
        id: `${id}-${model.id}`,
        provider: id,
        name: `${displayName} ${model.id}`,
        models: [model.id],
        perAudioHour,
        ...rest,
      },
    ]
  }),
)
