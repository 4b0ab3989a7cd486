/**
 * What is known of cloud providers, as dated data, and their protocols as steps of requests and answers. Sends nothing and
 * holds no key: the client and the service send the steps.
 *
 *   const provider = findProvider('deepgram')
 *   const step = protocols[provider.protocol].start({ model: 'nova-3', language: 'en', timestamps: [], options: {} }, job)
 */
export { type MissingAccess, type ProviderAccess, providerAccess } from './access.ts'
export { findLanguageCode, type LanguageTable, whisperLanguages } from './languages.ts'
export {
  type OptionValue,
  type OptionValues,
  optionExpects,
  optionFields,
  type ProviderOption,
  readOptionValue,
} from './options.ts'
export {
  addressBelow,
  type Granularity,
  joinPortions,
  type ProviderBody,
  type ProviderJob,
  type ProviderProgress,
  type ProviderProtocol,
  type ProviderQuestion,
  type ProviderStep,
  type ProviderStorage,
  type ProviderTranscript,
} from './protocol.ts'
export { type ProtocolName, protocols } from './protocols/protocols.ts'
export type { ProviderData } from './provider.ts'
export {
  baseUrlVariableOf,
  type CloudPriceEntry,
  cloudPrices,
  findProvider,
  keyVariableOf,
  providerData,
  providerDataDate,
  retirementOf,
  sentByDefault,
} from './providers.ts'
