import { jobProviders } from './job-providers.ts'
import { oneShotProviders } from './one-shot-providers.ts'
import type { ProviderData } from './provider.ts'

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
