import type { OptionValues } from './options.ts'
import type { ProviderData } from './provider.ts'
import { jobProviders, oneShotProviders } from './provider-data.ts'

/**
 * Addresses, models, limits and retirements were read in stored copies of the pages. A model without a price is one whose price
 * was not found on a page of its provider: it is measured without a cost.
 */
export const providerData: readonly ProviderData[] = [...oneShotProviders, ...jobProviders]

/** When any of it was last looked up. */
export const providerDataDate =
  providerData
    .map(({ readOn }) => readOn)
    .sort()
    .at(-1) ?? ''

/** A provider by its id; null for any other name. */
export function findProvider(id: string): ProviderData | null {
  return providerData.find((provider) => provider.id === id) ?? null
}

/** Environment variable with a provider's key: `DEEPGRAM_API_KEY`. */
export function keyVariableOf(id: string): string {
  const account = findProvider(id)?.account ?? id
  return `${account.toUpperCase().replaceAll('-', '_')}_API_KEY`
}

/** Environment variable with an address in place of a provider's own: `DEEPGRAM_BASE_URL`. */
export function baseUrlVariableOf(id: string): string {
  return keyVariableOf(id).replace(/API_KEY$/, 'BASE_URL')
}

/** What is sent to a provider of a protocol where a contender sets nothing. */
export function sentByDefault({ options }: Pick<ProviderData, 'options'>): OptionValues {
  return Object.fromEntries(options.flatMap(({ name, sent }) => (sent === undefined ? [] : [[name, sent]])))
}

/** When a model retires and what follows it, in words; null for one that is not known to. */
export function retirementOf(providerId: string, model: string): string | null {
  const retires = findProvider(providerId)?.models.find(({ id }) => id === model)?.retires ?? null
  if (retires === null) return null
  const { date, successor, source } = retires
  return `${model} ${date === null ? 'has a successor' : `is shut down on ${date}`}: ${successor} (${source})`
}

/** A price as a price list holds it. */
export interface CloudPriceEntry {
  readonly id: string
  /** Id of the provider: two of them may have a model of one name. */
  readonly provider: string
  readonly name: string
  readonly models: readonly string[]
  readonly perAudioHour: number
  readonly stepSeconds: number | null
  readonly rounding: 'up' | 'nearest'
  readonly minimumSeconds: number
  readonly source: string
  readonly date: string
}

/** Every price with a source, in US dollars. */
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
