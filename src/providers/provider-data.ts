import { jobProviders } from './job-providers.ts'
import { oneShotProviders } from './one-shot-providers.ts'
import type { ProviderData } from './provider.ts'

/** When the data of the providers was last looked up. Each price has a separate date. */
export const providerDataDate = '2026-11-23'

/**
 * Addresses, models, limits and retirements were read in stored copies of the pages. A model without a price is one whose price
 * was not found on a page of its provider: it is measured without a cost.
 */
export const providerData: readonly ProviderData[] = [...oneShotProviders, ...jobProviders]
