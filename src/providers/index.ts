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
export type {
  Granularity,
  ProviderBody,
  ProviderJob,
  ProviderProgress,
  ProviderProtocol,
  ProviderQuestion,
  ProviderStep,
  ProviderStorage,
  ProviderTranscript,
} from './protocol.ts'
export { addressBelow, joinPortions } from './protocol.ts'
export { type ProtocolName, protocols } from './protocols/protocols.ts'
export type { ProviderData } from './provider.ts'
export { providerData, providerDataDate } from './provider-data.ts'
export {
  baseUrlVariableOf,
  type CloudPriceEntry,
  cloudPrices,
  findProvider,
  keyVariableOf,
  retirementOf,
  sentByDefault,
} from './providers.ts'
